// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sections and spans have counted, for user space: in all (PMCGRP_IOC_SECTION_NEXT), and by
 * CPU and key (PMCGRP_IOC_SECTION_KEYS).
 *
 * Entries of a CPU have numbers: 0 is its total, 1 + n is slot n of its table (section_key.c).  A
 * key keeps its slot, so a cursor is a CPU and a number, whatever comes between two calls.
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
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "counter/attr.h"
#include "group/group.h"
#include "group/view.h"
#include "platform/recursion.h"
#include "platform/uapi_copy.h"
#include "set/evlist.h"
#include "span/section.h"
#include "span/section_key.h"
#include "span/span.h"

#define CHUNK 16	 /* entries of one IPI */
#define CHUNK_BUCKETS 2	 /* with histograms */
#define ENTRIES_MAX 256U /* of one ioctl */
#define BUCKETS_MAX 32U	 /* with histograms: 150 KiB */

static_assert(sizeof(struct pmcgrp_section_info) == PMCGRP_SECTION_INFO_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_section_stat) == PMCGRP_SECTION_STAT_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_section_keys) == PMCGRP_SECTION_KEYS_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_section_key) == PMCGRP_SECTION_KEY_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_section_key_buckets) == PMCGRP_SECTION_KEY_BUCKETS_SIZE_VER0);
static_assert((int)PMCGRP_MISSED_REASONS <= PMCGRP_MISSED_ROOM);

