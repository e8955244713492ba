// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gangs: who is on this CPU now, from coming in to leaving.
 *
 * A CPU's gang is the sets of active groups whose carriers are in there.  rotate.c
 * decides which of them count.
 *
 * Context: everything about a gang happens on its own CPU with interrupts off:
 * in perf core's scheduling of the carriers (under its ctx->lock, possibly in
 * the scheduler under the run-queue lock), in the gang's own hard hrtimer, or in
 * a hard irq_work or IPI.  Interrupts off is all the locking there is, on PREEMPT_RT too.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "core_pmu.h"
#include "sched.h"
#include "group.h"
#include "placement.h"
#include "recursion.h"
#include "evset.h"
#include "counter.h"
#include "rotate.h"

DEFINE_PER_CPU(struct pmcgrp_cpu, pmcgrp_cpus);
u64 pmcgrp_interval_ns; /* constant after init */

/**
 * pmcgrp_cpu_of - a CPU's gang
 * @cpu: the CPU
 */
struct pmcgrp_cpu *pmcgrp_cpu_of(int cpu)
{
	return per_cpu_ptr(&pmcgrp_cpus, cpu);
}

typedef int (*counters_attach_t)(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
				 unsigned int nr);

/* Find a place for a set that has come in. */
static __always_inline void sched_place(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set,
					counters_attach_t attach)
{
	struct pmcgrp_counter *const *counter;

	if (!pcpu->usable || set->error)
		return;
	counter = pmcgrp_row_counters(pmcgrp_row_here(set->group), pcpu->generation);
	if (!counter || (set->nr_hw < set->nr && attach(counter, set->nr_hw, set->nr)))
		return;
	set->counter = counter;
	if (pmcgrp_rotate_is_crowded(pcpu) && pmcgrp_evset_is_flexible(set) &&
	    !pmcgrp_counters_are_on(counter, set->nr_hw))
		pmcgrp_rotate_set_waiting(pcpu, set, true); /* its turn will come */
	else if (!pmcgrp_rotate_place(pcpu, set))
		pmcgrp_rotate_make_room(pcpu, set);
	pmcgrp_rotate_arm(pcpu);
}

static void sched_drop_counters(struct pmcgrp_evset *set)
{
	if (set->counter && set->nr_hw < set->nr)
		pmcgrp_counters_detach(set->counter, set->nr_hw, set->nr);
	set->counter = NULL;
}

static __always_inline void sched_enable(struct pmcgrp_evset *set, counters_attach_t attach)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (set->is_in)
		return;
	/* Pairs with pmcgrp_group_thaw(): not frozen any more, so the new events are seen. */
	if (smp_load_acquire(&set->group->frozen))
		return; /* it is started when the group is thawed */
	pmcgrp_recursion_enter();
	set->is_in = true;
	/* Tasks that a group counts one after the other have their turns as one. */
	if (!set->enabled)
		set->vruntime = READ_ONCE(set->group->vruntime);
	pmcgrp_evset_start(set);
	list_add_tail(&set->cpu_node, &pcpu->sets);
	pcpu->nr_evsets++;
	sched_place(pcpu, set, attach);
	if (!set->on)
		pmcgrp_evset_account(set); /* its time of waiting starts */
	pmcgrp_recursion_leave();
}

/**
 * pmcgrp_sched_enable - the group of a set that is in here has been enabled
 * @set: its set; one that counts already is left alone
 *
 * Never fails: a set without room waits, and its enabled time runs.
 *
 * Context: interrupts off, in an interrupt or a task that holds no lock of perf's.
 */
void pmcgrp_sched_enable(struct pmcgrp_evset *set)
{
	/* A pinned one that could not be placed tries again. */
	if (set->is_in && set->pinned && !set->on)
		pmcgrp_sched_disable(set);
	sched_enable(set, pmcgrp_counters_attach_unlocked);
}

/**
 * pmcgrp_sched_enable_locked - the same under perf core's ctx->lock
 * @set: its set
 *
 * Context: interrupts off, this CPU's ctx->lock held.
 */
void pmcgrp_sched_enable_locked(struct pmcgrp_evset *set)
{
	sched_enable(set, pmcgrp_counters_attach);
}

static __always_inline void sched_disable(struct pmcgrp_evset *set)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	bool was_on = set->on;

	if (!set->is_in)
		return;
	pmcgrp_recursion_enter();
	if (was_on)
		pmcgrp_rotate_off(pcpu, set);
	else
		pmcgrp_evset_account(set);
	WRITE_ONCE(set->group->vruntime, set->vruntime);
	pmcgrp_rotate_set_waiting(pcpu, set, false);
	list_del_init(&set->cpu_node);
	pcpu->nr_evsets--;
	sched_drop_counters(set);
	set->is_in = false;
	pmcgrp_recursion_leave();
	pmcgrp_rotate_arm(pcpu);
	/* For others, but not now: core may hold the PMU, and others may leave too. */
	if (unlikely(pcpu->nr_waiting) && was_on && set->nr_hw)
		irq_work_queue(&pcpu->work);
}

