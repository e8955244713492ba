// SPDX-License-Identifier: GPL-2.0-only
/*
 * Crews: one carrier schedules the sets of several groups of a task, whatever they count.  A
 * context switch does not visit sets that only wait.  So its cost does not depend on their number.
 * (Groups that count the same events share one set: share.c.)
 *
 * The first group of a task has a carrier of its own, which costs least.  The second group
 * creates a crew with a carrier, and later groups join it.  If the set of the first group waited,
 * it is placed after the crew's sets.  These keep the order of the last rotation.
 *
 * A set that finds no room beside CREW_WAITING others rests after a rotation: it is in no list of
 * a CPU.  Before each rotation the sets that have rested longest are scheduled in again.  All
 * sets are placed in the order of their vruntime, and others rest.  The time_enabled of a resting
 * set follows the time of its crew.
 *
 * Locks: while the carrier is scheduled in, its CPU accesses the crew with interrupts off.  While
 * the carrier is scheduled in nowhere, the holder of @lock does.  The carrier takes the lock to
 * change between both.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "carrier.h"
#include "crew.h"
#include "sched.h"
#include "group.h"
#include "evset.h"
#include "rotate.h"
#include "group_evsets.h"

/*
 * Sets that wait beside the sets on the PMU: each switch to the task visits them.  Together with
 * CREW_BACK sets they are more than a rotation tries (PLACE_TRIES).
 */
#define CREW_WAITING 4

/* Resting sets that are scheduled in again before a rotation. */
#define CREW_BACK 8

/* Crews, and groups with a carrier of their own, by task; pmcgrp_groups_mutex. */
static DEFINE_HASHTABLE(crews, 8);
static DEFINE_HASHTABLE(firsts, 8);

static unsigned long key_of(const struct task_struct *task)
{
	return (unsigned long)task;
}

static struct pmcgrp_crew *find_crew(const struct task_struct *task)
{
	struct pmcgrp_crew *crew;

	/* A task may live on when its carriers have ended: execve() of a set-uid program. */
	hash_for_each_possible(crews, crew, node, key_of(task))
		if (crew->task == task && !pmcgrp_carrier_has_ended(crew->carrier))
			return crew;
	return NULL;
}

/* A group's carrier holds its task (kernel/events/core.c: perf_event_alloc()). */
static bool task_has_first(const struct task_struct *task)
{
	const struct pmcgrp_group *group;

	hash_for_each_possible(firsts, group, first_node, key_of(task))
		if (group->only->task == task)
			return true;
	return false;
}

/**
 * pmcgrp_crew_note_first - note that a group has a carrier of its own
 * @group: the group
 * @task: the task that the carrier follows
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_crew_note_first(struct pmcgrp_group *group, const struct task_struct *task)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (pmcgrp_group_may_share(group))
		hash_add(firsts, &group->first_node, key_of(task));
}

/**
 * pmcgrp_crew_forget_first - undo pmcgrp_crew_note_first(), done or not
 * @group: the group, which still has its carrier
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_crew_forget_first(struct pmcgrp_group *group)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	hash_del(&group->first_node);
}

/* Tell the first groups of a task whether the carrier of a crew is scheduled in after theirs. */
static void note_crew_after(const struct task_struct *task, bool has_crew)
{
	struct pmcgrp_group *group;

	hash_for_each_possible(firsts, group, first_node, key_of(task))
		if (group->only->task == task)
			WRITE_ONCE(group->only->has_crew_after, has_crew);
}

static struct pmcgrp_crew *crew_create(struct task_struct *task)
{
	struct perf_event_attr attr = { .disabled = 1 }; /* until a set is enabled */
	struct pmcgrp_crew *crew = kzalloc(sizeof(*crew), GFP_KERNEL_ACCOUNT);
	struct perf_event *carrier;

	if (!crew)
		return ERR_PTR(-ENOMEM);
	crew->task = task;
	mutex_init(&crew->mutex);
	raw_spin_lock_init(&crew->lock);
	crew->cpu = -1;
	INIT_LIST_HEAD(&crew->active);
	INIT_LIST_HEAD(&crew->resting);
	carrier = pmcgrp_carrier_create(PMCGRP_CARRIER_CREW, &attr, crew, task, -1);
	if (IS_ERR(carrier)) {
		kfree(crew);
		return ERR_CAST(carrier);
	}
	crew->carrier = carrier;
	hash_add(crews, &crew->node, key_of(task));
	note_crew_after(task, true);
	return crew;
}

