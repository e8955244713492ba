// SPDX-License-Identifier: GPL-2.0-only
/*
 * read() of groups and members, in perf's read_format (read_format.h).
 *
 * A group with a single set is read on a fast path, without the mutex.  All other groups are
 * brought up to date by one broadcast (evlist_control.c) and summed up under the mutex.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "abi/abi.h"
#include "group/control.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "group/member.h"
#include "sample/read_format.h"
#include "sample/user_page.h"

/* Scratch values of fast_read_here(); this CPU, interrupts off. */
static DEFINE_PER_CPU(struct pmcgrp_values, fast_values);

/*
 * Fast path: read a group with a single set without its list's mutex, and account nothing.
 *
 * This is safe because a set in a CPU's list changes only on that CPU, and the list's events are
 * constant, or change while pmcgrp_group.zero_seq is odd.  That covers what the group keeps, the
 * values at the last reset and the states of members: @seq is its value at the start of the read.
 * @mfd is the descriptor of a group with a leader, else NULL.
 */
struct fast_read {
	const struct pmcgrp_group *group;
	const struct pmcgrp_member_fd *mfd;
	unsigned int seq;
	u64 *out;
	unsigned int n; /* number of words in @out; 0 if the fast path has failed */
};

/* Whether the only task of a list has exited, but is still counted. */
static bool list_is_leaving(const struct pmcgrp_evlist *evlist)
{
	return evlist->task && pmcgrp_task_is_leaving(evlist->task);
}

/*
 * A task is counted until it is switched from for the last time, a little longer than its parent
 * waits for it.  A process that has seen it exit is to read its final counts.
 */
static void wait_for_exit(const struct pmcgrp_evlist *evlist)
{
	while (list_is_leaving(evlist) && !fatal_signal_pending(current))
		usleep_range(20, 100);
}

/**
 * struct member_view - values and range of a read of a group with a leader
 * @group: the group
 * @format: PERF_FORMAT_*
 * @at: values of the group
 * @member_values: state of each member (struct pmcgrp_member_values)
 * @from: index of the first member
 * @to: index after the last member
 */
struct member_view {
	const struct pmcgrp_group *group;
	u64 format;
	const struct pmcgrp_values *at;
	const struct pmcgrp_member_values *member_values;
	unsigned int from;
	unsigned int to;
};

/* Write the counts of all members in the view, and the times of the first. */
static __always_inline unsigned int put_member_view(u64 *out, const struct member_view *view)
{
	const struct pmcgrp_member_values *member_values = view->member_values + view->from;
	const struct pmcgrp_member_state *member = view->group->member + view->from;
	const struct pmcgrp_member_state *end = view->group->member + view->to;
	struct pmcgrp_member_values values = pmcgrp_member_show(member, member_values, view->at);
	u64 lost = view->from ? 0 : pmcgrp_lost_of(view->group, view->format);
	u64 *at = out;

	if (!(view->format & PERF_FORMAT_GROUP)) {
		*at++ = values.count;
		at = pmcgrp_put_times(at, view->format, values.enabled, values.running);
		return pmcgrp_put_id_lost(at, view->format, member->id, lost) - out;
	}
	*at++ = view->to - view->from;
	at = pmcgrp_put_times(at, view->format, values.enabled, values.running);
	*at++ = values.count;
	at = pmcgrp_put_id_lost(at, view->format, member->id, lost);
	while (++member < end) {
		*at++ = pmcgrp_member_show(member, ++member_values, view->at).count;
		at = pmcgrp_put_id_lost(at, view->format, member->id, 0);
	}
	return at - out;
}

/* The members that a read() of a descriptor shows.  The list's mutex or values_lock held. */
static struct member_view mfd_view(const struct pmcgrp_member_fd *mfd,
				   const struct pmcgrp_values *at)
{
	struct pmcgrp_group *group = mfd->group;
	bool whole = mfd->read_format & PERF_FORMAT_GROUP && pmcgrp_member_has_leader(group);

	return (struct member_view){
		.group = group,
		.format = mfd->read_format,
		.at = at,
		.member_values = group->member_values,
		.from = whole ? 0 : mfd->index,
		.to = whole ? group->nr : mfd->index + 1,
	};
}