/**
 * pmcgrp_sched_disable - a set that is in here counts no more; its sums are complete
 * @set: the set
 *
 * Context: interrupts off; perf core's ctx->lock may be held.
 */
void pmcgrp_sched_disable(struct pmcgrp_evset *set)
{
	sched_disable(set);
}

static __always_inline void sched_in(struct pmcgrp_evset *set, counters_attach_t attach)
{
	int cpu = smp_processor_id();

	WRITE_ONCE(set->cpu, cpu);
	pmcgrp_row_of(set->group, cpu)->in = set;
	/* Either this sees the group active or its enabler sees the set here; as for frozen. */
	smp_mb();
	if (READ_ONCE(set->group->active))
		sched_enable(set, attach);
}

/**
 * pmcgrp_sched_in - a carrier has come in on this CPU
 * @set: its set
 *
 * Context: interrupts off, under perf core's ctx->lock.
 */
void pmcgrp_sched_in(struct pmcgrp_evset *set)
{
	sched_in(set, pmcgrp_counters_attach);
}

/**
 * pmcgrp_sched_in_unlocked - a set has come in with a carrier that is in here already
 * @set: the set
 *
 * Context: interrupts off, in an interrupt or a task that holds no lock of perf's.
 */
void pmcgrp_sched_in_unlocked(struct pmcgrp_evset *set)
{
	sched_in(set, pmcgrp_counters_attach_unlocked);
}

/**
 * pmcgrp_sched_out - a carrier leaves this CPU; its sums are then complete
 * @set: its set
 *
 * Context: interrupts off, under perf core's ctx->lock.
 */
void pmcgrp_sched_out(struct pmcgrp_evset *set)
{
	sched_disable(set);
	pmcgrp_row_here(set->group)->in = NULL;
	/* Pairs with group_collect_cpus(): who sees that it has left sees what it has counted. */
	smp_store_release(&set->cpu, -1);
}

/**
 * pmcgrp_cpu_flexible_on - whether a set that takes turns has its own now
 * @pcpu: this CPU's
 */
struct pmcgrp_evset *pmcgrp_cpu_flexible_on(struct pmcgrp_cpu *pcpu)
{
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && pmcgrp_evset_is_flexible(set))
			return set;
	return NULL;
}

/**
 * pmcgrp_cpu_has_pinned - whether a pinned set has hardware counters now
 * @pcpu: this CPU's
 *
 * Context: interrupts off.
 */
bool pmcgrp_cpu_has_pinned(const struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && set->nr_hw && set->pinned)
			return true;
	return false;
}

static const struct pmcgrp_counter *first_waiting(struct pmcgrp_counter *const *counter,
						  unsigned int nr_hw)
{
	unsigned int i;

	for (i = 0; i < nr_hw; i++)
		if (!counter[i]->on)
			return counter[i];
	return counter[0];
}

static bool has_counter_for(const struct pmcgrp_evset *set, const struct perf_event *wanted)
{
	unsigned int i;

	for (i = 0; i < set->nr_hw; i++)
		if (set->counter[i]->event->pmu == wanted->pmu &&
		    pmcgrp_event_may_use(set->counter[i]->event, wanted))
			return true;
	return false;
}

/**
 * pmcgrp_cpu_blocker - who has counters that a set may want
 * @pcpu: this CPU's
 * @set: the set
 * @counter: its hardware counters, at least one
 *
 * Context: interrupts off.
 * Return: another set that has a counter which the first of these that is not on could have,
 * or NULL if none of the first ones that are looked at has.
 */
const struct pmcgrp_evset *pmcgrp_cpu_blocker(const struct pmcgrp_cpu *pcpu,
					      const struct pmcgrp_evset *set,
					      struct pmcgrp_counter *const *counter)
{
	const struct perf_event *wanted = first_waiting(counter, set->nr_hw)->event;
	const struct pmcgrp_evset *other;
	unsigned int scan = PMCGRP_SCAN_MAX;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(other, &pcpu->sets, cpu_node) {
		if (other != set && other->on && has_counter_for(other, wanted))
			return other;
		if (!--scan)
			break;
	}
	return NULL;
}

/**
 * pmcgrp_cpu_generation - a number that changes whenever a CPU goes or comes
 * @cpu: the CPU
 */
u64 pmcgrp_cpu_generation(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&pmcgrp_cpus, cpu)->generation);
}

/**
 * pmcgrp_cpu_is_usable - whether a CPU's counters are in use
 * @cpu: the CPU; unless it is the caller's, the answer may be old
 */
bool pmcgrp_cpu_is_usable(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&pmcgrp_cpus, cpu)->usable);
}

/**
 * pmcgrp_cpu_is_online - whether a CPU may have counters
 * @cpu: the CPU; unless it is the caller's, the answer may be old
 */
