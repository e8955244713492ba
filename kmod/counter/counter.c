// SPDX-License-Identifier: GPL-2.0-only
/*
 * Add a counter to its PMU, delete it, and read counters: the only file that calls pmu->add() and
 * pmu->del().
 *
 * For perf core a counter's event is disabled (kernel_counter.c).  This file schedules it directly.
 * That relies on a PMU's add, del, read and interrupt paths not reading event->state or
 * event->oncpu.  It holds for drivers/perf/arm_pmu.c and arm_pmuv3.c, for
 * arch/x86/events/core.c, and for the software PMUs of kernel/events/core.c.
 *
 * To "hold" a PMU is to disable it through perf core's nesting count.  The counters of a held
 * PMU stand still.
 *
 * The counters of a set are an array: hardware counters first, those of one PMU adjacent, then
 * software counters (placement.c).
 *
 * Hot path: interrupts off, on the counters' CPU, no locks.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include "compat.h"
#include "counter/counter.h"
#include "platform/counter_reg.h"
#include "platform/recursion.h"
#include "platform/user_access.h"

DEFINE_PER_CPU(unsigned int, pmcgrp_recursion_depth);

/* Hardware counters on the PMUs of this CPU, idle ones included, in the order of their addition. */
DEFINE_PER_CPU(struct list_head, pmcgrp_counters_placed);

/**
 * pmcgrp_counters_init - initialise the lists of counters; once, before any counter exists
 */
void pmcgrp_counters_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(per_cpu_ptr(&pmcgrp_counters_placed, cpu));
}

/**
 * pmcgrp_pmu_hold - hold a PMU, as perf core's static perf_pmu_disable() does
 * @pmu: the PMU
 *
 * The nesting count is perf core's, so sections of both nest in each other.  A set's counters
 * are placed while their PMU is held, so that all of them start at one instant.
 *
 * Context: interrupts off.
 */
void pmcgrp_pmu_hold(struct pmu *pmu)
{
	lockdep_assert_irqs_disabled();
	if (!(*pmcgrp_pmu_disable_count(pmu))++)
		pmu->pmu_disable(pmu);
}

/**
 * pmcgrp_pmu_unhold - undo pmcgrp_pmu_hold(), as perf core's static perf_pmu_enable() does
 * @pmu: the PMU
 *
 * Context: interrupts off.
 */
void pmcgrp_pmu_unhold(struct pmu *pmu)
{
	lockdep_assert_irqs_disabled();
	if (!--(*pmcgrp_pmu_disable_count(pmu)))
		pmu->pmu_enable(pmu);
}

static void counter_hold(const struct pmcgrp_counter *counter)
{
	pmcgrp_pmu_hold(counter->pmu);
}

static void counter_unhold(const struct pmcgrp_counter *counter)
{
	pmcgrp_pmu_unhold(counter->pmu);
}

/**
 * pmcgrp_pmu_restart - make a PMU's driver stop and start the PMU
 * @pmu: the PMU; if perf core holds it, it starts when perf core releases it
 *
 * Drivers make some decisions only when they start a PMU (user_page.c).
 *
 * Context: interrupts off.
 */
void pmcgrp_pmu_restart(struct pmu *pmu)
{
	lockdep_assert_irqs_disabled();
	pmcgrp_pmu_hold(pmu);
	pmcgrp_pmu_unhold(pmu);
}

/**
 * pmcgrp_counters_of_one_pmu - count the leading counters that belong to one PMU
 * @counter: hardware counters of a set: those of one PMU are adjacent
 * @nr: number of them, at least one
 */
unsigned int pmcgrp_counters_of_one_pmu(struct pmcgrp_counter *const *counter, unsigned int nr)
{
	const struct pmu *pmu = counter[0]->pmu;

	while (counter[nr - 1]->pmu != pmu)
		nr--;
	return nr;
}

/**
 * pmcgrp_counters_hold - hold the PMUs of a set until pmcgrp_counters_unhold()
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
 *
 * Nests in perf core's own sections.
 *
 * Context: interrupts off, on the counters' CPU.  Not in a trigger's handler, which may have
 * interrupted the PMU's driver while it starts the PMU.
 */
void pmcgrp_counters_hold(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += pmcgrp_counters_of_one_pmu(counter + i, nr_hw - i))
		counter_hold(counter[i]);
}

/**
 * pmcgrp_counters_unhold - undo pmcgrp_counters_hold()
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
 *
 * Context: as for pmcgrp_counters_hold().
 */
void pmcgrp_counters_unhold(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += pmcgrp_counters_of_one_pmu(counter + i, nr_hw - i))
		counter_unhold(counter[i]);
}

/**
 * pmcgrp_counters_any_held - do pmcgrp_counters_are_held() for a set of several PMUs
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
 *
 * Context: interrupts off, on the counters' CPU.
 */