/* What a descriptor of a group with a leader shows. */
static unsigned int put_mfd(const struct fast_read *fast, const struct pmcgrp_values *at)
{
	struct pmcgrp_group *group = fast->mfd->group;
	struct member_view view;
	unsigned long flags;
	unsigned int n;

	raw_spin_lock_irqsave(&group->values_lock, flags);
	view = mfd_view(fast->mfd, at);
	n = put_member_view(fast->out, &view);
	raw_spin_unlock_irqrestore(&group->values_lock, flags);
	return n;
}

static unsigned int put_group(const struct fast_read *fast, const struct pmcgrp_values *at)
{
	const struct pmcgrp_group *group = fast->group;
	const struct pmcgrp_read_values view = { .group = group, .at = at, .zero = &group->zero };

	return pmcgrp_read_put(fast->out, &view) - fast->out;
}

static void put_fast(struct fast_read *fast, const struct pmcgrp_values *at)
{
	unsigned int n = fast->mfd ? put_mfd(fast, at) : put_group(fast, at);

	if (!read_seqcount_retry(&fast->group->zero_seq, fast->seq))
		fast->n = n;
}

/* Read on this CPU, if the set is scheduled in here and enabled. */
static void fast_read_here(struct fast_read *fast)
{
	const struct pmcgrp_group *group = fast->group;
	struct pmcgrp_evset *set = pmcgrp_evcpu_here(group->evlist)->in;
	struct pmcgrp_values *scan = this_cpu_ptr(&fast_values);

	lockdep_assert_irqs_disabled();
	if (!set || !set->is_in || set->error)
		return;
	if (unlikely(group->user_read.page) && pmcgrp_user_page_is_old(group))
		pmcgrp_user_page_publish(set);
	pmcgrp_evset_values(set, scan, false);
	put_fast(fast, scan);
}

/* Read on another CPU (IPI), unless zero_seq has changed in between. */
static void fast_read_there(void *info)
{
	struct fast_read *fast = info;

	if (raw_read_seqcount(&fast->group->zero_seq) == fast->seq)
		fast_read_here(fast);
}

/* Read a set that is scheduled in nowhere: what it had accounted at its last sched-out. */
static noinline_for_stack void fast_read_away(struct fast_read *fast,
					      const struct pmcgrp_evset *set)
{
	struct pmcgrp_values at __uninitialized;

	/* Pairs with end_rest(): once @resting is false, its enabled time is complete. */
	if (READ_ONCE(set->error) || smp_load_acquire(&set->resting))
		return;
	pmcgrp_evset_copy(set, &at);
	put_fast(fast, &at);
}

/* Return the number of words, or 0 if the fast path cannot read the group now. */
static __always_inline unsigned int read_fast(const struct pmcgrp_group *group,
					      const struct pmcgrp_member_fd *mfd, u64 *out)
{
	struct fast_read fast = {
		.group = group,
		.mfd = mfd,
		.out = out,
		.seq = raw_read_seqcount(&group->zero_seq),
	};
	const struct pmcgrp_evset *set = group->evlist->only;
	unsigned long flags;
	int cpu;

	if (!set || fast.seq & 1 || group->keeps)
		return 0;
	local_irq_save(flags);
	fast_read_here(&fast);
	local_irq_restore(flags);
	if (likely(fast.n) || list_is_leaving(group->evlist))
		return fast.n;
	/* Pairs with pmcgrp_sched_out(): once @cpu is -1, its counts are complete. */
	cpu = smp_load_acquire(&set->cpu);
	if (cpu < 0)
		fast_read_away(&fast, set);
	else
		smp_call_function_single(cpu, fast_read_there, &fast, 1);
	return fast.n;
}

