// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check whether a new group can ever be scheduled.
 *
 * An event may be valid and still find no counter beside others.  How many counters a PMU has,
 * and which event may use which, is known to its driver alone.  So the group's counters are
 * placed for a trial, on a PMU that is otherwise empty.  Nothing else detects a group that is too
 * large from one that has to wait.
 *
 * Flexible sets go off for the trial, some microseconds, and only if a trial beside them fails.
 * There is no trial for events of the same kinds as others that have fitted.
 *
 * The PMU cannot be emptied of pinned sets and of perf events.  The NMI watchdog's is nearly
 * always there.  Another thread of the core may have counters or registers that both share.
 * Then the PMU's driver is asked what perf_event_open() asks it for a new group: would it fit
 * an empty PMU?  A driver that does not check groups accepts all, and nothing is known.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/idle.h"
#include "counter/placement.h"
#include "counter/pool.h"
#include "group/validate.h"
#include "platform/core_pmu.h"
#include "platform/recursion.h"
#include "sched/background.h"
#include "sched/rotate.h"
#include "set/evcpu.h"
#include "set/evlist.h"
#include "set/evset.h"

/**
 * struct trial - the trial of a group on one CPU
 * @evlist: the event list
 * @fits: result: it has been placed
 * @too_large: result: it does not fit the empty PMU
 * @blocked: result: the PMU could not be emptied
 * @event: with @too_large: the first event that finds no counter
 */
struct trial {
	struct pmcgrp_evlist *evlist;
	bool fits;
	bool too_large;
	bool blocked;
	unsigned int event;
};

/*
 * Kinds of events that have fitted together, by list_kinds(); 0: none.  They do for good: the PMU
 * stays.  Where root takes a counter from it later (Intel's allow_tsx_force_abort), such groups are
 * not refused, but wait.  A group that gets its members one by one has as many: so each place keeps
 * the last two.  pmcgrp_groups_mutex
 */
#define FITTED_BITS 5
static u64 fitted[BIT(FITTED_BITS)][2];

/*
 * Identify the kinds of the hardware events of a list, by which the driver chooses counters
 * (pmcgrp_counter.kind).  Return 0 if they may be of PMUs that go, or are not the same on all CPUs.
 */
static u64 list_kinds(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_shared_event *ev;
	u64 kinds;
	unsigned int i;

	if (evlist->follower->counts_cpus)
		return 0;
	kinds = evlist->nr_hw + GOLDEN_RATIO_64 * (unsigned long)evlist->event[0]->pmu;
	for (i = 0; i < evlist->nr_hw; i++) {
		ev = evlist->event[i];
		if (ev->is_bound || ev->is_of_module || ev->pmu != evlist->event[0]->pmu)
			return 0;
		kinds += ev->kind;
	}
	return kinds;
}

static u64 *fitted_place(u64 kinds)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	return fitted[hash_64(kinds, FITTED_BITS)];
}

static bool have_fitted(u64 kinds)
{
	const u64 *place = fitted_place(kinds);

	return kinds && (place[0] == kinds || place[1] == kinds);
}

static void note_fitted(u64 kinds)
{
	u64 *place = fitted_place(kinds);

	if (!kinds)
		return;
	place[1] = place[0];
	place[0] = kinds;
}

/* Whether the first @nr events of an evcpu fit.  Counters placed for this are taken off again. */
static bool trial_place(const struct pmcgrp_evcpu *evcpu, unsigned int nr)
{
	u64 fresh = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!evcpu->counter[i]->on)
			fresh |= BIT_ULL(i);
	if (pmcgrp_counters_place(evcpu->counter, nr))
		return false;
	pmcgrp_counters_release(evcpu->counter, nr, local_clock());
	for (i = 0; i < nr; i++)
		if (fresh & BIT_ULL(i))
			pmcgrp_idle_evict(evcpu->counter[i]);
	return true;
}

