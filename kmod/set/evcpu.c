// SPDX-License-Identifier: GPL-2.0-only
/*
 * A list's events, and on each CPU its counters of them: struct pmcgrp_evcpu.
 *
 * Members with equal attrs are one event with one counter, so that they are equal in
 * every read.  Events stand in the order that counter.c wants, hardware first and PMU
 * by PMU; members keep theirs.
 *
 * A list of CPUs has a counter of each event on each of its CPUs, which stay there.  A list of
 * tasks has the counters of a CPU looked up when a set is scheduled in there for the first time,
 * and again when one of them may have left the CPU (pool.c).
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include "compat.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/pool.h"
#include "counter/pool_tasks.h"
#include "set/evcpu.h"
#include "set/evlist.h"
#include "set/evlist_sets.h"

/* How many tasks of a list may need a counter of an event at the same time; or live, if several. */
static unsigned int nr_tasks(const struct pmcgrp_evlist *evlist)
{
	if (evlist->follower->has_one_set)
		return 1;
	/* One in contexts has an event added: its tasks have created others. */
	return evlist->follower->has_binding && !evlist->contexts ? get_nr_threads(evlist->task) :
								    pmcgrp_nr_cpus;
}

static int pool_want(const struct pmcgrp_evlist *evlist, struct pmcgrp_shared_event *ev)
{
	unsigned int nr = nr_tasks(evlist);

	return evlist->follower->has_binding ? pmcgrp_pool_tasks_want(ev, nr) :
					       pmcgrp_pool_want(ev, nr);
}

static void pool_unwant(const struct pmcgrp_evlist *evlist, struct pmcgrp_shared_event *ev)
{
	if (evlist->follower->has_binding)
		pmcgrp_pool_tasks_unwant(ev);
	else
		pmcgrp_pool_unwant(ev, nr_tasks(evlist));
}

/**
 * pmcgrp_evcpu_look_up - look up the counters of a list on this CPU
 * @evlist: the event list
 * @evcpu: its evcpu of this CPU
 *
 * Context: interrupts off; perf core's locks may be held.
 * Return: one counter for each event, or NULL if the list cannot count here, or not yet.
 */
struct pmcgrp_counter *const *pmcgrp_evcpu_look_up(const struct pmcgrp_evlist *evlist,
						   struct pmcgrp_evcpu *evcpu)
{
	struct pmcgrp_counter *counter;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (!evcpu->complete ||
	    (evcpu->has_cpu_events &&
	     evcpu->generation != pmcgrp_cpu_generation(smp_processor_id())))
		return NULL;
	for (i = 0; i < evlist->nr_events; i++) {
		if (pmcgrp_evcpu_is_bound(evlist, evlist->event[i]))
			continue;
		counter = pmcgrp_pool_counter_here(evlist->event[i]);
		if (!counter)
			return NULL;
		evcpu->counter[i] = counter;
	}
	evcpu->lookups = pmcgrp_lookups_here();
	return evcpu->counter;
}

/* A list of a CPU has so many groups more than it had. */
static void count_sharers(struct pmcgrp_evlist *evlist, int cpu, int more)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(evlist, cpu);
	unsigned int i;

	for (i = 0; more && evcpu->complete && i < evlist->nr_events; i++)
		evcpu->counter[i]->nr_sharers += more;
}

/* The groups of a list of a CPU but for the first, for which it has its counters; else 0. */
static int nr_sharers(const struct pmcgrp_evlist *evlist)
{
	return evlist->nr_groups > 1 && evlist->follower->counts_cpus ? evlist->nr_groups - 1 : 0;
}

/**
 * pmcgrp_evcpu_drop - let go of a list's counters on a CPU
 * @evlist: the event list
 * @cpu: the CPU, which is not usable, or the list has no set in there
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_evcpu_drop(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(evlist, cpu);
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!evcpu->complete)
		return;
	count_sharers(evlist, cpu, -nr_sharers(evlist));
	evcpu->complete = false;
	evcpu->lookups = 0;
	for (i = 0; i < evlist->nr_events; i++) {
		if (pmcgrp_evcpu_is_bound(evlist, evlist->event[i]))
			pmcgrp_pool_unbind(evcpu->counter[i]);
		evcpu->counter[i] = NULL;
	}
}

/**
 * pmcgrp_evcpus_count_groups - a group more or less shares a list, for pmcgrp_event_nr_groups()
 * @evlist: the event list, of tasks or one CPU, which has another group
 * @more: 1 or -1
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_evcpus_count_groups(struct pmcgrp_evlist *evlist, int more)
{
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (evlist->follower->counts_cpus) {
		count_sharers(evlist, cpumask_first(evlist->cpus), more);
		return;
	}
	for (i = 0; i < evlist->nr_events; i++)
		evlist->event[i]->nr_groups += more;
}

/**
 * pmcgrp_evcpu_event_get - get an event, with counters for the tasks of a list
 * @evlist: the event list
 * @attr: the event
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: the event, for pmcgrp_evcpu_event_put(); or an ERR_PTR as of pmcgrp_event_get() and
 * pmcgrp_pool_want().
 */