static void stat_merge(struct pmcgrp_section_stat *to, const struct pmcgrp_section_stat *from)
{
	unsigned int i;

	to->sum += from->sum;
	to->min = min(to->min, from->min);
	to->max = max(to->max, from->max);
	for (i = 0; i < PMCGRP_SECTION_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

/* The section with the lowest id from @id on that a caller may see, or NULL. */
static const struct pmcgrp_section *section_from(u64 id, const struct pmcgrp_group_view *view)
{
	const struct pmcgrp_section *section;

	lockdep_assert_held(&pmcgrp_sections_mutex);
	list_for_each_entry(section, &pmcgrp_sections, node)
		if (section->id >= id && pmcgrp_view_has(view, section->group))
			return section;
	return NULL;
}

/* Where the time, @i 0, or a member is among the values of its list. */
static unsigned int value_at(const struct pmcgrp_group *group, unsigned int i)
{
	return i ? group->member[i - 1].event + 1 : 0;
}

/**
 * struct reply - what is reported of a section
 * @section: the section
 * @info: of it
 * @stat: time, and each member
 * @sum: scratch: the sum over CPUs
 */
struct reply {
	const struct pmcgrp_section *section;
	struct pmcgrp_section_info info;
	struct pmcgrp_section_stat stat[PMCGRP_SECTION_MEMBERS_MAX + 1];
	struct pmcgrp_section_cpu sum;
};

static void collect_from(struct reply *reply, const struct pmcgrp_section_cpu *cpu)
{
	struct pmcgrp_section_cpu *sum = &reply->sum;
	unsigned int i;

	sum->count += cpu->count;
	sum->begun += READ_ONCE(cpu->begun);
	sum->ended += READ_ONCE(cpu->ended);
	for (i = 0; i < PMCGRP_MISSED_REASONS; i++)
		sum->missed[i] += cpu->missed[i];
	for (i = 0; i <= reply->section->group->evlist->nr_events; i++)
		stat_merge(&sum->stat[i], &cpu->stat[i]);
}

static void section_collect_here(void *info)
{
	struct reply *reply = info;

	pmcgrp_recursion_enter();
	collect_from(reply, this_cpu_ptr(reply->section->cpu));
	pmcgrp_recursion_leave();
}

/* Sum up, one CPU after the other.  One that goes offline meanwhile counts nothing any more. */
static void section_collect(struct reply *reply)
{
	unsigned int i;
	int cpu;

	for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++)
		pmcgrp_section_stat_init(&reply->sum.stat[i]);
	for_each_possible_cpu(cpu)
		if (smp_call_function_single(cpu, section_collect_here, reply, 1))
			collect_from(reply, per_cpu_ptr(reply->section->cpu, cpu));
}

static void span_fill(struct reply *reply, struct pmcgrp_span *span)
{
	struct pmcgrp_section_info *info = &reply->info;

	info->kind = span->ops->kind;
	if (reply->sum.begun > reply->sum.ended)
		info->in_flight = reply->sum.begun - reply->sum.ended;
	if (span->ops->status)
		info->is_gone = span->ops->status(span, reply->sum.missed);
}

static void member_fill(struct pmcgrp_section_stat *stat, const struct perf_event_attr *attr)
{
	stat->type = attr->type;
	stat->config = attr->config;
	stat->config1 = attr->config1;
	stat->config2 = attr->config2;
	stat->config3 = pmcgrp_attr_config3(attr);
	stat->bits = pmcgrp_attr_bits(attr);
}

static void reply_fill(struct reply *reply)
{
	const struct pmcgrp_section *section = reply->section;
	struct pmcgrp_section_info *info = &reply->info;
	const struct pmcgrp_group *group = section->group;
	struct pmcgrp_section_stat *stat = reply->stat;
	unsigned int i;

	section_collect(reply);
	info->id = section->id;
	info->group = group->member[0].id;
	info->nr_members = group->nr;
	info->count = reply->sum.count;
	info->in_flight = 0;
	info->kind = PMCGRP_SECTION_MODULE;
	info->is_gone = 0;
	if (section->span)
		span_fill(reply, section->span);
	memset(info->missed, 0, sizeof(info->missed));
	memcpy(info->missed, reply->sum.missed, sizeof(reply->sum.missed));
	memcpy(info->name, section->name, sizeof(info->name));
	for (i = 0; i <= group->nr; i++) {
		stat[i] = reply->sum.stat[value_at(group, i)];
		if (i)
			member_fill(&stat[i], &group->member[i - 1].attr);
		if (!info->count)
			stat[i].min = 0;
	}
}

static int section_reply_find(struct reply *reply, const struct pmcgrp_group_view *view)
{
	if (mutex_lock_killable(&pmcgrp_sections_mutex))
		return -EINTR;
	reply->section = section_from(reply->info.id, view);
	if (reply->section)
		reply_fill(reply);
	mutex_unlock(&pmcgrp_sections_mutex);
	return reply->section ? 0 : -ENOENT;
}

/* Without a mutex: user memory can take any time to come. */
static int section_reply_copy(struct reply *reply)
{
	struct pmcgrp_section_info *info = &reply->info;

	info->size = sizeof(*info);
	return pmcgrp_copy_array(info->stats, info->stat_size, reply->stat, sizeof(reply->stat[0]),
				 min(info->nr_stats, info->nr_members + 1));
}

/* PMCGRP_IOC_SECTION_NEXT: a struct pmcgrp_section_info.  What a section has counted. */
long pmcgrp_section_next_ioctl(struct file *device, void *arg)
{
	struct pmcgrp_section_info *info = arg;
	struct pmcgrp_group_view view;
	struct reply *reply;
	int err;

	if (info->flags || info->__reserved)
		return -EINVAL;
	err = pmcgrp_stride_check(info->stat_size, PMCGRP_SECTION_STAT_SIZE_VER0);
	if (!err)
		err = pmcgrp_view_of(&view, device);
	if (err)
		return err;
	reply = kvzalloc(sizeof(*reply), GFP_KERNEL_ACCOUNT);
	if (!reply)
		return -ENOMEM;
	reply->info = *info;
	err = section_reply_find(reply, &view) ?: section_reply_copy(reply);
	if (!err)
		*info = reply->info;
	kvfree(reply);
	return err;
}

/**
 * struct keys_reply - entries that are being read
 * @section: the section
 * @cpu: the CPU that is asked
 * @next: number of its next entry
 * @done: it has no more
 * @nr: number of entries so far
 * @max: room for entries
 * @buckets: the histograms of @max entries; NULL: they are not asked for
 * @entry: the entries
 */
struct keys_reply {
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
static void put_total(const struct keys_reply *reply, struct pmcgrp_section_key *entry)
{
	const struct pmcgrp_section_cpu *cpu = per_cpu_ptr(reply->section->cpu, reply->cpu);
	const struct pmcgrp_group *group = reply->section->group;
	const struct pmcgrp_section_stat *from;
	unsigned int i;

	entry->kind = PMCGRP_SECTION_KEY_TOTAL;
	entry->count = cpu->count;
	for (i = 0; entry->count && i <= group->nr; i++) {
		from = &cpu->stat[value_at(group, i)];
		entry->stat[i].sum = from->sum;
		entry->stat[i].min = from->min;
		entry->stat[i].max = from->max;
	}
}

/* The slot that the next entry shows. */
static struct pmcgrp_section_slot *next_slot(const struct keys_reply *reply)
{
	const struct pmcgrp_section_table *table = reply->section->table;

	return pmcgrp_section_slot(table, table->keys.cpu[reply->cpu], reply->next - 1);
}

static void put_slot(const struct keys_reply *reply, struct pmcgrp_section_key *entry)
{
	const struct pmcgrp_group *group = reply->section->group;
	const struct pmcgrp_section_slot *slot = next_slot(reply);
	unsigned int i;

	entry->kind = reply->next > 1 ? PMCGRP_SECTION_KEY_TASKS : PMCGRP_SECTION_KEY_OVERFLOW;
	entry->count = slot->count;
	memcpy(entry->key, slot->key.word, sizeof(entry->key));
	memcpy(entry->comm, slot->comm, sizeof(slot->comm));
	for (i = 0; i <= group->nr; i++)
		entry->stat[i] = slot->stat[value_at(group, i)];
}

static void put_buckets(const struct keys_reply *reply, struct pmcgrp_section_key_buckets *to)
{
	const struct pmcgrp_section *section = reply->section;
	unsigned int i, at;
	const u64 *from;

	/* They are 0. */
	if (reply->next && !section->table->has_buckets)
		return;
	for (i = 0; i <= section->group->nr; i++) {
		at = value_at(section->group, i);
		if (reply->next)
			from = pmcgrp_section_buckets(section->table, next_slot(reply)) +
			       at * PMCGRP_SECTION_BUCKETS;
		else
			from = per_cpu_ptr(section->cpu, reply->cpu)->stat[at].bucket;
		memcpy(to->bucket[i], from, sizeof(to->bucket[i]));
	}
}

/* An entry that was not reported may have been here. */
static void put_entry(struct keys_reply *reply)
{
	struct pmcgrp_section_key *entry = &reply->entry[reply->nr];

	*entry = (struct pmcgrp_section_key){ .cpu = reply->cpu };
	if (reply->next)
		put_slot(reply, entry);
	else
		put_total(reply, entry);
	if (reply->buckets)
		put_buckets(reply, &reply->buckets[reply->nr]);
}

/* Read a chunk.  Slot 0 alone may have counted nothing; then no entry shows it. */
static void section_keys_collect(struct keys_reply *reply)
{
	const struct pmcgrp_section_table *table = reply->section->table;
	u32 end = table ? table->keys.cpu[reply->cpu]->used + 2 : 1;
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

static u64 collect_all(struct keys_reply *reply)
{
	while (reply->nr < reply->max) {
		/* One that goes offline meanwhile counts nothing any more. */
		if (smp_call_function_single(reply->cpu, section_keys_collect_here, reply, 1))
			section_keys_collect(reply);
		cond_resched();
		if (!reply->done)
			continue;
		reply->cpu = cpumask_next(reply->cpu, cpu_possible_mask);
		reply->next = 0;
		if (reply->cpu >= nr_cpu_ids)
			return PMCGRP_SECTION_KEYS_END;
	}
	return (u64)reply->cpu << 32 | reply->next;
}

static int section_keys_reply_find(struct keys_reply *reply, const struct pmcgrp_group_view *view,
				   struct pmcgrp_section_keys *arg)
{
	if (mutex_lock_killable(&pmcgrp_sections_mutex))
		return -EINTR;
	reply->section = section_from(arg->id, view);
	if (reply->section && reply->section->id != arg->id)
		reply->section = NULL;
	if (reply->section) {
		arg->cursor = collect_all(reply);
		arg->by = reply->section->table ? reply->section->table->keys.keyer.type + 1 : 0;
		arg->nr_members = reply->section->group->nr;
	}
	mutex_unlock(&pmcgrp_sections_mutex);
	return reply->section ? 0 : -ENOENT;
}

/* Without a mutex: user memory can take any time to come. */
static int section_keys_reply_copy(const struct keys_reply *reply,
				   const struct pmcgrp_section_keys *arg)
{
	int err = pmcgrp_copy_array(arg->entries, arg->entry_size, reply->entry,
				    sizeof(reply->entry[0]), reply->nr);

	if (err || !reply->buckets)
		return err;
	return pmcgrp_copy_array(arg->buckets, arg->bucket_size, reply->buckets,
				 sizeof(reply->buckets[0]), reply->nr);
}

static struct keys_reply *reply_alloc(const struct pmcgrp_section_keys *arg)
{
	unsigned int max = min(arg->nr_entries, arg->buckets ? BUCKETS_MAX : ENTRIES_MAX);
	size_t buckets = arg->buckets ? max * sizeof(struct pmcgrp_section_key_buckets) : 0;
	struct keys_reply *reply;

	reply = kvzalloc(struct_size(reply, entry, max) + buckets, GFP_KERNEL_ACCOUNT);
	if (!reply)
		return NULL;
	reply->max = max;
	if (arg->buckets)
		reply->buckets = (void *)&reply->entry[max];
	return reply;
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

/*
 * PMCGRP_IOC_SECTION_KEYS: a struct pmcgrp_section_keys.  What a section has counted by CPU and
 * key.
 */
long pmcgrp_section_keys(struct file *device, void *_arg)
{
	struct pmcgrp_section_keys *arg = _arg, out = *arg;
	u64 cursor = arg->cursor ?: (u64)cpumask_first(cpu_possible_mask) << 32;
	struct pmcgrp_group_view view;
	struct keys_reply *reply;
	int err;

	err = pmcgrp_view_of(&view, device) ?: section_keys_check(arg);
	if (err)
		return err;
	if (!cursor_is_valid(cursor))
		return -EINVAL;
	reply = reply_alloc(arg);
	if (!reply)
		return -ENOMEM;
	reply->cpu = array_index_nospec((u32)(cursor >> 32), nr_cpu_ids);
	reply->next = cursor;
	err = section_keys_reply_find(reply, &view, &out) ?: section_keys_reply_copy(reply, arg);
	out.nr_entries = reply->nr;
	kvfree(reply);
	if (!err)
		*arg = out;
	return err;
}