static void crew_end(struct pmcgrp_crew *crew)
{
	hash_del(&crew->node);
	note_crew_after(crew->task, false);
	/* After that the carrier is not scheduled in again: see pmcgrp_roots_drop(). */
	perf_event_release_kernel(crew->carrier);
	WARN_ON_ONCE(crew->cpu >= 0 || crew->nr_enabled);
	mutex_destroy(&crew->mutex);
	kfree(crew);
}

/**
 * pmcgrp_crew_join - create the set of a group in the crew of its task, if it is to have one
 * @group: the group, which has no set
 * @task: its target
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's mutex held.
 * Return: a disabled set, for pmcgrp_crew_quit(); NULL if the group is to have a carrier of its
 * own; or an ERR_PTR: -ESRCH for an exiting task, -ENOMEM.
 */
struct pmcgrp_evset *pmcgrp_crew_join(struct pmcgrp_group *group, struct task_struct *task)
{
	struct pmcgrp_crew *crew;
	struct pmcgrp_evset *set;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!pmcgrp_group_may_share(group))
		return NULL;
	crew = find_crew(task);
	if (!crew) {
		if (!task_has_first(task))
			return NULL;
		crew = crew_create(task);
		if (IS_ERR(crew))
			return ERR_CAST(crew);
	}
	set = pmcgrp_evset_of_task(group, task);
	if (!set) {
		if (!crew->nr)
			crew_end(crew);
		return ERR_PTR(-ENOMEM);
	}
	set->crew = crew;
	crew->nr++;
	return set;
}

/**
 * pmcgrp_crew_quit - remove a set from its crew
 * @set: the set, enabled or not
 *
 * Context: may sleep; pmcgrp_groups_mutex and the group's mutex held.
 */
void pmcgrp_crew_quit(struct pmcgrp_evset *set)
{
	struct pmcgrp_crew *crew = set->crew;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	pmcgrp_crew_disable(set);
	set->crew = NULL;
	if (!--crew->nr)
		crew_end(crew);
}

/* The functions from here to crew_do() run where the crew may be accessed. */

static void assert_ours(const struct pmcgrp_crew *crew)
{
	lockdep_assert_irqs_disabled();
	lockdep_assert(crew->cpu < 0 ? lockdep_is_held(&crew->lock) :
				       crew->cpu == smp_processor_id());
}

static u64 crew_time_at(const struct pmcgrp_crew *crew, u64 clock)
{
	return clock > crew->since ? crew->time + clock - crew->since : crew->time;
}

static u64 crew_time(const struct pmcgrp_crew *crew)
{
	return crew->cpu < 0 ? crew->time : crew_time_at(crew, local_clock());
}

/* Advance the time of a resting set to that of its crew; local_clock() may step back. */
static void catch_up_to(struct pmcgrp_evset *set, u64 time)
{
	time = max(time, set->rested);
	write_seqcount_begin(&set->seq);
	set->enabled += time - set->rested;
	write_seqcount_end(&set->seq);
	set->rested = time;
}

static void catch_up(struct pmcgrp_evset *set)
{
	assert_ours(set->crew);
	if (set->resting)
		catch_up_to(set, crew_time(set->crew));
}

static void crew_count(struct pmcgrp_crew *crew, int more)
{
	assert_ours(crew);
	crew->nr_resting += more;
	if (crew->cpu >= 0)
		pmcgrp_this_cpu()->nr_resting = crew->nr_resting;
}

/* Let a set rest.  Its enabled time goes on from where the CPU scheduler's accounting has ended. */
static void begin_rest(struct pmcgrp_evset *set)
{
	pmcgrp_sched_out(set);
	set->rested = crew_time_at(set->crew, set->since);
	WRITE_ONCE(set->resting, true);
	list_move_tail(&set->crew_node, &set->crew->resting);
	crew_count(set->crew, 1);
}

