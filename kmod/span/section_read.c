// SPDX-License-Identifier: GPL-2.0-only
/* What sections and spans have counted, for user space (PMCGRP_IOC_SECTION_NEXT). */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/attr.h"
#include "group/group.h"
#include "group/view.h"
#include "platform/recursion.h"
#include "platform/uapi_copy.h"
#include "set/evlist.h"
#include "span/section.h"
#include "span/span.h"

static_assert(sizeof(struct pmcgrp_section_info) == PMCGRP_SECTION_INFO_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_section_stat) == PMCGRP_SECTION_STAT_SIZE_VER0);
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

/**
 * struct collect - the sum over CPUs of what a section has counted
 * @section: the section
 * @sum: the sum
 */
struct collect {
	const struct pmcgrp_section *section;
	struct pmcgrp_section_cpu *sum;
};

static void collect_from(struct collect *collect, const struct pmcgrp_section_cpu *cpu)
{
	struct pmcgrp_section_cpu *sum = collect->sum;
	unsigned int i;

	sum->count += cpu->count;
	sum->begun += READ_ONCE(cpu->begun);
	sum->ended += READ_ONCE(cpu->ended);
	for (i = 0; i < PMCGRP_MISSED_REASONS; i++)
		sum->missed[i] += cpu->missed[i];
	for (i = 0; i <= collect->section->group->evlist->nr_events; i++)
		stat_merge(&sum->stat[i], &cpu->stat[i]);
}

static void section_collect_here(void *info)
{
	struct collect *collect = info;

	pmcgrp_recursion_enter();
	collect_from(collect, this_cpu_ptr(collect->section->cpu));
	pmcgrp_recursion_leave();
}

/* Sum up, one CPU after the other.  One that goes offline meanwhile counts nothing any more. */
static void section_collect(const struct pmcgrp_section *section, struct pmcgrp_section_cpu *sum)
{
	struct collect collect = { .section = section, .sum = sum };
	unsigned int i;
	int cpu;

	for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++)
		pmcgrp_section_stat_init(&sum->stat[i]);
	for_each_possible_cpu(cpu)
		if (smp_call_function_single(cpu, section_collect_here, &collect, 1))
			collect_from(&collect, per_cpu_ptr(section->cpu, cpu));
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

/**
 * struct reply - what is reported of a section
 * @info: of the section
 * @stat: time, and each member
 * @sum: scratch: the sum over CPUs
 */
struct reply {
	struct pmcgrp_section_info info;
	struct pmcgrp_section_stat stat[PMCGRP_SECTION_MEMBERS_MAX + 1];
	struct pmcgrp_section_cpu sum;
};

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

static void reply_fill(struct reply *reply, const struct pmcgrp_section *section)
{
	struct pmcgrp_section_info *info = &reply->info;
	const struct pmcgrp_group *group = section->group;
	struct pmcgrp_section_stat *stat = reply->stat;
	unsigned int i;

	section_collect(section, &reply->sum);
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
	stat[0] = reply->sum.stat[0];
	for (i = 0; i < group->nr; i++) {
		stat[i + 1] = reply->sum.stat[group->member[i].event + 1];
		member_fill(&stat[i + 1], &group->member[i].attr);
	}
	for (i = 0; !info->count && i <= group->nr; i++)
		stat[i].min = 0;
}

static int section_reply_find(struct reply *reply, const struct pmcgrp_group_view *view)
{
	const struct pmcgrp_section *section;

	if (mutex_lock_killable(&pmcgrp_sections_mutex))
		return -EINTR;
	section = section_from(reply->info.id, view);
	if (section)
		reply_fill(reply, section);
	mutex_unlock(&pmcgrp_sections_mutex);
	return section ? 0 : -ENOENT;
}

/* Without a mutex: user memory can take any time to come. */
static int section_reply_copy(struct reply *reply, void __user *uarg)
{
	const struct pmcgrp_section_info *info = &reply->info;
	u32 nr = min(info->nr_stats, info->nr_members + 1);
	u32 size = min_t(u32, info->size, sizeof(*info));

	reply->info.size = sizeof(*info);
	if (pmcgrp_copy_array(info->stats, info->stat_size, reply->stat, sizeof(reply->stat[0]),
			      nr) ||
	    copy_to_user(uarg, info, size))
		return -EFAULT;
	return 0;
}

/**
 * pmcgrp_section_next_ioctl - report what a section has counted (PMCGRP_IOC_SECTION_NEXT)
 * @device: file of the device
 * @uarg: user pointer to a struct pmcgrp_section_info
 *
 * Context: may sleep.
 * Return: 0, or the errno that the uapi header gives; -EINTR if the caller has been killed.
 */
long pmcgrp_section_next_ioctl(const struct file *device, void __user *uarg)
{
	struct pmcgrp_section_info info;
	struct pmcgrp_group_view view;
	struct reply *reply;
	int err;

	err = pmcgrp_copy_sized(&info, sizeof(info), PMCGRP_SECTION_INFO_SIZE_VER0, uarg);
	if (err)
		return err;
	if (info.flags || info.__reserved)
		return -EINVAL;
	err = pmcgrp_stride_check(info.stat_size, PMCGRP_SECTION_STAT_SIZE_VER0);
	if (!err)
		err = pmcgrp_view_of(&view, device);
	if (err)
		return err;
	reply = kvzalloc(sizeof(*reply), GFP_KERNEL_ACCOUNT);
	if (!reply)
		return -ENOMEM;
	reply->info = info;
	err = section_reply_find(reply, &view);
	if (!err)
		err = section_reply_copy(reply, uarg);
	kvfree(reply);
	return err;
}