/* Whether the evcpu's PMUs cannot be emptied, or another thread of the core may share counters. */
static bool trial_is_blocked(const struct pmcgrp_cpu *pcpu, const struct pmcgrp_evlist *evlist,
			     const struct pmcgrp_evcpu *evcpu)
{
	unsigned int i;

	for (i = 0; i < evlist->nr_hw; i++)
		if (pmcgrp_perf_holds(evcpu->counter[i]->pmu) ||
		    pmcgrp_pmu_is_shared(evcpu->counter[i]->pmu))
			return true;
	return pmcgrp_cpu_has_pinned(pcpu);
}

static void trial_empty(struct trial *trial, struct pmcgrp_cpu *pcpu, struct pmcgrp_evcpu *evcpu)
{
	struct pmcgrp_evlist *evlist = trial->evlist;
	unsigned int nr;

	trial->blocked = trial_is_blocked(pcpu, evlist, evcpu);
	trial->fits = !trial->blocked && trial_place(evcpu, evlist->nr_hw);
	if (trial->blocked || trial->fits)
		return;
	for (nr = 1; nr < evlist->nr_hw; nr++)
		if (!trial_place(evcpu, nr))
			break;
	trial->too_large = true;
	trial->event = nr - 1;
}

static void try_here(void *info)
{
	struct trial *trial = info;
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_here(trial->evlist);

	if (!pcpu->usable || !pmcgrp_evcpu_counters(trial->evlist, evcpu))
		return;
	if (evcpu->in && evcpu->in->on)
		trial->fits = true;
	pmcgrp_background_off(pcpu);
	trial->fits = trial->fits || trial_place(evcpu, trial->evlist->nr_hw);
	if (trial->fits)
		goto give_back;
	pmcgrp_rotate_flexible_off(pcpu);
	trial_empty(trial, pcpu, evcpu);
	pmcgrp_rotate_fill(pcpu);
give_back:
	if (!evcpu->in) {
		pmcgrp_recursion_enter();
		pmcgrp_pool_give_back_slow(evcpu->counter, trial->evlist->nr_events, false);
		pmcgrp_recursion_leave();
	}
	pmcgrp_rotate_arm(pcpu);
}

/* Destroy the events that ask_pmu() has initialised, last first. */
static void asked_end(struct perf_event *asked, unsigned int nr)
{
	while (nr--)
		if (asked[nr].destroy)
			asked[nr].destroy(&asked[nr]);
}

/*
 * Initialise events like the counters of one PMU, as perf_event_open() does for a group, up to
 * the driver's event_init().  Each event sees those before it as its leader and siblings
 * (kernel/events/core.c: perf_try_init_event(), arch/x86/events/core.c: validate_group(),
 * drivers/perf/arm_pmu.c: validate_group()).  perf core never sees the events.
 *
 * Return: the number of events that the driver accepts before one does not fit, or @nr.
 */
static unsigned int ask_pmu(struct pmcgrp_counter *const *counter, unsigned int nr,
			    struct perf_event *asked)
{
	struct perf_event_context *ctx = counter[0]->event->ctx;
	const struct perf_event *like;
	struct perf_event *event;
	unsigned int i;
	int err = 0;

	/* Drivers visit the leader's siblings, and for_each_sibling_event() asserts this lock. */
	mutex_lock(&ctx->mutex);
	for (i = 0; i < nr; i++) {
		like = counter[i]->event;
		event = &asked[i];
		*event = (struct perf_event){
			.attr = like->attr,
			.pmu = counter[i]->pmu,
			.cpu = like->cpu,
			.oncpu = -1,
			.ctx = ctx,
			.group_leader = asked,
			.attach_state = like->attach_state & PERF_ATTACH_TASK,
		};
		INIT_LIST_HEAD(&event->sibling_list);
		err = event->pmu->event_init(event);
		if (err) {
			event->destroy = NULL; /* the driver has undone its work */
			break;
		}
		event->state = PERF_EVENT_STATE_INACTIVE;
		if (i)
			list_add_tail(&event->sibling_list, &asked->sibling_list);
	}
	asked_end(asked, i);
	mutex_unlock(&ctx->mutex);
	return err == -EINVAL && i ? i : nr;
}

