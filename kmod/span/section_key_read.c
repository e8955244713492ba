// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sections have counted by CPU and key, for user space (PMCGRP_IOC_SECTION_KEYS).
 *
 * Entries of a CPU have numbers: 0 is its total, 1 + n is slot n of its table.  A key keeps its
 * slot, so a cursor is a CPU and a number, whatever comes between two calls.
 *
 * A CPU is asked by IPI for CHUNK entries at most: so interrupts are off there for a time that does
 * not depend on the number of keys.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "group/group.h"
#include "group/view.h"
#include "platform/recursion.h"
#include "platform/uapi_copy.h"
#include "set/evlist.h"
#include "span/section.h"
#include "span/section_key.h"

#define CHUNK 16	  /* entries of one IPI */
#define CHUNK_BUCKETS 2	  /* with histograms */
#define ENTRIES_MAX 256U  /* of one ioctl */
#define BUCKETS_MAX 32U	  /* with histograms: 150 KiB */

static_assert(sizeof(struct pmcgrp_section_keys) == PMCGRP_SECTION_KEYS_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_section_key) == PMCGRP_SECTION_KEY_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_section_key_buckets) == PMCGRP_SECTION_KEY_BUCKETS_SIZE_VER0);

/**
 * struct reply - entries that are being read
 * @section: the section
 * @cpu: the CPU that is asked
 * @next: number of its next entry
 * @done: it has no more
 * @nr: number of entries so far
 * @max: room for entries
 * @buckets: the histograms of @max entries; NULL: they are not asked for
 * @entry: the entries
 */
struct reply {
	const struct pmcgrp_section *section;
	int cpu;
	u32 next;
	bool done;
	unsigned int nr;
	unsigned int max;
	struct pmcgrp_section_key_buckets *buckets;
	struct pmcgrp_section_key entry[] __counted_by(max);
};

/* Without a section its values are 0. */
static void put_total(const struct reply *reply, struct pmcgrp_section_key *entry)
{
	const struct pmcgrp_section_cpu *cpu = per_cpu_ptr(reply->section->cpu, reply->cpu);
	const struct pmcgrp_group *group = reply->section->group;
	const struct pmcgrp_section_stat *from = cpu->stat;
	unsigned int i;

	entry->kind = PMCGRP_SECTION_KEY_TOTAL;
	entry->count = cpu->count;
	for (i = 0; entry->count && i <= group->nr; i++) {
		if (i)
			from = &cpu->stat[group->member[i - 1].event + 1];
		entry->stat[i].sum = from->sum;
		entry->stat[i].min = from->min;
		entry->stat[i].max = from->max;
	}
}

static void put_slot(const struct reply *reply, u32 at, struct pmcgrp_section_key *entry)
{
	const struct pmcgrp_group *group = reply->section->group;
	const struct pmcgrp_section_key_stat *from;
	unsigned int i;

	from = pmcgrp_section_table_slot(reply->section->table, reply->cpu, at, entry);
	entry->stat[0] = from[0];
	for (i = 0; i < group->nr; i++)
		entry->stat[i + 1] = from[group->member[i].event + 1];
}

/* Of the time, @i 0, or of a member: the histogram that the next entry has. */
static const u64 *buckets_from(const struct reply *reply, const u64 *of_slot, unsigned int i)
{
	const struct pmcgrp_section *section = reply->section;
	unsigned int at = i ? section->group->member[i - 1].event + 1 : 0;

	if (reply->next)
		return of_slot ? of_slot + at * PMCGRP_SECTION_BUCKETS : NULL;
	return per_cpu_ptr(section->cpu, reply->cpu)->stat[at].bucket;
}

static void put_buckets(const struct reply *reply, struct pmcgrp_section_key_buckets *to)
{
	const struct pmcgrp_section *section = reply->section;
	const u64 *of_slot = NULL, *from;
	unsigned int i;

	if (reply->next)
		of_slot = pmcgrp_section_table_buckets(section->table, reply->cpu, reply->next - 1);
	for (i = 0; i <= section->group->nr; i++) {
		from = buckets_from(reply, of_slot, i);
		if (from)
			memcpy(to->bucket[i], from, sizeof(to->bucket[i]));
		else
			memset(to->bucket[i], 0, sizeof(to->bucket[i]));
	}
}

/* An entry that was not reported may have been here. */
static void put_entry(struct reply *reply)
{
	struct pmcgrp_section_key *entry = &reply->entry[reply->nr];

	*entry = (struct pmcgrp_section_key){ .cpu = reply->cpu };
	if (reply->next)
		put_slot(reply, reply->next - 1, entry);
	else
		put_total(reply, entry);
	if (reply->buckets)
		put_buckets(reply, &reply->buckets[reply->nr]);
}

/* Read a chunk.  Slot 0 alone may have counted nothing; then no entry shows it. */
static void section_keys_collect(struct reply *reply)
{
	const struct pmcgrp_section_table *table = reply->section->table;
	u32 end = table ? pmcgrp_section_table_used(table, reply->cpu) + 2 : 1;
	u32 chunk = reply->buckets ? CHUNK_BUCKETS : CHUNK;
	u32 stop = min3(end, reply->next + chunk, reply->next + reply->max - reply->nr);

	for (; reply->next < stop; reply->next++) {
		reply->next = array_index_nospec(reply->next, stop);
		put_entry(reply);
		if (reply->entry[reply->nr].count || !reply->next)
			reply->nr++;
	}
	reply->done = reply->next >= end;
}

static void section_keys_collect_here(void *info)
{
	pmcgrp_recursion_enter();
	section_keys_collect(info);
	pmcgrp_recursion_leave();
}