bool pmcgrp_counters_any_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += pmcgrp_counters_of_one_pmu(counter + i, nr_hw - i))
		if (*pmcgrp_pmu_disable_count(counter[i]->pmu))
			return true;
	return false;
}

/**
 * pmcgrp_counter_add - put a counter on its PMU, unless it is on, and use it
 * @counter: the counter
 *
 * Context: interrupts off, on the counter's CPU.
 * Return: 0, or the PMU's error; after an error nothing has changed.
 */
int pmcgrp_counter_add(struct pmcgrp_counter *counter)
{
	struct perf_event *event = counter->event;
	int err;

	if (!counter->on) {
		/* A driver has moved it to another CPU (uncore.c). */
		if (unlikely(counter->is_cpu_event && READ_ONCE(event->cpu) != counter->cpu))
			return -ENODEV;
		err = counter->pmu->add(event, PERF_EF_START);
		if (err)
			return err;
		counter->on = true;
		if (counter->has_reg)
			counter->reg = pmcgrp_event_reg(event);
		if (!counter->is_software)
			list_add_tail(&counter->placed, this_cpu_ptr(&pmcgrp_counters_placed));
	}
	counter->users++;
	return 0;
}

/**
 * pmcgrp_counter_del - take a counter off its PMU
 * @counter: the counter, which is on; the caller holds the PMU
 *
 * Context: interrupts off, on the counter's CPU.
 */
void pmcgrp_counter_del(struct pmcgrp_counter *counter)
{
	lockdep_assert_irqs_disabled();
	if (!pmcgrp_counter_is_unprogrammed(counter))
		pmcgrp_user_access_zero(counter->event);
	counter->pmu->del(counter->event, 0);
	counter->on = false;
	counter->reg = -1;
	list_del_init(&counter->placed);
}

/**
 * pmcgrp_counter_undo_add - undo pmcgrp_counter_add() in the section that called it
 * @counter: the counter, which leaves the PMU if it was not on before
 *
 * Context: as for pmcgrp_counter_del().
 */
void pmcgrp_counter_undo_add(struct pmcgrp_counter *counter)
{
	if (!--counter->users)
		pmcgrp_counter_del(counter);
}

/*
 * pmu->read() is called only when the hardware has counted more than event->count says.  x86
 * programs a counter in the outermost enable (arch/x86/events/core.c: x86_pmu_enable()), and
 * until then hw.state says UPTODATE.  The clock PMUs of kernel/events/core.c never set hw.state:
 * as the counter is on, their read() is right.  arm_pmu.c stops events before their CPU loses
 * the contents of its registers (cpu_pm_pmu_notify()).
 */
static __always_inline u64 counter_value(const struct pmcgrp_counter *counter)
{
	struct perf_event *event = counter->event;
	struct pmcgrp_reg_read parts;

	if (likely(counter->reg >= 0 && !(event->hw.state & PERF_HES_UPTODATE))) {
		pmcgrp_counter_reg_read(event, counter->reg, &parts);
		return pmcgrp_reg_value(&parts);
	}
	if (!(event->hw.state & PERF_HES_UPTODATE)) {
		/*
		 * For a moment the difference is in neither place: a sample must not read it
		 * then.
		 */
		pmcgrp_recursion_enter();
		counter->pmu->read(event);
		pmcgrp_recursion_leave();
	}
	return local64_read(&event->count);
}

/**
 * pmcgrp_counters_run_while_held - enable PMUs of a set for a reading while perf core holds them
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
 *
 * Everything on these PMUs counts until pmcgrp_counters_stop_again(), perf events included; the
 * members of a perf group count alike.  The nesting count does not change, so a nested hold does
 * not touch the PMU.
 *
 * Context: interrupts off, on the counters' CPU; perf core has placed nothing in its section
 * yet.
 */
void pmcgrp_counters_run_while_held(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct pmu *pmu;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += pmcgrp_counters_of_one_pmu(counter + i, nr_hw - i)) {
		pmu = counter[i]->pmu;
		if (*pmcgrp_pmu_disable_count(pmu))
			pmu->pmu_enable(pmu);
	}
}

/**
 * pmcgrp_counters_stop_again - undo pmcgrp_counters_run_while_held()
 * @counter: the set's counters, hardware ones first
 * @nr_hw: number of hardware counters
 *
 * Context: the section of pmcgrp_counters_run_while_held().
 */
void pmcgrp_counters_stop_again(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct pmu *pmu;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i += pmcgrp_counters_of_one_pmu(counter + i, nr_hw - i)) {
		pmu = counter[i]->pmu;
		if (*pmcgrp_pmu_disable_count(pmu))
			pmu->pmu_disable(pmu);
	}
}