/* Ask the drivers of the evcpu's PMUs, where the trial was blocked. */
static void trial_ask(struct trial *trial, const struct pmcgrp_evcpu *evcpu)
{
	struct pmcgrp_counter *const *counter = evcpu->counter;
	unsigned int nr_hw = trial->evlist->nr_hw, at, nr, taken;
	struct perf_event *asked;

	/* One at a time, as pmcgrp_groups_mutex is held: charged to no memory cgroup. */
	asked = kvcalloc(nr_hw, sizeof(*asked), GFP_KERNEL);
	if (!asked)
		return;
	for (at = 0; at < nr_hw; at += nr) {
		for (nr = 1; at + nr < nr_hw; nr++)
			if (counter[at + nr]->pmu != counter[at]->pmu)
				break;
		taken = ask_pmu(counter + at, nr, asked);
		if (taken == nr)
			continue;
		trial->too_large = true;
		trial->event = at + taken;
		break;
	}
	kvfree(asked);
}

/*
 * A trial takes counters for a moment: tasks elsewhere that count the same events may not be short
 * of them meanwhile.
 */
static void trial_reserve(struct pmcgrp_evlist *evlist, int cpu)
{
	unsigned int i;

	for (i = 0; i < evlist->nr_events; i++)
		if (evlist->event[i]->refs > 1 && !READ_ONCE(evlist->event[i]->of_cpu[cpu]))
			pmcgrp_pool_reserve(evlist->event[i]);
}

/* Run a trial on a CPU, without an IPI if it is this one.  Return: whether the CPU was online. */
static bool try_on(int cpu, struct trial *trial)
{
	unsigned long flags;
	int err = 0;

	if (cpu == get_cpu()) {
		local_irq_save(flags);
		try_here(trial);
		local_irq_restore(flags);
	} else {
		err = smp_call_function_single(cpu, try_here, trial, 1);
	}
	put_cpu();
	return !err;
}

/**
 * pmcgrp_validate_evlist - check whether an event list can ever be scheduled
 * @evlist: the event list, with its evcpus and carriers
 * @fail: out: the reason for a failure
 *
 * One CPU of each kind is tried.  The PMU of the first event determines the kind.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0 if the group fits or that is not known; -EINVAL if it needs more counters than the
 * PMU has, on every kind of CPU or on one in the target's list of CPUs.
 */
int pmcgrp_validate_evlist(struct pmcgrp_evlist *evlist, struct pmcgrp_failure *fail)
{
	const struct pmu *tried = NULL, *pmu;
	u64 kinds = list_kinds(evlist);
	struct pmcgrp_evcpu *evcpu;
	struct trial trial;
	unsigned int i, first = raw_smp_processor_id();
	int cpu, err = 0;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!evlist->nr_hw || have_fitted(kinds))
		return 0;
	/* this CPU first: it needs no IPI */
	for (i = 0; i < nr_cpu_ids; i++) {
		cpu = (first + i) % nr_cpu_ids;
		if (!cpu_possible(cpu))
			continue;
		evcpu = pmcgrp_evcpu_of(evlist, cpu);
		if (!evcpu->complete)
			continue;
		pmu = evcpu->counter[0] ? evcpu->counter[0]->pmu : evlist->event[0]->pmu;
		if (pmu == tried)
			continue;
		trial = (struct trial){ .evlist = evlist };
		trial_reserve(evlist, cpu);
		if (!try_on(cpu, &trial))
			continue;
		tried = pmu;
		if (trial.blocked)
			trial_ask(&trial, evcpu);
		if (trial.fits)
			note_fitted(kinds);
		if (!trial.too_large && !evlist->follower->has_cpu_list)
			return 0;
		if (!trial.too_large)
			continue;
		fail->why = PMCGRP_WHY_TOO_LARGE;
		fail->member = trial.event;
		fail->cpu = cpu;
		err = -EINVAL;
	}
	return err;
}