struct pmcgrp_shared_event *pmcgrp_evcpu_event_get(const struct pmcgrp_evlist *evlist,
						   const struct perf_event_attr *attr)
{
	struct pmcgrp_shared_event *ev = pmcgrp_event_get(attr, evlist->charge.account);
	int err = 0;

	if (IS_ERR(ev) || evlist->follower->counts_cpus)
		return ev;
	err = pool_want(evlist, ev);
	if (err) {
		pmcgrp_event_put(ev);
		return ERR_PTR(err);
	}
	if (!ev->is_bound)
		ev->nr_groups++;
	return ev;
}

/**
 * pmcgrp_evcpu_event_put - undo pmcgrp_evcpu_event_get()
 * @evlist: the event list
 * @ev: the event
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_evcpu_event_put(const struct pmcgrp_evlist *evlist, struct pmcgrp_shared_event *ev)
{
	if (!pmcgrp_evcpu_is_bound(evlist, ev)) {
		ev->nr_groups--;
		pool_unwant(evlist, ev);
	}
	pmcgrp_event_put(ev);
}

/**
 * pmcgrp_evcpus_drop - let go of all events and counters of a list that has no set in
 * @evlist: the event list
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_evcpus_drop(struct pmcgrp_evlist *evlist)
{
	unsigned int i;
	int cpu;

	for_each_cpu(cpu, evlist->cpus)
		pmcgrp_evcpu_drop(evlist, cpu);
	for (i = 0; i < evlist->nr_events; i++)
		pmcgrp_evcpu_event_put(evlist, evlist->event[i]);
	evlist->nr_events = 0;
	pmcgrp_events_settle();
}

/* Whether event @i of a list has a counter on another CPU for the part of the machine of a CPU. */
static bool is_counted_elsewhere(const struct pmcgrp_evlist *evlist, unsigned int i, int cpu)
{
	const struct cpumask *scope;
	int other;

	if (!evlist->event[i]->is_uncore)
		return false;
	mutex_lock(&pmcgrp_pmus_mutex);
	scope = pmcgrp_pmu_scope(evlist->event[i]->pmu, cpu);
	mutex_unlock(&pmcgrp_pmus_mutex);
	if (!scope)
		return false;
	for_each_cpu(other, scope)
		if (other != cpu && pmcgrp_evcpu_of(evlist, other)->counter[i])
			return true;
	return false;
}

/**
 * pmcgrp_evcpu_bind - get a counter of an event of a list that stays on a CPU
 * @evlist: the event list
 * @i: number of the event
 * @cpu: the CPU
 * @generation: pmcgrp_cpu_generation() of @cpu, read before the call
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: the counter, or an ERR_PTR as of pmcgrp_pool_bind(); -PMCGRP_EELSEWHERE if another CPU
 * counts the part of the machine.
 */
struct pmcgrp_counter *pmcgrp_evcpu_bind(const struct pmcgrp_evlist *evlist, unsigned int i,
					 int cpu, u64 generation)
{
	struct pmcgrp_counter *counter;

	if (is_counted_elsewhere(evlist, i, cpu))
		return ERR_PTR(-PMCGRP_EELSEWHERE);
	counter = pmcgrp_pool_bind(evlist->event[i], cpu, generation,
				   evlist->follower->counts_cpus);
	/* Only now its PMU may be known. */
	if (IS_ERR(counter) || !is_counted_elsewhere(evlist, i, cpu))
		return counter;
	pmcgrp_pool_unbind(counter);
	return ERR_PTR(-PMCGRP_EELSEWHERE);
}

/**
 * pmcgrp_evcpu_may_have - check whether an event of an uncore PMU is counted on a CPU
 * @evlist: the event list, of CPUs
 * @i: number of the event
 * @cpu: the CPU, which is online
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
bool pmcgrp_evcpu_may_have(const struct pmcgrp_evlist *evlist, unsigned int i, int cpu)
{
	struct pmcgrp_counter *counter;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	counter = pmcgrp_evcpu_bind(evlist, i, cpu, pmcgrp_cpu_generation(cpu));
	if (IS_ERR(counter))
		return false;
	pmcgrp_pool_unbind(counter);
	return evlist->event[i]->is_uncore;
}

/*
 * Whether a CPU counts some events of a list, but not event @without.  The list would leave out the
 * part of the machine where that CPU counts.
 */