/* One that goes offline meanwhile counts nothing any more. */
static void section_keys_collect_cpu(struct reply *reply)
{
	reply->done = false;
	while (!reply->done && reply->nr < reply->max) {
		if (smp_call_function_single(reply->cpu, section_keys_collect_here, reply, 1))
			section_keys_collect(reply);
		cond_resched();
	}
}

static u64 cursor_of(const struct reply *reply)
{
	return (u64)reply->cpu << 32 | reply->next;
}

static u64 collect_all(struct reply *reply)
{
	while (reply->nr < reply->max) {
		section_keys_collect_cpu(reply);
		if (!reply->done)
			break;
		reply->cpu = cpumask_next(reply->cpu, cpu_possible_mask);
		reply->next = 0;
		if (reply->cpu >= nr_cpu_ids)
			return PMCGRP_SECTION_KEYS_END;
	}
	return cursor_of(reply);
}

/* A section that a caller may see, or NULL. */
static const struct pmcgrp_section *section_of(u64 id, const struct pmcgrp_group_view *view)
{
	const struct pmcgrp_section *section;

	lockdep_assert_held(&pmcgrp_sections_mutex);
	list_for_each_entry(section, &pmcgrp_sections, node)
		if (section->id == id)
			return pmcgrp_view_has(view, section->group) ? section : NULL;
	return NULL;
}

static int section_keys_reply_find(struct reply *reply, const struct pmcgrp_group_view *view,
				   struct pmcgrp_section_keys *arg)
{
	if (mutex_lock_killable(&pmcgrp_sections_mutex))
		return -EINTR;
	reply->section = section_of(arg->id, view);
	if (reply->section) {
		arg->cursor = collect_all(reply);
		arg->by = reply->section->table ? reply->section->table->keyer.type + 1 : 0;
		arg->nr_members = reply->section->group->nr;
	}
	mutex_unlock(&pmcgrp_sections_mutex);
	return reply->section ? 0 : -ENOENT;
}

/* Without a mutex: user memory can take any time to come. */
static int section_keys_reply_copy(const struct reply *reply, const struct pmcgrp_section_keys *arg)
{
	int err = pmcgrp_copy_array(arg->entries, arg->entry_size, reply->entry,
				    sizeof(reply->entry[0]), reply->nr);

	if (err || !reply->buckets)
		return err;
	return pmcgrp_copy_array(arg->buckets, arg->bucket_size, reply->buckets,
				 sizeof(reply->buckets[0]), reply->nr);
}

static struct reply *reply_alloc(const struct pmcgrp_section_keys *arg)
{
	unsigned int max = min(arg->nr_entries, arg->buckets ? BUCKETS_MAX : ENTRIES_MAX);
	struct reply *reply = kvzalloc(struct_size(reply, entry, max), GFP_KERNEL_ACCOUNT);

	if (!reply)
		return NULL;
	reply->max = max;
	if (!arg->buckets)
		return reply;
	reply->buckets = kvcalloc(max, sizeof(reply->buckets[0]), GFP_KERNEL_ACCOUNT);
	if (reply->buckets)
		return reply;
	kvfree(reply);
	return NULL;
}

static void reply_free(struct reply *reply)
{
	kvfree(reply->buckets);
	kvfree(reply);
}

static bool cursor_is_valid(u64 cursor)
{
	return cursor >> 32 < nr_cpu_ids && cpu_possible(cursor >> 32) &&
	       (u32)cursor <= PMCGRP_SPAN_SLOTS_MAX + 2;
}

static int section_keys_check(const struct pmcgrp_section_keys *arg)
{
	int err;

	if (arg->flags || arg->__reserved || !arg->nr_entries ||
	    (!arg->buckets && arg->bucket_size))
		return -EINVAL;
	err = pmcgrp_stride_check(arg->entry_size, PMCGRP_SECTION_KEY_SIZE_VER0);
	if (err || !arg->buckets)
		return err;
	return pmcgrp_stride_check(arg->bucket_size, PMCGRP_SECTION_KEY_BUCKETS_SIZE_VER0);
}

static int answer(struct pmcgrp_section_keys *arg, const struct pmcgrp_group_view *view)
{
	struct reply *reply = reply_alloc(arg);
	int err;

	if (!reply)
		return -ENOMEM;
	reply->cpu = array_index_nospec((u32)(arg->cursor >> 32), nr_cpu_ids);
	reply->next = arg->cursor;
	err = section_keys_reply_find(reply, view, arg);
	if (!err)
		err = section_keys_reply_copy(reply, arg);
	arg->nr_entries = reply->nr;
	reply_free(reply);
	return err;
}

/**
 * pmcgrp_section_keys - report what a section has counted by CPU and key (PMCGRP_IOC_SECTION_KEYS)
 * @device: file of the device
 * @uarg: user pointer to a struct pmcgrp_section_keys
 *
 * Context: may sleep.
 * Return: 0, or the errno that the uapi header gives; -EINTR if the caller has been killed.
 */
long pmcgrp_section_keys(const struct file *device, void __user *uarg)
{
	struct pmcgrp_section_keys arg;
	struct pmcgrp_group_view view;
	u32 size;
	int err;

	err = pmcgrp_copy_sized(&arg, sizeof(arg), PMCGRP_SECTION_KEYS_SIZE_VER0, uarg);
	if (err)
		return err;
	err = pmcgrp_view_of(&view, device);
	if (err)
		return err;
	if (!arg.cursor)
		arg.cursor = (u64)cpumask_first(cpu_possible_mask) << 32;
	err = section_keys_check(&arg);
	if (err)
		return err;
	if (!cursor_is_valid(arg.cursor))
		return -EINVAL;
	size = min_t(u32, arg.size, sizeof(arg));
	err = answer(&arg, &view);
	return err ?: copy_to_user(uarg, &arg, size) ? -EFAULT : 0;
}
