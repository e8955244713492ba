// SPDX-License-Identifier: GPL-2.0-only
/* read(): a group in perf's read_format (read_format.h). */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "user_page.h"
#include "group.h"
#include "member.h"
#include "read.h"
#include "control.h"
#include "read_format.h"

/**
 * pmcgrp_read_size - how many bytes a read gives
 * @read_format: PERF_FORMAT_*
 * @nr: members
 */
size_t pmcgrp_read_size(u64 read_format, unsigned int nr)
{
	unsigned int each = 1, n = 0;

	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		n++;
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		n++;
	if (read_format & PERF_FORMAT_ID)
		each++;
	if (read_format & PERF_FORMAT_LOST)
		each++;
	if (read_format & PERF_FORMAT_GROUP)
		n += 1 + each * nr;
	else
		n += each;
	return n * sizeof(u64);
}

/* What a read of a set that is in here looks at; this CPU's, interrupts off. */
static DEFINE_PER_CPU(struct pmcgrp_values, fast_values);

/*
 * Reading a group that has one carrier takes no mutex and changes nothing: a set that is
 * joined on a CPU changes only there, the group's events are constant, and whoever changes
 * what is taken off its counts, or by whose carrier it counts, says so by a seqcount.
 */
struct fast_read {
	const struct pmcgrp_group *group;
	const struct pmcgrp_group *source; /* by whose carrier it counts */
	unsigned int seq;
	u64 *out;
	unsigned int n; /* words, or 0 */
};

static void put_fast(struct fast_read *fast, const struct pmcgrp_values *at)
{
	const struct pmcgrp_group *group = fast->group;
	const struct pmcgrp_read_values view = { .group = group, .at = at, .zero = &group->zero };
	unsigned int n = pmcgrp_read_put(fast->out, &view) - fast->out;

	if (!read_seqcount_retry(&group->zero_seq, fast->seq))
		fast->n = n;
}

/* Where the carrier is in here, and counts. */
static void quick_read_here(struct fast_read *fast)
{
	const struct pmcgrp_group *source = fast->source;
	struct pmcgrp_evset *set = pmcgrp_row_here(source)->in;
	struct pmcgrp_values *scan = this_cpu_ptr(&fast_values);

	lockdep_assert_irqs_disabled();
	if (!set || !set->is_in || set->error)
		return;
	if (unlikely(source->user_read.page) && pmcgrp_user_page_is_old(source))
		pmcgrp_user_page_publish(set);
	pmcgrp_evset_values(set, scan, false);
	put_fast(fast, scan);
}

/* The same on another CPU: what it takes off the counts has not changed on the way. */
static void quick_read_there(void *info)
{
	struct fast_read *fast = info;

	if (raw_read_seqcount(&fast->group->zero_seq) == fast->seq)
		quick_read_here(fast);
}

/* Where it is in nowhere: what it had counted when it left. */
static noinline_for_stack void quick_read_away(struct fast_read *fast,
					       const struct pmcgrp_evset *set)
{
	struct pmcgrp_values at __uninitialized;

	/* Pairs with come_back(): not at rest any more, so its time is seen. */
	if (READ_ONCE(set->error) || smp_load_acquire(&set->resting))
		return;
	pmcgrp_evset_copy(set, &at);
	put_fast(fast, &at);
}

static __always_inline void quick_read_by(struct fast_read *fast,
					  const struct pmcgrp_group *source)
{
	const struct pmcgrp_evset *set = source->only;
	unsigned long flags;
	int cpu;

	if (!set || fast->seq & 1)
		return;
	fast->source = source;
	local_irq_save(flags);
	quick_read_here(fast);
	local_irq_restore(flags);
	if (likely(fast->n))
		return;
	/* Pairs with pmcgrp_sched_out(): who sees that it has left sees its counts. */
	cpu = smp_load_acquire(&set->cpu);
	if (cpu < 0)
		quick_read_away(fast, set);
	else
		smp_call_function_single(cpu, quick_read_there, fast, 1);
}

/* By another group's carrier, which stays for those that read in an RCU section, or by none. */
static noinline_for_stack void quick_read_shared(struct fast_read *fast)
{
	const struct pmcgrp_group *source;

	rcu_read_lock();
	fast->seq = raw_read_seqcount(&fast->group->zero_seq);
	/* Pairs with view_on(). */
	source = smp_load_acquire(&fast->group->by);
	if (source)
		quick_read_by(fast, source);
	rcu_read_unlock();
}

