// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records at context switches: what is counted between two records of a ring is one task's.
 *
 * The rings of a group that counts several tasks are those of CPUs.  A CPU's set goes on from one
 * task to the next, so a record of its own has what the first one has counted.  It is written
 * when another task comes, not when the first one leaves: most tasks that sleep come back before
 * another one of the group does, and then no record is needed.
 *
 * So at any time the ring knows the task whose counts are not in a record yet, its owner.  As it
 * leaves, its numbers are noted: it may be gone when the record is written.  What is pending as the
 * group is disabled is written then (pmcgrp_ring_flush_group()).
 *
 * Counts are exact to the last event: those of a set that goes out are complete (sched.c), and one
 * that stays is accounted between both tasks.  perf core counts the context switch itself only
 * after the probe, and it is the leaving task's.  Until it has, a sample would show less than the
 * record did: none is taken (pmcgrp_ring_buffer.floor).
 *
 * While the list is frozen, values at a reset change, and nothing is written.
 *
 * Context: a probe on sched_switch: interrupts off, the run-queue lock held, on the ring's CPU.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <uapi/linux/pmcgrp.h>
#include "follow/follow.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "platform/recursion.h"
#include "sample/read_format.h"
#include "sample/ring.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "sample/sample_put.h"
#include "set/evcpu.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"
#include "set/evset.h"

static struct pmcgrp_ring_buffer *ring_of(const struct pmcgrp_evset *set)
{
	const struct pmcgrp_ring_buffers *rings = pmcgrp_group_rings(set->evlist->only_group);

	return rings ? pmcgrp_ring_here(rings) : NULL; /* none: they are being set up */
}

/* No sample is taken before the first member that perf core counts at this switch has gone on. */
static void set_floor(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
		      const struct pmcgrp_values *at)
{
	unsigned int e;

	if (!pmcgrp_evset_counts_switches(set) || !set->on)
		return;
	e = __ffs64(set->switches);
	ring->floor_event = e;
	ring->floor = at->count[e] + 1;
}

/*
 * Write what the owner has counted, unless that is in a record already.  @stays: the set counts the
 * next task, too.
 */
static void write_counts(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring, bool stays)
{
	struct pmcgrp_group *group = ring->rings->group;
	struct pmcgrp_sample_source source = { .group = group, .id = group->leader.id };
	struct pmcgrp_scratch *mine;

	pmcgrp_recursion_enter();
	mine = this_cpu_ptr(pmcgrp_scratch);
	pmcgrp_evset_copy_now(set, &mine->at, stays, true);
	if (set->is_in)
		set_floor(set, ring, &mine->at);
	if (mine->at.enabled != ring->recorded) {
		ring->recorded = mine->at.enabled;
		mine->sample = (struct pmcgrp_sample){
			.rings = ring->rings,
			.source = &source,
			.owner = &ring->owner,
			.cpu = ring->cpu,
			.view = { group, &mine->at, pmcgrp_evset_zero(set, group) },
			.now = pmcgrp_record_time(ring->rings, local_clock()),
		};
		pmcgrp_sample_write(ring, &mine->sample);
	}
	pmcgrp_recursion_leave();
}

/* The same for a set that has come in again with the task that it counted before. */
static void keep_floor(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring)
{
	struct pmcgrp_scratch *mine;

	if (!pmcgrp_evset_counts_switches(set))
		return;
	pmcgrp_recursion_enter();
	mine = this_cpu_ptr(pmcgrp_scratch);
	pmcgrp_evset_copy(set, &mine->at);
	set_floor(set, ring, &mine->at);
	pmcgrp_recursion_leave();
}

/*
 * TGID and PID of a task, also if it has been reaped: it runs on for a while.  In another PID
 * namespace it has none then: -1.
 */
static u64 tid_of(const struct pmcgrp_ring_buffers *rings, struct task_struct *task)
{
	if (likely(rings->kernel_ns))
		return pmcgrp_word(task_tgid_nr(task), task_pid_nr(task));
	return pmcgrp_tid_word(rings, task);
}

/* Where a task goes on in user mode; 0 for one that never does. */
static u64 user_ip_of(struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);

	return !(task->flags & PF_KTHREAD) && user_mode(regs) ? instruction_pointer(regs) : 0;
}

static void by_task_leaves(struct pmcgrp_evset *set, struct task_struct *prev)
{
	struct pmcgrp_ring_buffer *ring = ring_of(set);

	if (!ring || READ_ONCE(set->evlist->frozen))
		return;
	/* Another one than when it came, if it was a thread that executed a program. */
	if (pid_alive(prev) || !ring->has_owner)
		ring->owner.tid = tid_of(ring->rings, prev);
	ring->owner.ip = user_ip_of(prev);
	ring->owner.cgroup = pmcgrp_sample_cgroup(ring->rings, prev);
	ring->has_owner = true;
	if (unlikely(prev->flags & PF_EXITING) && ring->rings->watches_end)
		irq_work_queue(&ring->rings->leave.work);
}

