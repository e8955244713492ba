// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contention: on which PMUs of a CPU perf events wait for counters that pmcgrp's sets have, or have
 * counters that these need.  arbiter.c decides what follows from that.
 *
 * Context: as for all of a CPU scheduler (sched.c): its CPU, interrupts off; not inside perf core.
 */
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include "compat.h"
#include "arbiter/contention.h"
#include "arbiter/cpu.h"
#include "arbiter/pinned.h"
#include "counter/carrier.h"
#include "counter/counter.h"
#include "platform/core_pmu.h"
#include "set/evset.h"

/* The position of the first counter of the next PMU; those of one PMU are adjacent. */
static unsigned int next_pmu(struct pmcgrp_counter *const *counter, unsigned int nr_hw,
			     unsigned int i)
{
	return i + pmcgrp_counters_of_one_pmu(counter + i, nr_hw - i);
}

static bool has_pmu(const struct pmcgrp_contended *pmus, const struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < min_t(unsigned int, pmus->nr, PMCGRP_CONTENDED_MAX); i++)
		if (pmus->pmu[i] == pmu)
			return true;
	return pmus->nr > PMCGRP_CONTENDED_MAX;
}

static void add_pmu(struct pmcgrp_contended *pmus, struct pmu *pmu)
{
	if (has_pmu(pmus, pmu))
		return;
	if (pmus->nr < PMCGRP_CONTENDED_MAX)
		pmus->pmu[pmus->nr] = pmu;
	pmus->nr++;
	pmus->may_go |= pmcgrp_pmu_may_go(pmu);
}

/**
 * pmcgrp_contended_by - check whether a set needs counters of PMUs
 * @pmus: the PMUs
 * @counter: hardware counters of the set
 * @nr_hw: their number
 */
bool pmcgrp_contended_by(const struct pmcgrp_contended *pmus, struct pmcgrp_counter *const *counter,
			 unsigned int nr_hw)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < nr_hw; i = next_pmu(counter, nr_hw, i))
		if (has_pmu(pmus, counter[i]->pmu))
			return true;
	return false;
}

/**
 * pmcgrp_contended_add - add PMUs to others
 * @pmus: the others
 * @more: PMUs to be added
 */
void pmcgrp_contended_add(struct pmcgrp_contended *pmus, const struct pmcgrp_contended *more)
{
	unsigned int i;

	for (i = 0; i < min_t(unsigned int, more->nr, PMCGRP_CONTENDED_MAX); i++)
		add_pmu(pmus, more->pmu[i]);
	if (more->nr > PMCGRP_CONTENDED_MAX)
		pmus->nr = more->nr;
	pmus->may_go |= more->may_go;
}

/**
 * pmcgrp_contended_find - find the PMUs that a set needs, and where flexible perf events are on
 * @pmus: out
 * @set: a set with hardware counters
 *
 * Return: whether there are such.
 */
bool pmcgrp_contended_find(struct pmcgrp_contended *pmus, const struct pmcgrp_evset *set)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	*pmus = (struct pmcgrp_contended){ .nr = 0 };
	for (i = 0; i < set->nr_hw; i = next_pmu(set->counter, set->nr_hw, i))
		if (pmcgrp_perf_is_on(set->counter[i]->pmu))
			add_pmu(pmus, set->counter[i]->pmu);
	return pmus->nr;
}

/**
 * pmcgrp_contended_wanted_by - check whether a task has enabled flexible events of PMUs
 * @pmus: the PMUs
 * @ctx: the task's perf context, or NULL
 *
 * Of many events only some are looked at; then the answer is that it has.
 */
bool pmcgrp_contended_wanted_by(const struct pmcgrp_contended *pmus, struct perf_event_context *ctx)
{
	const struct perf_event *event;
	unsigned int scan = PMCGRP_SCAN_MAX;
	bool wanted = false;
	struct rb_node *node;

	lockdep_assert_irqs_disabled();
	lockdep_assert(!pmcgrp_carrier_is_called());
	if (!ctx || RB_EMPTY_ROOT(&ctx->flexible_groups.tree))
		return false;
	raw_spin_lock(&ctx->lock);
	for (node = rb_first(&ctx->flexible_groups.tree); node && !wanted; node = rb_next(node)) {
		event = rb_entry(node, struct perf_event, group_node);
		wanted = !--scan || (event->state >= PERF_EVENT_STATE_INACTIVE &&
				     has_pmu(pmus, event->pmu));
	}
	raw_spin_unlock(&ctx->lock);
	return wanted;
}