/* Returns the bytes read, or -EAGAIN: it is not the way. */
static noinline_for_stack ssize_t group_read_quick(const struct pmcgrp_group *group,
						   char __user *buf, size_t count)
{
	u64 out[PMCGRP_READ_WORDS_MAX] __uninitialized;
	struct fast_read fast = {
		.group = group,
		.out = out,
		.seq = raw_read_seqcount(&group->zero_seq),
	};
	size_t size;

	/* Pairs with view_on() of a group that has got a carrier of its own. */
	if (likely(smp_load_acquire(&group->by) == group))
		quick_read_by(&fast, group);
	else
		quick_read_shared(&fast);
	if (!fast.n)
		return -EAGAIN;
	size = fast.n * sizeof(u64);
	if (count < size)
		return -ENOSPC;
	return copy_to_user(buf, out, size) ? -EFAULT : size;
}

/* Brings the group up to date wherever its carriers are. */
static noinline_for_stack ssize_t group_read_all(struct pmcgrp_group *group, char __user *buf,
						 size_t count)
{
	const struct pmcgrp_read_values view = {
		.group = group,
		.at = &group->total,
		.zero = &group->zero,
	};
	u64 out[PMCGRP_READ_WORDS_MAX] __uninitialized;
	size_t size = pmcgrp_read_size(group->read_format, group->nr);
	unsigned int n;

	if (pmcgrp_group_in_error(group))
		return 0;
	if (count < size)
		return -ENOSPC;

	mutex_lock(&group->mutex);
	pmcgrp_group_refresh(group);
	n = pmcgrp_read_put(out, &view) - out;
	mutex_unlock(&group->mutex);

	if (WARN_ON_ONCE(n * sizeof(u64) != size))
		return -EIO;
	return copy_to_user(buf, out, size) ? -EFAULT : size;
}

/**
 * pmcgrp_group_read - read() of a group
 * @group: the group; may take its mutex
 * @buf: user space's buffer
 * @count: its size in bytes
 *
 * Context: may sleep.
 * Return: the bytes written; 0 for a pinned group in error; -ENOSPC if @count is
 * too small (the counts go on), -EFAULT.
 */
ssize_t pmcgrp_group_read(struct pmcgrp_group *group, char __user *buf, size_t count)
{
	ssize_t ret = group_read_quick(group, buf, count);

	return ret == -EAGAIN ? group_read_all(group, buf, count) : ret;
}

/**
 * struct member_view - what a read of a group with a leader shows
 * @group: whose
 * @format: PERF_FORMAT_*
 * @at: the snapshot
 * @member_values: what of it is each member's
 * @from: the first member
 * @to: behind the last
 */
struct member_view {
	const struct pmcgrp_group *group;
	u64 format;
	const struct pmcgrp_values *at;
	const struct pmcgrp_member_values *member_values;
	unsigned int from;
	unsigned int to;
};

/* Counts of each, and the times of the first. */
static unsigned int put_member_view(u64 *out, const struct member_view *view)
{
	bool whole = view->format & PERF_FORMAT_GROUP;
	const struct pmcgrp_group *group = view->group;
	struct pmcgrp_member_values page;
	u64 *at = out, lost;
	unsigned int i;

	if (whole)
		*at++ = view->to - view->from;
	for (i = view->from; i < view->to; i++) {
		pmcgrp_member_show(group, i, view->member_values, view->at, &page);
		if (whole && i == view->from)
			at = pmcgrp_put_times(at, view->format, page.enabled, page.running);
		*at++ = page.count;
		if (!whole)
			at = pmcgrp_put_times(at, view->format, page.enabled, page.running);
		lost = i ? 0 : pmcgrp_lost_of(group, view->format);
		at = pmcgrp_put_id_lost(at, view->format, group->member[i].id, lost);
	}
	return at - out;
}

static size_t member_view_size(const struct member_view *view)
{
	return pmcgrp_read_size(view->format, view->to - view->from);
}

/* Which members a read by a descriptor shows. */
static struct member_view mfd_view(const struct pmcgrp_member_fd *mfd)
{
	struct pmcgrp_group *group = mfd->group;
	bool whole = mfd->read_format & PERF_FORMAT_GROUP && pmcgrp_group_has_leader(group);