bool pmcgrp_cpu_is_online(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&pmcgrp_cpus, cpu)->online);
}

static void cpu_open_here(void *info)
{
	const u64 *generation = info;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_counter *const *counter;
	struct pmcgrp_evset *set;

	if (!pcpu->online || pcpu->generation != *generation)
		return;
	WRITE_ONCE(pcpu->usable, true);
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		counter = pmcgrp_row_counters(pmcgrp_row_here(set->group), pcpu->generation);
		if (counter && !pmcgrp_counters_attach_unlocked(counter, set->nr_hw, set->nr))
			set->counter = counter;
	}
	pmcgrp_rotate_now(pcpu);
	pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_cpu_open - let sets use a CPU whose counters have been made
 * @cpu: the CPU
 * @generation: the epoch that they were made for
 *
 * If @cpu has gone meanwhile, nothing happens.
 *
 * Context: may sleep; no other opening of @cpu at the same time.
 */
void pmcgrp_cpu_open(int cpu, u64 generation)
{
	smp_call_function_single(cpu, cpu_open_here, &generation, 1);
}

/* Slots made before are of another life of this CPU. */
static void cpu_set_online(struct pmcgrp_cpu *pcpu, bool online)
{
	WRITE_ONCE(pcpu->generation, pcpu->generation + 1);
	WRITE_ONCE(pcpu->online, online);
}

/**
 * pmcgrp_cpu_online - this CPU has come online: its gang may be opened
 *
 * Context: a task bound to this CPU, as a cpuhp callback has it.
 */
void pmcgrp_cpu_online(void)
{
	local_irq_disable();
	cpu_set_online(pmcgrp_this_cpu(), true);
	local_irq_enable();
}

/**
 * pmcgrp_cpu_suspend - what this CPU's counters hold is about to be lost: all off the PMU
 *
 * Who was on waits, and its sums are complete; idle counters go as well.
 *
 * Context: interrupts off, not within perf core.  Until pmcgrp_cpu_resume() nothing else happens
 * here, or pmcgrp_counters_end() keeps all off.
 */
void pmcgrp_cpu_suspend(void)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (!set->on)
			continue;
		pmcgrp_recursion_enter();
		pmcgrp_rotate_off(pcpu, set);
		pmcgrp_rotate_set_waiting(pcpu, set, true);
		pmcgrp_recursion_leave();
	}
	pmcgrp_counters_evict_all();
	pcpu->has_idle = false;
}

/**
 * pmcgrp_cpu_resume - this CPU's counters may be programmed again
 *
 * Context: as pmcgrp_cpu_suspend().
 */
void pmcgrp_cpu_resume(void)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	lockdep_assert_irqs_disabled();
	pmcgrp_rotate_fill(pcpu);
	pmcgrp_rotate_arm(pcpu);
}

/**
 * pmcgrp_cpu_offline - this CPU goes offline: all off the PMU, the timer stopped
 *
 * Context: a task bound to this CPU, interrupts on, as a cpuhp callback has it.
 */
void pmcgrp_cpu_offline(void)
{
	struct pmcgrp_cpu *pcpu;
	struct pmcgrp_evset *set;

	local_irq_disable();
	pcpu = pmcgrp_this_cpu();
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		pmcgrp_recursion_enter();
		if (set->on)
			pmcgrp_rotate_off(pcpu, set);
		pmcgrp_rotate_set_waiting(pcpu, set, false);
		sched_drop_counters(set);
		pmcgrp_recursion_leave();
	}
	pmcgrp_counters_evict_all();
	pcpu->has_idle = false;
	pmcgrp_arbiter_end(pcpu);
	WRITE_ONCE(pcpu->usable, false);
	cpu_set_online(pcpu, false);
	local_irq_enable();

	/* Nothing queues or arms them while closed. */
	irq_work_sync(&pcpu->work);
	irq_work_sync(&pcpu->arbiter.kick);
	hrtimer_cancel(&pcpu->timer);
	timer_delete_sync(&pcpu->arbiter.check_timer);
	pcpu->armed = false;
}

/**
 * pmcgrp_sched_init - once, before any carrier can exist; all gangs are closed
 * @mux_interval_ms: the interval between two turns
 */
void pmcgrp_sched_init(unsigned int mux_interval_ms)
{
	int cpu;

	pmcgrp_interval_ns = (u64)mux_interval_ms * NSEC_PER_MSEC;
	for_each_possible_cpu(cpu) {
		struct pmcgrp_cpu *pcpu = per_cpu_ptr(&pmcgrp_cpus, cpu);

		INIT_LIST_HEAD(&pcpu->sets);
		pcpu->work = IRQ_WORK_INIT_HARD(pmcgrp_rotate_work);
		pcpu->cpu = cpu;
		pmcgrp_arbiter_init(&pcpu->arbiter);
		hrtimer_setup(&pcpu->timer, pmcgrp_rotate_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
}
