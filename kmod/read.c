// SPDX-License-Identifier: GPL-2.0-only
/* read(): a group in perf's read_format (view.h). */
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
#include "direct.h"
#include "group.h"
#include "own.h"
#include "read.h"
#include "steer.h"
#include "view.h"

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

/* What a read of a ride that is in here looks at; this CPU's, interrupts off. */
static DEFINE_PER_CPU(struct pmcgrp_snapshot, looks);

/*
 * Reading a group that has one carrier takes no mutex and changes nothing: a ride that is
 * joined on a CPU changes only there, the group's events are constant, and whoever changes
 * what is taken off its counts, or by whose carrier it counts, says so by a seqcount.
 */
struct quick_read {
	const struct pmcgrp_group	*group;
	const struct pmcgrp_group	*source;	/* by whose carrier it counts */
	unsigned int			seq;
	u64				*out;
	unsigned int			n;	/* words, or 0 */
};

static void put_quick(struct quick_read *quick, const struct pmcgrp_snapshot *at)
{
	const struct pmcgrp_group *group = quick->group;
	const struct pmcgrp_view view = { .group = group, .at = at, .zero = &group->zero };
	unsigned int n = pmcgrp_view_put(quick->out, &view) - quick->out;

	if (!read_seqcount_retry(&group->zero_seq, quick->seq))
		quick->n = n;
}

/* Where the carrier is in here, and counts. */
static void quick_read_here(struct quick_read *quick)
{
	const struct pmcgrp_group *source = quick->source;
	struct pmcgrp_ride *ride = pmcgrp_row_here(source)->in;
	struct pmcgrp_snapshot *look = this_cpu_ptr(&looks);

	lockdep_assert_irqs_disabled();
	if (!ride || !ride->joined || ride->error)
		return;
	if (unlikely(source->window.shown) && pmcgrp_direct_is_old(source))
		pmcgrp_direct_show(ride);
	pmcgrp_ride_peek(ride, look, false);
	put_quick(quick, look);
}

/* The same on another CPU: what it takes off the counts has not changed on the way. */
static void quick_read_there(void *info)
{
	struct quick_read *quick = info;

	if (raw_read_seqcount(&quick->group->zero_seq) == quick->seq)
		quick_read_here(quick);
}

/* Where it is in nowhere: what it had counted when it left. */
static noinline_for_stack void quick_read_away(struct quick_read *quick,
					       const struct pmcgrp_ride *ride)
{
	struct pmcgrp_snapshot at __uninitialized;

	/* Pairs with come_back(): not at rest any more, so its time is seen. */
	if (READ_ONCE(ride->error) || smp_load_acquire(&ride->resting))
		return;
	pmcgrp_ride_snapshot(ride, &at);
	put_quick(quick, &at);
}

static __always_inline void quick_read_by(struct quick_read *quick,
					  const struct pmcgrp_group *source)
{
	const struct pmcgrp_ride *ride = source->only;
	unsigned long flags;
	int cpu;

	if (!ride || quick->seq & 1)
		return;
	quick->source = source;
	local_irq_save(flags);
	quick_read_here(quick);
	local_irq_restore(flags);
	if (likely(quick->n))
		return;
	/* Pairs with pmcgrp_gang_leave(): who sees that it has left sees its counts. */
	cpu = smp_load_acquire(&ride->cpu);
	if (cpu < 0)
		quick_read_away(quick, ride);
	else
		smp_call_function_single(cpu, quick_read_there, quick, 1);
}

/* By another group's carrier, which stays for those that read in an RCU section, or by none. */
static noinline_for_stack void quick_read_shared(struct quick_read *quick)
{
	const struct pmcgrp_group *source;

	rcu_read_lock();
	quick->seq = raw_read_seqcount(&quick->group->zero_seq);
	/* Pairs with view_on(). */
	source = smp_load_acquire(&quick->group->by);
	if (source)
		quick_read_by(quick, source);
	rcu_read_unlock();
}

/* Returns the bytes read, or -EAGAIN: it is not the way. */
static noinline_for_stack ssize_t group_read_quick(const struct pmcgrp_group *group,
						   char __user *buf, size_t count)
{
	u64 out[PMCGRP_READ_WORDS_MAX] __uninitialized;
	struct quick_read quick = {
		.group = group, .out = out, .seq = raw_read_seqcount(&group->zero_seq),
	};
	size_t size;

	/* Pairs with view_on() of a group that has got a carrier of its own. */
	if (likely(smp_load_acquire(&group->by) == group))
		quick_read_by(&quick, group);
	else
		quick_read_shared(&quick);
	if (!quick.n)
		return -EAGAIN;
	size = quick.n * sizeof(u64);
	if (count < size)
		return -ENOSPC;
	return copy_to_user(buf, out, size) ? -EFAULT : size;
}