/*
 * Whether a flexible event of a PMU waits in a context: it is enabled, of this CPU, and not on.  Of
 * many events only some are looked at; then the answer is that one does.
 */
static bool any_waits(struct perf_event_context *ctx, const struct pmu *pmu)
{
	const struct perf_event *leader;
	unsigned int scan = PMCGRP_SCAN_MAX;
	bool waits = false;
	struct rb_node *node;

	lockdep_assert(!pmcgrp_carrier_is_called());
	if (!ctx)
		return false;
	raw_spin_lock(&ctx->lock);
	for (node = rb_first(&ctx->flexible_groups.tree); node && !waits; node = rb_next(node)) {
		leader = rb_entry(node, struct perf_event, group_node);
		waits = !--scan || (leader->state == PERF_EVENT_STATE_INACTIVE &&
				    (leader->cpu < 0 || leader->cpu == smp_processor_id()) &&
				    pmcgrp_leader_is_of(leader, pmu));
	}
	raw_spin_unlock(&ctx->lock);
	return waits;
}

/**
 * pmcgrp_contention_perf_waits - check whether flexible perf events wait for a PMU on this CPU
 * @pmu: the PMU, with counters of this module
 *
 * perf core notes that they do, but may do so still when they have gone.
 */
bool pmcgrp_contention_perf_waits(struct pmu *pmu)
{
	lockdep_assert_irqs_disabled();
	return pmcgrp_perf_has_waited(pmu) &&
	       (any_waits(pmcgrp_cpu_ctx(pmu), pmu) || any_waits(pmcgrp_current_ctx(), pmu));
}

/**
 * pmcgrp_contended_by_cpu - check whether perf events of the CPU wait, or may be what sets wait for
 * @pmus: PMUs where perf events wait, or keep sets off
 *
 * If the running task has none on these PMUs it is those of the CPU.
 */
bool pmcgrp_contended_by_cpu(const struct pmcgrp_contended *pmus)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (pmus->nr > PMCGRP_CONTENDED_MAX)
		return true;
	for (i = 0; i < pmus->nr; i++)
		if (pmcgrp_perf_has_waited(pmus->pmu[i]) &&
		    any_waits(pmcgrp_cpu_ctx(pmus->pmu[i]), pmus->pmu[i]))
			return true;
	return !pmcgrp_contended_wanted_by(pmus, pmcgrp_current_ctx());
}

static bool any_set_needs(const struct pmcgrp_cpu *pcpu, struct pmu *pmu)
{
	const struct pmcgrp_contended only = { .nr = 1, .pmu = { pmu } };
	unsigned int scan = PMCGRP_SCAN_MAX;
	const struct pmcgrp_evset *set;

	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (set->counter && pmcgrp_contended_by(&only, set->counter, set->nr_hw))
			return true;
		if (!--scan)
			break;
	}
	return false;
}

/**
 * pmcgrp_contended_exist - check whether PMUs that were noted earlier are sure to exist
 * @pmus: the PMUs
 * @pcpu: this CPU's scheduler
 *
 * A PMU's module cannot be unloaded while a set has counters of it.
 */
bool pmcgrp_contended_exist(const struct pmcgrp_contended *pmus, const struct pmcgrp_cpu *pcpu)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < min_t(unsigned int, pmus->nr, PMCGRP_CONTENDED_MAX); i++)
		if (!any_set_needs(pcpu, pmus->pmu[i]))
			return false;
	return true;
}

/**
 * pmcgrp_contended_find_own - find the PMUs where flexible sets are on
 * @pmus: out
 * @pcpu: this CPU's scheduler
 */