/**
 * pmcgrp_counters_try_read - read the counters of a set once, while they count
 * @counter: the set's counters, placed
 * @nr: number of all counters, at least one
 * @value: out: one for each counter, read in order
 *
 * Not inlined: with one copy of the code the read of a counter takes the same time in all
 * readings.
 *
 * Context: interrupts off, on the counters' CPU.
 * Return: false if an NMI came in between: only the counters read after it include its events.
 */
noinline bool pmcgrp_counters_try_read(struct pmcgrp_counter *const *counter, unsigned int nr,
				       u64 *value)
{
	unsigned int nmis = pmcgrp_nmis_here();

	pmcgrp_assert_here(counter[0]->cpu);
	do {
		*value++ = counter_value(*counter++);
	} while (--nr);
	return likely(nmis == pmcgrp_nmis_here());
}

/* Tries until a reading is taken as it is: NMIs may come as fast as a set is read. */
#define READ_TRIES 8

/**
 * pmcgrp_counters_read - read the counters of a set, while they count
 * @counter: the set's counters, placed
 * @nr: number of all counters, at least one
 * @value: out: one for each counter, read in order without an interrupt in between
 *
 * While a PMU runs, a counter that is read later is ahead of an earlier one: this is its lead.
 * Counts are differences of two readings.  If the PMU runs at both, the lead is the same in
 * both, and not in the difference.  If the PMU is held at both, there is no lead.  So a set is
 * read without stopping the PMU, provided that all readings of one placement find the PMU in the
 * same state.  pmcgrp_evset_read_first() and pmcgrp_evset_read() ensure that.
 *
 * This function takes the PMU in the state that it has.  A trigger's handler reads counters by
 * this function only.
 *
 * An NMI between two reads makes the lead longer: then all counters are read again.
 *
 * Context: interrupts off, on the counters' CPU; NMI included.
 * Return: local_clock() at the end of the reading.
 */
u64 pmcgrp_counters_read(struct pmcgrp_counter *const *counter, unsigned int nr, u64 *value)
{
	unsigned int tries = READ_TRIES;

	while (!pmcgrp_counters_try_read(counter, nr, value) && --tries)
		;
	return local_clock();
}

/**
 * pmcgrp_counters_sync - make drivers update the counters that have counted far
 * @counter: the set's counters, placed
 * @nr_hw: number of hardware counters
 *
 * A register without updates could wrap around: pmcgrp_reg_is_far().  No counter's value
 * changes.
 *
 * Context: interrupts off, on the counters' CPU; in NMI, in a section of pmcgrp_recursion_try().
 */
void pmcgrp_counters_sync(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct perf_event *event;
	struct pmcgrp_reg_read parts;
	unsigned int i;

	pmcgrp_recursion_enter();
	for (i = 0; i < nr_hw; i++) {
		pmcgrp_assert_here(counter[i]->cpu);
		event = counter[i]->event;
		if (counter[i]->reg < 0 || event->hw.state & PERF_HES_UPTODATE)
			continue;
		pmcgrp_counter_reg_read(event, counter[i]->reg, &parts);
		if (pmcgrp_reg_is_far(&parts))
			counter[i]->pmu->read(event);
	}
	pmcgrp_recursion_leave();
}

/*
 * Check whether a counter is in the second half of its period.  So is one whose period_left is
 * used up: its driver has counted past the end, and its interrupt will reload it.
 */
static bool counter_is_low(const struct pmcgrp_counter *counter)
{
	struct pmcgrp_reg_read parts;

	if (counter->reg < 0)
		return false;
	if (local64_read(&counter->event->hw.period_left) <= 0)
		return true;
	pmcgrp_counter_reg_read(counter->event, counter->reg, &parts);
	return pmcgrp_reg_left(&parts) < counter->event->hw.sample_period >> 1;
}

/**
 * pmcgrp_counters_reload - reload the counters of a set that are near their overflow
 * @counter: the set's counters, placed, all with a readable register
 * @nr_hw: number of hardware counters
 *
 * Does what perf core does to start a new period (kernel/events/core.c: __perf_event_period()).
 *
 * Context: interrupts off, on the counters' CPU.
 * Return: true if a register was reloaded.
 */
bool pmcgrp_counters_reload(struct pmcgrp_counter *const *counter, unsigned int nr_hw)
{
	struct perf_event *event;
	bool any = false;
	unsigned int i;

	pmcgrp_assert_here(counter[0]->cpu);
	pmcgrp_recursion_enter();
	pmcgrp_counters_hold(counter, nr_hw);
	for (i = 0; i < nr_hw; i++) {
		if (!counter_is_low(counter[i]))
			continue;
		event = counter[i]->event;
		counter[i]->pmu->stop(event, PERF_EF_UPDATE);
		local64_set(&event->hw.period_left, 0);
		counter[i]->pmu->start(event, PERF_EF_RELOAD);
		any = true;
	}
	pmcgrp_counters_unhold(counter, nr_hw);
	pmcgrp_recursion_leave();
	return any;
}