static bool evcpu_is_split(const struct pmcgrp_evlist *evlist, int cpu, unsigned int without)
{
	unsigned int i;

	if (!evlist->follower->counts_cpus)
		return false;
	for (i = 0; i < evlist->nr_events; i++)
		if (i != without && pmcgrp_evcpu_may_have(evlist, i, cpu))
			return true;
	return false;
}

static int evcpu_make(struct pmcgrp_evlist *evlist, int cpu, struct pmcgrp_failure *fail)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(evlist, cpu);
	struct pmcgrp_counter *counter;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	evcpu->generation = pmcgrp_cpu_generation(cpu);
	evcpu->has_cpu_events = false;
	for (i = 0; i < evlist->nr_events; i++) {
		if (!pmcgrp_evcpu_is_bound(evlist, evlist->event[i]))
			continue;
		counter = pmcgrp_evcpu_bind(evlist, i, cpu, evcpu->generation);
		if (IS_ERR(counter))
			goto unbind_counters;
		evcpu->counter[i] = counter;
		evcpu->has_cpu_events |= counter->is_cpu_event;
	}
	evcpu->complete = true;
	count_sharers(evlist, cpu, nr_sharers(evlist));
	return 0;

unbind_counters:
	fail->member = i;
	fail->cpu = cpu;
	if (evcpu_is_split(evlist, cpu, i))
		counter = ERR_PTR(-PMCGRP_ESPLIT);
	while (i--) {
		if (pmcgrp_evcpu_is_bound(evlist, evlist->event[i]))
			pmcgrp_pool_unbind(evcpu->counter[i]);
		evcpu->counter[i] = NULL;
	}
	return PTR_ERR(counter);
}

/**
 * pmcgrp_evcpu_rebuild - give a list its counters on a CPU that has come online
 * @evlist: the event list
 * @cpu: the CPU, which is not usable, or the list has no set in there (uncore.c)
 *
 * Counters that have outlived the CPU's time offline are used again.  Without counters the list
 * is enabled but does not run on this CPU.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_evcpu_rebuild(struct pmcgrp_evlist *evlist, int cpu)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(evlist, cpu);
	struct pmcgrp_failure fail;

	if (evcpu->complete && !evcpu->has_cpu_events)
		return;
	pmcgrp_evcpu_drop(evlist, cpu);
	if (!evlist->pmu_has_gone)
		evcpu_make(evlist, cpu, &fail);
}

static bool has_bound_events(const struct pmcgrp_evlist *evlist)
{
	unsigned int i;

	for (i = 0; i < evlist->nr_events; i++)
		if (pmcgrp_evcpu_is_bound(evlist, evlist->event[i]))
			return true;
	return false;
}

/* Without bound events: each CPU looks up its counters as a set comes in. */
static void evcpus_complete(struct pmcgrp_evlist *evlist)
{
	int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		pmcgrp_evcpu_of(evlist, cpu)->complete = true;
}

/* Get all events of a list; without them it has none. */
static int get_events(struct pmcgrp_evlist *evlist, const struct perf_event_attr *const *attr,
		      unsigned int nr, struct pmcgrp_failure *fail)
{
	struct pmcgrp_shared_event *ev;

	for (; evlist->nr_events < nr; evlist->nr_events++) {
		ev = pmcgrp_evcpu_event_get(evlist, attr[evlist->nr_events]);
		if (IS_ERR(ev))
			goto put_events;
		evlist->event[evlist->nr_events] = ev;
	}
	return 0;

put_events:
	fail->member = evlist->nr_events;
	fail->why = pmcgrp_why_of_error(PTR_ERR(ev));
	while (evlist->nr_events)
		pmcgrp_evcpu_event_put(evlist, evlist->event[--evlist->nr_events]);
	pmcgrp_events_settle();
	return pmcgrp_errno_of(PTR_ERR(ev));
}

/*
 * Put the events into order, and the counters of the only evcpu that has been made.
 * @given: for each event, its number in the order in which they were given
 */
static void sort_events(struct pmcgrp_evlist *evlist, struct pmcgrp_evcpu *evcpu, u8 *given)
{
	unsigned int i, k;

	for (i = 1; i < evlist->nr_events; i++)
		for (k = i; k && pmcgrp_evcpu_event_before(evlist->event[k], evlist->event[k - 1]);
		     k--) {
			swap(evlist->event[k], evlist->event[k - 1]);
			swap(evcpu->counter[k], evcpu->counter[k - 1]);
			swap(given[k], given[k - 1]);
		}
	for (i = 0; i < evlist->nr_events && !evlist->event[i]->is_software; i++)
		;
	evlist->nr_hw = i;
	pmcgrp_evlist_note_events(evlist);
}

/**
 * pmcgrp_evcpu_why - translate the errno of a counter that could not be made into a reason
 * @err: as of pmcgrp_pool_bind()
 * @cpu: its CPU
 * @generation: pmcgrp_cpu_generation() of @cpu before that
 *
 * Return: enum pmcgrp_why.
 */