/* Slow path: bring the group up to date on all CPUs, and read the sum.  Return as read_words(). */
static noinline_for_stack ssize_t read_all(struct pmcgrp_group *group, u64 *out, size_t count)
{
	struct pmcgrp_read_values view = { .group = group };
	size_t size = pmcgrp_read_format_size(group->read_format, group->nr);
	unsigned int n;

	if (pmcgrp_evlist_in_error(group->evlist))
		return 0;
	if (count < size)
		return -ENOSPC;

	wait_for_exit(group->evlist);
	if (!pmcgrp_group_lock(group))
		return -EINTR;
	view.at = pmcgrp_control_refresh(group, &view.zero);
	n = pmcgrp_read_put(out, &view) - out;
	mutex_unlock(&group->evlist->mutex);
	return WARN_ON_ONCE(n * sizeof(u64) != size) ? -EIO : size;
}

/* Return the number of bytes in @out, of which @count are wanted at most; or an errno. */
static __always_inline ssize_t read_words(struct pmcgrp_group *group, u64 *out, size_t count)
{
	size_t size = read_fast(group, NULL, out) * sizeof(u64);

	if (unlikely(!size))
		return read_all(group, out, count);
	return count < size ? -ENOSPC : size;
}

/**
 * pmcgrp_read_group - read() a group without a leader
 * @group: the group; the slow path takes the list's mutex
 * @buf: user buffer
 * @count: size of @buf in bytes
 *
 * Context: may sleep.
 * Return: the number of bytes written; 0 for a pinned group in error; -ENOSPC if @count is
 * too small; -EFAULT; -EINTR if the caller has been killed.
 */
ssize_t pmcgrp_read_group(struct pmcgrp_group *group, char __user *buf, size_t count)
{
	u64 out[PMCGRP_READ_WORDS_MAX] __uninitialized;
	ssize_t size = read_words(group, out, count);

	return size > 0 && copy_to_user(buf, out, size) ? -EFAULT : size;
}

/* Read into room for PMCGRP_READ_WORDS_MAX words.  As pmcgrp_read_group(). */
ssize_t pmcgrp_read_group_words(struct pmcgrp_group *group, u64 *out)
{
	return read_words(group, out, SIZE_MAX);
}

/*
 * Read a list's only set, for several groups that share the list.  From a task, not inside perf
 * core.  Return: whether the set is scheduled in on this CPU, and counts.
 */
bool pmcgrp_read_scan(const struct pmcgrp_evlist *evlist, struct pmcgrp_scan *scan)
{
	struct pmcgrp_evset *set;
	unsigned long flags;
	bool here;

	if (!READ_ONCE(evlist->is_shareable) || !evlist->follower->has_one_set)
		return false;
	local_irq_save(flags);
	set = pmcgrp_evcpu_here(evlist)->in;
	here = set && set->is_in;
	if (here) {
		scan->changes = READ_ONCE(evlist->changes);
		pmcgrp_evset_values(set, &scan->at, false);
	}
	local_irq_restore(flags);
	return here;
}

/*
 * Write what a group shows of such a reading.  Any context.  Return: the number of bytes; 0 if a
 * group has changed since, or shows something else.
 */
size_t pmcgrp_read_show(const struct pmcgrp_group *group, const struct pmcgrp_scan *scan,
			u64 *out)
{
	struct fast_read fast = {
		.group = group,
		.out = out,
		.seq = raw_read_seqcount(&group->zero_seq),
	};

	if (fast.seq & 1 || group->keeps)
		return 0;
	put_fast(&fast, &scan->at);
	/* Pairs with control_change_begin(). */
	return READ_ONCE(group->evlist->changes) == scan->changes ? fast.n * sizeof(u64) : 0;
}

/* As read_all(). */
static noinline_for_stack ssize_t read_member_slow(struct pmcgrp_member_fd *mfd, u64 *out,
						   size_t count)
{
	struct pmcgrp_group *group = mfd->group;
	struct member_view view;
	unsigned int n = 0;
	size_t size;

	if (mfd == &group->leader && pmcgrp_evlist_in_error(group->evlist))
		return 0;
	wait_for_exit(group->evlist);
	if (mutex_lock_killable(&group->evlist->mutex))
		return -EINTR;
	view = mfd_view(mfd, group->evlist->total);
	size = pmcgrp_read_format_size(view.format, view.to - view.from);
	if (count >= size) {
		pmcgrp_evlist_refresh(group->evlist);
		n = put_member_view(out, &view);
	}
	mutex_unlock(&group->evlist->mutex);

	if (count < size)
		return -ENOSPC;
	return WARN_ON_ONCE(n * sizeof(u64) != size) ? -EIO : size;
}