void pmcgrp_contended_find_own(struct pmcgrp_contended *pmus, const struct pmcgrp_cpu *pcpu)
{
	unsigned int i, scan = PMCGRP_SCAN_MAX;
	const struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	*pmus = (struct pmcgrp_contended){ .nr = 0 };
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (set->on && pmcgrp_evset_is_flexible(set))
			for (i = 0; i < set->nr_hw; i = next_pmu(set->counter, set->nr_hw, i))
				add_pmu(pmus, set->counter[i]->pmu);
		if (!--scan)
			break;
	}
}

/**
 * pmcgrp_contended_waits - find the PMUs where perf events wait
 * @waits: out
 * @pmus: PMUs to look at, with counters of this module
 *
 * Return: whether there are such.
 */
bool pmcgrp_contended_waits(struct pmcgrp_contended *waits, const struct pmcgrp_contended *pmus)
{
	unsigned int i;

	lockdep_assert_irqs_disabled();
	*waits = (struct pmcgrp_contended){ .nr = 0 };
	for (i = 0; i < min_t(unsigned int, pmus->nr, PMCGRP_CONTENDED_MAX); i++)
		if (pmcgrp_contention_perf_waits(pmus->pmu[i]))
			add_pmu(waits, pmus->pmu[i]);
	return waits->nr;
}

/* Add the PMUs of a set that is on.  Return the last one; @last is the previous set's. */
static const struct pmu *find_in(struct pmcgrp_contention *contention, struct pmcgrp_cpu *pcpu,
				 const struct pmcgrp_evset *set, const struct pmu *last)
{
	unsigned int i;
	struct pmu *pmu;
	bool in_error;

	for (i = 0; i < set->nr_hw; i = next_pmu(set->counter, set->nr_hw, i)) {
		pmu = set->counter[i]->pmu;
		if (pmu == last)
			continue;
		last = pmu;
		in_error = pmcgrp_pinned_recover(pcpu, pmu);
		if (!in_error && !pmcgrp_contention_perf_waits(pmu))
			continue;
		add_pmu(&contention->pmus, pmu);
		if (!contention->set || (in_error && !contention->in_error)) {
			contention->set = set;
			contention->counter = set->counter[i];
		}
		contention->in_error |= in_error;
	}
	return last;
}

/**
 * pmcgrp_contention_find - find where perf events wait for counters of flexible sets that are on
 * @contention: out
 * @pcpu: this CPU's scheduler
 *
 * Pinned perf events in error on these PMUs are recovered.
 */
void pmcgrp_contention_find(struct pmcgrp_contention *contention, struct pmcgrp_cpu *pcpu)
{
	const struct pmcgrp_evset *set;
	const struct pmu *last = NULL;

	lockdep_assert_irqs_disabled();
	*contention = (struct pmcgrp_contention){ .set = NULL };
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && pmcgrp_evset_is_flexible(set))
			last = find_in(contention, pcpu, set, last);
	contention->any = last;
}

/* Whether perf events wait for a PMU that a set needs, or are on it: others may wait then. */
static bool may_contend(const struct pmcgrp_evset *set)
{
	struct pmu *pmu;
	unsigned int i;

	for (i = 0; i < set->nr_hw; i = next_pmu(set->counter, set->nr_hw, i)) {
		pmu = set->counter[i]->pmu;
		if (pmcgrp_contention_perf_waits(pmu) || pmcgrp_perf_is_on(pmu) ||
		    pmcgrp_pinned_in_error(pmu))
			return true;
	}
	return false;
}

/**
 * pmcgrp_contention_is_likely - check whether perf events may wait for counters of sets that are on
 * @pcpu: this CPU's scheduler
 * @any: out: any flexible set is on
 *
 * On PREEMPT_RT the caller runs in a thread: the perf events of the task that was counted are not
 * seen.
 */
bool pmcgrp_contention_is_likely(const struct pmcgrp_cpu *pcpu, bool *any)
{
	unsigned int scan = PMCGRP_SCAN_MAX;
	const struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	*any = false;
	list_for_each_entry(set, &pcpu->sets, cpu_node) {
		if (set->on && pmcgrp_evset_is_flexible(set)) {
			*any = true;
			if (IS_ENABLED(CONFIG_PREEMPT_RT) || may_contend(set))
				return true;
		}
		if (!--scan)
			break;
	}
	return false;
}