static void end_rest(struct pmcgrp_evset *set)
{
	u64 time;

	crew_count(set->crew, -1);
	list_move_tail(&set->crew_node, &set->crew->active);
	pmcgrp_sched_in(set);
	time = set->is_in ? crew_time_at(set->crew, set->since) : crew_time(set->crew);
	catch_up_to(set, time);
	/* Pairs with fast_read_away(): once @resting is false, its enabled time is complete. */
	smp_store_release(&set->resting, false);
}

static void enable_here(struct pmcgrp_evset *set)
{
	assert_ours(set->crew);
	list_add_tail(&set->crew_node, &set->crew->active);
	if (set->crew->cpu >= 0)
		pmcgrp_sched_in(set);
}

static void disable_here(struct pmcgrp_evset *set)
{
	catch_up(set);
	crew_count(set->crew, -set->resting);
	/* Pairs with fast_read_away(). */
	smp_store_release(&set->resting, false);
	list_del_init(&set->crew_node);
	if (set->cpu >= 0)
		pmcgrp_sched_out(set);
}

struct crew_call {
	struct pmcgrp_evset *set;
	void (*func)(struct pmcgrp_evset *set);
	bool done;
};

static void call_here(void *info)
{
	struct crew_call *call = info;

	/* The carrier cannot leave this CPU during the call. */
	if (READ_ONCE(call->set->crew->cpu) != smp_processor_id())
		return;
	call->func(call->set);
	call->done = true;
}

/* Call a function where the crew may be accessed. */
static void crew_do(struct pmcgrp_evset *set, void (*func)(struct pmcgrp_evset *set))
{
	struct crew_call call = { .set = set, .func = func };
	struct pmcgrp_crew *crew = set->crew;
	unsigned long flags;
	int cpu;

	/* Retry if the task has moved to another CPU. */
	do {
		raw_spin_lock_irqsave(&crew->lock, flags);
		cpu = crew->cpu;
		if (cpu < 0) {
			func(set);
			call.done = true;
		}
		raw_spin_unlock_irqrestore(&crew->lock, flags);
		if (cpu >= 0)
			smp_call_function_single(cpu, call_here, &call, 1);
	} while (!call.done);
}

/**
 * pmcgrp_crew_enable - schedule a set in with its crew from now on
 * @set: the set; an enabled one is left alone
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_crew_enable(struct pmcgrp_evset *set)
{
	struct pmcgrp_crew *crew = set->crew;

	lockdep_assert_held(&set->group->mutex);
	mutex_lock(&crew->mutex);
	if (!set->crew_enabled) {
		set->crew_enabled = true;
		crew_do(set, enable_here);
		if (!crew->nr_enabled++)
			perf_event_enable(crew->carrier);
	}
	mutex_unlock(&crew->mutex);
}

/**
 * pmcgrp_crew_disable - schedule a set out, and complete its sums
 * @set: the set, enabled or not
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_crew_disable(struct pmcgrp_evset *set)
{
	struct pmcgrp_crew *crew = set->crew;

	lockdep_assert_held(&set->group->mutex);
	mutex_lock(&crew->mutex);
	if (set->crew_enabled) {
		set->crew_enabled = false;
		crew_do(set, disable_here);
		if (!--crew->nr_enabled)
			perf_event_disable(crew->carrier);
	}
	mutex_unlock(&crew->mutex);
}

/**
 * pmcgrp_crew_catch_up - update the time of a set that may rest
 * @set: the set
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_crew_catch_up(struct pmcgrp_evset *set)
{
	lockdep_assert_held(&set->group->mutex);
	if (READ_ONCE(set->resting))
		crew_do(set, catch_up);
}

/**
 * pmcgrp_crew_resting_here - check whether a set rests while its crew is in here
 * @set: the set, or NULL
 *
 * Context: interrupts off.
 * Return: @set if it does, or NULL.
 */
const struct pmcgrp_evset *pmcgrp_crew_resting_here(const struct pmcgrp_evset *set)
{
	struct pmcgrp_crew *crew = pmcgrp_this_cpu()->crew;

	return set && crew && set->crew == crew && set->resting ? set : NULL;
}