	return (struct member_view){
		.group = group,
		.format = mfd->read_format,
		.at = &group->total,
		.member_values = group->member_values,
		.from = whole ? 0 : mfd->index,
		.to = whole ? group->nr : mfd->index + 1,
	};
}

/**
 * pmcgrp_member_fd_read - read() by a descriptor of a group with a leader
 * @mfd: the descriptor; takes the group's mutex
 * @buf: user space's buffer
 * @count: its size in bytes
 *
 * Context: may sleep.
 * Return: as pmcgrp_group_read(); 0 for the leader only.
 */
ssize_t pmcgrp_member_fd_read(struct pmcgrp_member_fd *mfd, char __user *buf, size_t count)
{
	struct pmcgrp_group *group = mfd->group;
	u64 out[PMCGRP_READ_WORDS_MAX] __uninitialized;
	struct member_view view;
	unsigned int n = 0;
	size_t size;

	if (mfd == &group->leader && pmcgrp_group_in_error(group))
		return 0;
	mutex_lock(&group->mutex);
	view = mfd_view(mfd);
	size = member_view_size(&view);
	if (count >= size) {
		pmcgrp_group_refresh(group);
		n = put_member_view(out, &view);
	}
	mutex_unlock(&group->mutex);

	if (count < size)
		return -ENOSPC;
	if (WARN_ON_ONCE(n * sizeof(u64) != size))
		return -EIO;
	return copy_to_user(buf, out, size) ? -EFAULT : size;
}

/* The CPUs that have counted so far. */
static unsigned int cpus_that_count(const struct pmcgrp_group *group)
{
	unsigned int nr = 0;
	int cpu;

	for_each_cpu(cpu, group->cpus)
		if (pmcgrp_row_of(group, cpu)->cpu_set)
			nr++;
	return nr;
}

/* What a read would give of one CPU alone. */
static unsigned int put_evset(u64 *out, struct pmcgrp_group *group, const struct pmcgrp_evset *set)
{
	struct pmcgrp_values at;
	struct member_view member_view;
	struct pmcgrp_read_values view;

	pmcgrp_evset_copy(set, &at);
	if (group->member_values) {
		member_view = mfd_view(&group->leader);
		member_view.at = &at;
		member_view.member_values = set->member_values;
		return put_member_view(out, &member_view);
	}
	view = (struct pmcgrp_read_values){ .group = group, .at = &at, .zero = set->zero };
	return pmcgrp_read_put(out, &view) - out;
}

static void put_cpus(u64 *out, struct pmcgrp_group *group)
{
	struct pmcgrp_evset *set;
	int cpu;

	for_each_cpu(cpu, group->cpus) {
		set = pmcgrp_row_of(group, cpu)->cpu_set;
		if (!set)
			continue;
		*out++ = cpu;
		out += put_evset(out, group, set);
	}
}

/**
 * pmcgrp_group_read_cpus - PMCGRP_IOC_READ_CPUS
 * @group: the group, of CPUs; takes its mutex
 * @arg: in: the buffer; out: how many records of what size
 *
 * Context: may sleep.
 * Return: 0, or -ENOSPC if the buffer is too small (@arg says what is needed),
 * -EFAULT, -ENOMEM.
 */
int pmcgrp_group_read_cpus(struct pmcgrp_group *group, struct pmcgrp_read_cpus *arg)
{
	u64 *out = NULL;
	size_t size;
	int err = 0;

	mutex_lock(&group->mutex);
	arg->record_size = sizeof(u64) + pmcgrp_read_size(group->read_format, group->nr);
	arg->nr_cpus = cpus_that_count(group);
	size = (size_t)arg->nr_cpus * arg->record_size;
	if (arg->buf_size < size) {
		err = -ENOSPC;
	} else {
		out = kvmalloc(size, GFP_KERNEL_ACCOUNT);
		if (out) {
			pmcgrp_group_refresh(group);
			put_cpus(out, group);
		} else {
			err = -ENOMEM;
		}
	}
	mutex_unlock(&group->mutex);
	if (!err && copy_to_user(u64_to_user_ptr(arg->buf), out, size))
		err = -EFAULT;
	kvfree(out);
	return err;
}