static void by_task_enters(struct pmcgrp_evset *set, struct task_struct *next)
{
	struct pmcgrp_ring_buffer *ring = ring_of(set);
	u64 tid;

	if (!ring || READ_ONCE(set->evlist->frozen))
		return;
	tid = tid_of(ring->rings, next);
	if (ring->has_owner && ring->owner.tid != tid)
		write_counts(set, ring, pmcgrp_evset_stays(set));
	else if (set->is_in && !pmcgrp_evset_stays(set))
		keep_floor(set, ring);
	/* What was counted before there was a ring is nobody's. */
	if (!ring->has_owner && !set->is_in)
		ring->recorded = set->enabled;
	ring->owner = (struct pmcgrp_owner){ .tid = tid };
	ring->has_owner = true;
	ring->stays++;
}

static const struct pmcgrp_switch_ops by_task_ops = {
	.leaves = by_task_leaves,
	.enters = by_task_enters,
};

/**
 * pmcgrp_by_task_begin - write records at context switches from now on
 * @rings: the rings of a group of CPUs or of several tasks, not published yet
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: 0, then pmcgrp_by_task_end() undoes this; or as of pmcgrp_group_show_cpus() and
 * pmcgrp_follow_get().
 */
int pmcgrp_by_task_begin(struct pmcgrp_ring_buffers *rings)
{
	struct pmcgrp_group *group = rings->group;
	struct pmcgrp_evlist *evlist = group->evlist;
	int err = 0;

	if (evlist->follower->has_binding && !group->cpu_zero)
		err = pmcgrp_group_show_cpus(group, evlist->nr_events);
	if (err == -ENOSPC)
		err = -PMCGRP_EMEMORY;
	if (!err)
		err = pmcgrp_follow_get();
	if (!err)
		pmcgrp_evlist_watch_switches(evlist, &by_task_ops);
	return err;
}

/*
 * Write no more records at context switches.  The rings have no mapping any more; the group's sets
 * may still be in.  May sleep.
 */
void pmcgrp_by_task_end(void)
{
	mutex_lock(&pmcgrp_groups_mutex);
	pmcgrp_follow_put();
	mutex_unlock(&pmcgrp_groups_mutex);
}

/*
 * Write what is pending of the task that was counted last on a CPU.  @ring: the ring of the CPU,
 * which is this one or offline; its group is disabled or frozen.
 */
static void by_task_flush(struct pmcgrp_ring_buffer *ring)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(ring->rings->group->evlist, ring->cpu);

	lockdep_assert_irqs_disabled();
	/* One that has run all the time since there is a ring. */
	if (evcpu->in && !ring->has_owner) {
		ring->owner.tid = tid_of(ring->rings, current);
		ring->has_owner = true;
	}
	if (evcpu->in && ring->owner.tid == tid_of(ring->rings, current)) {
		ring->owner.ip = user_ip_of(current);
		ring->owner.cgroup = pmcgrp_sample_cgroup(ring->rings, current);
	}
	if (evcpu->cpu_set && ring->has_owner)
		write_counts(evcpu->cpu_set, ring, false);
}

static bool ring_has_more(const struct pmcgrp_ring_buffer *ring)
{
	return ring && (ring->lost || atomic_long_read(&ring->not_taken) ||
			ring->rings->by_task);
}

static void flush_ring(struct pmcgrp_group *group, struct pmcgrp_ring_buffer *ring)
{
	if (!ring_has_more(ring))
		return;
	if (ring->rings->by_task)
		by_task_flush(ring);
	pmcgrp_sample_write_losses(group, ring);
}

static void ring_flush_here(void *info)
{
	struct pmcgrp_group *group = info;

	flush_ring(group, pmcgrp_ring_here(group->rings));
}

/* Nobody writes to the rings of CPUs that are offline; with cpus_read_lock() they stay so. */
static void flush_offline(struct pmcgrp_group *group, const struct cpumask *cpus)
{
	int cpu;

	for_each_cpu(cpu, cpus) {
		if (cpu_online(cpu))
			continue;
		local_irq_disable();
		flush_ring(group, rcu_dereference_check(group->rings->ring[cpu],
							irqs_disabled()));
		local_irq_enable();
	}
}

/**
 * pmcgrp_ring_flush_group - write what is pending: counts of tasks, LOST and LOST_SAMPLES records
 * @group: the group, with rings; disabled or frozen, so that no sample is written meanwhile
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_ring_flush_group(struct pmcgrp_group *group)
{
	const struct pmcgrp_ring_buffers *rings = group->rings;
	struct pmcgrp_evlist *evlist = group->evlist;
	int cpu;

	pmcgrp_group_assert_locked(group);
	if (!rings->per_cpu) {
		local_irq_disable();
		ring_flush_here(group);
		local_irq_enable();
		return;
	}
	cpumask_clear(evlist->scratch_cpus);
	rcu_read_lock();
	for_each_cpu(cpu, evlist->cpus)
		if (ring_has_more(rcu_dereference(rings->ring[cpu])))
			cpumask_set_cpu(cpu, evlist->scratch_cpus);
	rcu_read_unlock();
	cpus_read_lock();
	on_each_cpu_mask(evlist->scratch_cpus, ring_flush_here, group, true);
	flush_offline(group, evlist->scratch_cpus);
	cpus_read_unlock();
}