/* Brings the group up to date wherever its carriers are. */
static noinline_for_stack ssize_t group_read_all(struct pmcgrp_group *group, char __user *buf,
						 size_t count)
{
	const struct pmcgrp_view view = {
		.group = group, .at = &group->snap, .zero = &group->zero,
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
	n = pmcgrp_view_put(out, &view) - out;
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
 * struct own_view - what a read of a group with a leader shows
 * @group: whose
 * @format: PERF_FORMAT_*
 * @at: the snapshot
 * @own: what of it is each member's
 * @from: the first member
 * @to: behind the last
 */
struct own_view {
	const struct pmcgrp_group	*group;
	u64				format;
	const struct pmcgrp_snapshot	*at;
	const struct pmcgrp_own		*own;
	unsigned int			from;
	unsigned int			to;
};

/* Counts of each, and the times of the first. */
static unsigned int put_own_view(u64 *out, const struct own_view *view)
{
	bool whole = view->format & PERF_FORMAT_GROUP;
	const struct pmcgrp_group *group = view->group;
	struct pmcgrp_own shown;
	u64 *at = out, lost;
	unsigned int i;

	if (whole)
		*at++ = view->to - view->from;
	for (i = view->from; i < view->to; i++) {
		pmcgrp_own_show(group, i, view->own, view->at, &shown);
		if (whole && i == view->from)
			at = pmcgrp_put_times(at, view->format, shown.enabled, shown.running);
		*at++ = shown.count;
		if (!whole)
			at = pmcgrp_put_times(at, view->format, shown.enabled, shown.running);
		lost = i ? 0 : pmcgrp_lost_of(group, view->format);
		at = pmcgrp_put_id_lost(at, view->format, group->member[i].id, lost);
	}
	return at - out;
}

static size_t own_view_size(const struct own_view *view)
{
	return pmcgrp_read_size(view->format, view->to - view->from);
}

/* Which members a read by a descriptor shows. */
static struct own_view handle_view(const struct pmcgrp_handle *handle)
{
	struct pmcgrp_group *group = handle->group;
	bool whole = handle->read_format & PERF_FORMAT_GROUP && pmcgrp_group_has_leader(group);

	return (struct own_view){
		.group	= group,
		.format	= handle->read_format,
		.at	= &group->snap,
		.own	= group->own,
		.from	= whole ? 0 : handle->index,
		.to	= whole ? group->nr : handle->index + 1,
	};
}

/**
 * pmcgrp_handle_read - read() by a descriptor of a group with a leader
 * @handle: the descriptor; takes the group's mutex
 * @buf: user space's buffer
 * @count: its size in bytes
 *
 * Context: may sleep.
 * Return: as pmcgrp_group_read(); 0 for the leader only.
 */
ssize_t pmcgrp_handle_read(struct pmcgrp_handle *handle, char __user *buf, size_t count)
{
	struct pmcgrp_group *group = handle->group;
	u64 out[PMCGRP_READ_WORDS_MAX] __uninitialized;
	struct own_view view;
	unsigned int n = 0;
	size_t size;

	if (handle == &group->leader && pmcgrp_group_in_error(group))
		return 0;
	mutex_lock(&group->mutex);
	view = handle_view(handle);
	size = own_view_size(&view);
	if (count >= size) {
		pmcgrp_group_refresh(group);
		n = put_own_view(out, &view);
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
		if (pmcgrp_row_of(group, cpu)->own)
			nr++;
	return nr;
}

/* What a read would give of one CPU alone. */
static unsigned int put_ride(u64 *out, struct pmcgrp_group *group, const struct pmcgrp_ride *ride)
{
	struct pmcgrp_snapshot at;
	struct own_view own_view;
	struct pmcgrp_view view;

	pmcgrp_ride_snapshot(ride, &at);
	if (group->own) {
		own_view = handle_view(&group->leader);
		own_view.at = &at;
		own_view.own = ride->own;
		return put_own_view(out, &own_view);
	}
	view = (struct pmcgrp_view){ .group = group, .at = &at, .zero = ride->zero };
	return pmcgrp_view_put(out, &view) - out;
}

static void put_cpus(u64 *out, struct pmcgrp_group *group)
{
	struct pmcgrp_ride *ride;
	int cpu;

	for_each_cpu(cpu, group->cpus) {
		ride = pmcgrp_row_of(group, cpu)->own;
		if (!ride)
			continue;
		*out++ = cpu;
		out += put_ride(out, group, ride);
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