u32 pmcgrp_evcpu_why(int err, int cpu, u64 generation)
{
	/* perf core says it before cpu_online() does, and it may be back by now. */
	if (err == -ENODEV && pmcgrp_cpu_is_online(cpu) && pmcgrp_cpu_generation(cpu) == generation)
		return PMCGRP_WHY_PMU;
	return pmcgrp_why_of_error(err);
}

static int evcpu_try(struct pmcgrp_evlist *evlist, int cpu, struct pmcgrp_failure *fail)
{
	u64 generation = pmcgrp_cpu_generation(cpu);
	int err = -ENODEV;

	fail->cpu = cpu;
	if (cpu_online(cpu) || !evlist->follower->counts_cpus)
		err = evcpu_make(evlist, cpu, fail);
	if (err)
		fail->why = pmcgrp_evcpu_why(err, cpu, generation);
	return pmcgrp_errno_of(err);
}

/*
 * Whether the events are all of uncore PMUs, or none is.  Otherwise the first one in the order in
 * which they were given that differs from those before it is to blame.
 */
static int check_sorts(struct pmcgrp_evlist *evlist, const u8 *given, struct pmcgrp_failure *fail)
{
	bool uncore[PMCGRP_MEMBERS_MAX];
	unsigned int i;

	for (i = 0; i < evlist->nr_events; i++)
		uncore[given[i]] = evlist->event[i]->is_uncore;
	evlist->is_uncore = uncore[0];
	for (i = 1; i < evlist->nr_events; i++) {
		if (uncore[i] == uncore[0])
			continue;
		fail->member = i;
		fail->cpu = -1;
		fail->why = PMCGRP_WHY_UNCORE_MIXED;
		return -EINVAL;
	}
	return 0;
}

/*
 * Whether evcpus are made without a CPU.  An uncore PMU's driver may refuse its events on CPUs
 * where it has nothing to count.
 */
static bool does_without(const struct pmcgrp_evlist *evlist, int err)
{
	if (evlist->follower->has_cpu_list)
		return false;
	return err == -ENOENT || err == -ENODEV ||
	       (err == -EINVAL && evlist->follower->counts_cpus);
}

/**
 * pmcgrp_evcpus_make - get the events and counters of a new list
 * @evlist: the event list, with its target
 * @attr: its events, all different
 * @nr: number of these, not more than @evlist->room
 * @fail: out: the reason for a failure; @fail->member is the number of an attr
 *
 * For every CPU where the target may run.  A CPU that has no such event (a hybrid machine's other
 * kind of core, a package whose uncore PMU counts elsewhere) or has just gone offline is done
 * without, as long as there is one that has, unless it was asked for by number.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or the errno that the uapi header gives for PMCGRP_IOC_CREATE; then there are no
 * events.
 */
int pmcgrp_evcpus_make(struct pmcgrp_evlist *evlist, const struct perf_event_attr *const *attr,
		       unsigned int nr, struct pmcgrp_failure *fail)
{
	struct pmcgrp_failure first;
	u8 given[PMCGRP_MEMBERS_MAX];
	int cpu, err, first_err = 0;
	bool any = false, refused = false;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	err = get_events(evlist, attr, nr, fail);
	if (err)
		return err;
	for (i = 0; i < nr; i++)
		given[i] = i;
	first = *fail;
	if (!has_bound_events(evlist)) {
		evcpus_complete(evlist);
		sort_events(evlist, pmcgrp_evcpu_of(evlist, cpumask_first(evlist->cpus)), given);
		goto check;
	}
	for_each_cpu(cpu, evlist->cpus) {
		err = evcpu_try(evlist, cpu, fail);
		if (!err) {
			if (!any)
				sort_events(evlist, pmcgrp_evcpu_of(evlist, cpu), given);
			any = true;
			continue;
		}
		if (fail->member != PMCGRP_NO_MEMBER)
			fail->member = given[fail->member];
		if (!does_without(evlist, err))
			goto drop_evcpus;
		/* What a PMU refuses goes before CPUs that have no such event. */
		if (!first_err || (err == -EINVAL && !refused)) {
			first_err = err;
			first = *fail;
		}
		refused |= err == -EINVAL;
		fail->member = PMCGRP_NO_MEMBER;
	}
	*fail = first;
	err = first_err;
	if (!any)
		goto drop_evcpus;
check:
	err = check_sorts(evlist, given, fail);
	if (err)
		goto drop_evcpus;
	err = first_err;
	if (refused && !evlist->is_uncore)
		goto drop_evcpus;
	fail->why = PMCGRP_WHY_NONE;
	fail->member = PMCGRP_NO_MEMBER;
	fail->cpu = -1;
	return 0;

drop_evcpus:
	pmcgrp_evcpus_drop(evlist);
	return err;
}