/* Schedule in the sets of a crew, whose carrier perf core schedules in on this CPU. */
static void crew_in(struct perf_event *carrier)
{
	struct pmcgrp_crew *crew = carrier->pmu_private;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&crew->lock);
	crew->since = local_clock();
	WRITE_ONCE(crew->cpu, smp_processor_id());
	raw_spin_unlock(&crew->lock);
	pcpu->crew = crew;
	pcpu->nr_resting = crew->nr_resting;
	list_for_each_entry(set, &crew->active, crew_node)
		pmcgrp_sched_in(set);
	pmcgrp_sched_in_deferred(pcpu);
	/* Also rotate for a task that never runs for a whole tick. */
	if (!pcpu->usable || (!crew->nr_resting && pcpu->nr_waiting <= CREW_WAITING))
		return;
	if (crew->time - crew->exchanged > pmcgrp_mux_interval_ns()) {
		pcpu->rotate_pending = true;
		irq_work_queue(&pcpu->work);
	}
	pmcgrp_rotate_arm(pcpu);
}

/*
 * Keep the order of the last rotation for the next schedule-in.  So the set that had the counters
 * comes first and finds them idle, and the others do not take them from it.
 */
static void order_as_rotated(struct pmcgrp_cpu *pcpu, struct pmcgrp_crew *crew)
{
	struct pmcgrp_evset *set;

	assert_ours(crew);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->crew == crew && !list_empty(&set->crew_node))
			list_move_tail(&set->crew_node, &crew->active);
}

/* Schedule out the sets of a crew, whose carrier perf core schedules out. */
static void crew_out(struct perf_event *carrier)
{
	struct pmcgrp_crew *crew = carrier->pmu_private;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_evset *set;

	assert_ours(crew);
	if (pcpu->rotated >= crew->since)
		order_as_rotated(pcpu, crew);
	list_for_each_entry(set, &crew->active, crew_node)
		pmcgrp_sched_out(set);
	pcpu->crew = NULL;
	pcpu->nr_resting = 0;
	raw_spin_lock(&crew->lock);
	crew->time = crew_time(crew);
	WRITE_ONCE(crew->cpu, -1);
	raw_spin_unlock(&crew->lock);
}

/**
 * pmcgrp_crew_wake - schedule in the sets that have rested longest, before a rotation
 * @pcpu: this CPU's scheduler
 *
 * Does nothing in perf's slice.
 *
 * Context: interrupts off, not inside perf core.
 */
void pmcgrp_crew_wake(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_crew *crew = pcpu->crew;
	unsigned int n = CREW_BACK;

	lockdep_assert_irqs_disabled();
	if (!crew || pcpu->arbiter.yielding)
		return;
	crew->exchanged = crew_time(crew);
	while (n-- && !list_empty(&crew->resting))
		end_rest(list_first_entry(&crew->resting, struct pmcgrp_evset, crew_node));
}

/**
 * pmcgrp_crew_rest - let sets with the greatest vruntime rest if too many wait after a rotation
 * @pcpu: this CPU's scheduler
 *
 * Does nothing in perf's slice, or while the arbiter requests counters: there may soon be room for
 * all of them.
 *
 * Context: interrupts off, not inside perf core.
 */
void pmcgrp_crew_rest(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set, *next;

	lockdep_assert_irqs_disabled();
	if (!pcpu->crew || pcpu->arbiter.yielding || pcpu->arbiter.busy)
		return;
	/* From the last set in the order of rotation (order_sets()). */
	list_for_each_entry_safe_reverse(set, next, &pcpu->sets, cpu_node) {
		if (pcpu->nr_waiting <= CREW_WAITING)
			break;
		/* Not a set that has got a carrier of its own (pmcgrp_root_part()). */
		if (set->waiting && !list_empty(&set->crew_node))
			begin_rest(set);
	}
}

static const struct pmcgrp_carrier_ops crew_ops = {
	.add = crew_in,
	.del = crew_out,
};

/**
 * pmcgrp_crew_init - set the operations of crews' carriers
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_crew_init(void)
{
	pmcgrp_carrier_register(PMCGRP_CARRIER_CREW, &crew_ops);
}