/**
 * pmcgrp_read_member - read a descriptor of a group with a leader
 * @mfd: the descriptor; the slow path takes the list's mutex
 * @out: room for PMCGRP_READ_WORDS_MAX words
 * @count: how many bytes are wanted at most
 *
 * Context: may sleep.
 * Return: as pmcgrp_read_group(); 0 for the leader's descriptor only.
 */
ssize_t pmcgrp_read_member(struct pmcgrp_member_fd *mfd, u64 *out, size_t count)
{
	size_t size = read_fast(mfd->group, mfd, out) * sizeof(u64);

	if (unlikely(!size))
		return read_member_slow(mfd, out, count);
	return count < size ? -ENOSPC : size;
}

/* The number of CPUs that have counted so far. */
static unsigned int cpus_that_count(const struct pmcgrp_evlist *evlist)
{
	unsigned int nr = 0;
	int cpu;

	for_each_cpu(cpu, evlist->cpus)
		if (pmcgrp_evcpu_of(evlist, cpu)->cpu_set)
			nr++;
	return nr;
}

/*
 * Write what a read() would give for one CPU alone.  @whole: what it gives for the group.  Return
 * the number of words.
 */
static unsigned int put_evset(u64 *out, struct pmcgrp_group *group, const struct pmcgrp_evset *set,
			      const struct pmcgrp_read_values *whole)
{
	struct pmcgrp_values at;
	struct member_view member_view;
	struct pmcgrp_read_values view;

	pmcgrp_evset_copy(set, &at);
	if (group->member_values) {
		member_view = mfd_view(&group->leader, &at);
		member_view.member_values = set->member_values;
		return put_member_view(out, &member_view);
	}
	if (!group->cpu_zero)
		return pmcgrp_read_put(out, whole) - out;
	view = (struct pmcgrp_read_values){ .group = group, .at = &at };
	pmcgrp_control_show(group, &view.at, &view.zero, pmcgrp_group_cpu_zero(group, set->home));
	return pmcgrp_read_put(out, &view) - out;
}

static void put_cpus(u64 *out, struct pmcgrp_group *group, const struct pmcgrp_read_values *whole)
{
	struct pmcgrp_evset *set;
	int cpu;

	for_each_cpu(cpu, group->evlist->cpus) {
		set = pmcgrp_evcpu_of(group->evlist, cpu)->cpu_set;
		if (!set)
			continue;
		*out++ = cpu;
		out += put_evset(out, group, set, whole);
	}
}

/*
 * PMCGRP_IOC_READ_CPUS: one record for each CPU.  If the buffer is too small @arg has the size that
 * is needed.  Takes the list's mutex.
 */
int pmcgrp_read_group_cpus(struct pmcgrp_group *group, struct pmcgrp_read_cpus *arg)
{
	struct pmcgrp_read_values whole = { .group = group };
	u64 *out = NULL;
	size_t size;
	int err = 0;

	if (!pmcgrp_group_lock(group))
		return -EINTR;
	arg->record_size = sizeof(u64) + pmcgrp_read_format_size(group->read_format, group->nr);
	arg->nr_cpus = cpus_that_count(group->evlist);
	size = (size_t)arg->nr_cpus * arg->record_size;
	if (arg->buf_size < size) {
		err = -ENOSPC;
	} else {
		out = kvmalloc(size, GFP_KERNEL_ACCOUNT);
		if (out) {
			whole.at = pmcgrp_control_refresh(group, &whole.zero);
			put_cpus(out, group, &whole);
		} else {
			err = -ENOMEM;
		}
	}
	mutex_unlock(&group->evlist->mutex);
	if (!err && copy_to_user(u64_to_user_ptr(arg->buf), out, size))
		err = -EFAULT;
	kvfree(out);
	return err;
}
