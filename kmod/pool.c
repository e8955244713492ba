// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of counters: one counter for each event and CPU, whoever counts it.
 *
 * A counter's event is in state OFF for perf core, which therefore leaves it alone
 * (kernel/events/core.c: event_sched_in() and merge_sched_in() return at once
 * for PERF_EVENT_STATE_OFF and below).
 *
 * Lifetime: a counter lives while a row of a group holds it; it goes when the last
 * row lets go, which is after the carrier that could have used it is gone.
 * pmcgrp_groups_mutex guards all of it; perf core's mutexes nest in it.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include "group.h"
#include "pinned.h"
#include "placement.h"
#include "core_pmu.h"
#include "counter_reg.h"
#include "pool.h"
#include "counter.h"

static DEFINE_HASHTABLE(pool, 8);
static atomic_t nr_counters; /* and triggers */
static int max_counters;     /* constant after init */

/**
 * pmcgrp_counters_init - once, before there is any counter
 * @counters_max: the most counters that there may be
 */
void pmcgrp_counters_init(unsigned int counters_max)
{
	pmcgrp_placement_init();
	max_counters = counters_max;
}

/**
 * pmcgrp_counters_exit - no group is left, so no counter is either
 */
void pmcgrp_counters_exit(void)
{
	WARN_ON(atomic_read(&nr_counters));
}

/**
 * pmcgrp_counters_charge - count one event that is no counter against their limit
 *
 * Context: any.
 * Return: whether there was room for it.
 */
bool pmcgrp_counters_charge(void)
{
	return atomic_add_unless(&nr_counters, 1, max_counters);
}

/**
 * pmcgrp_counters_uncharge - it is no more
 */
void pmcgrp_counters_uncharge(void)
{
	atomic_dec(&nr_counters);
}

/* Of what tells most events apart: the whole attr would cost as much as a counter. */
static u32 counter_hash(const struct perf_event_attr *key, int cpu)
{
	return jhash_3words(lower_32_bits(key->config), upper_32_bits(key->config), key->type, cpu);
}

static struct pmcgrp_counter *counter_find(const struct perf_event_attr *key, int cpu,
					   u64 generation)
{
	struct pmcgrp_counter *counter;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	hash_for_each_possible(pool, counter, node, counter_hash(key, cpu))
		if (counter->cpu == cpu && counter->generation == generation &&
		    pmcgrp_attr_equal(&counter->key, key))
			return counter;
	return NULL;
}

/**
 * pmcgrp_event_is_probe - of the kprobe or uprobe PMU, whose attr has a user pointer
 * @event: the event
 */
bool pmcgrp_event_is_probe(const struct perf_event *event)
{
#ifdef CONFIG_EVENT_TRACING
	return event->tp_event && event->attr.type != PERF_TYPE_TRACEPOINT;
#else
	return false;
#endif
}

/**
 * pmcgrp_event_can_be_used - whether an event can be a counter or a trigger
 * @event: the event
 * @cpu: the CPU that it was made for, or -1
 *
 * Not of a PMU that traces rather than counts, that can hold one event only, or
 * that has no per-CPU contexts (uncore: perf_pmu_migrate_context() would move it to
 * another CPU under us).
 */
bool pmcgrp_event_can_be_used(const struct perf_event *event, int cpu)
{
	const struct pmu *pmu = event->pmu;

	return event->cpu == cpu && !pmu->setup_aux &&
	       !(pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE) &&
	       pmu->task_ctx_nr != perf_invalid_context;
}

/* Numbers of which no few have the same sum as others; random ones take long at first. */
static u64 next_mark(void)
{
	static u32 last;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	last++;
	return (u64)jhash_1word(last, 0) << 32 | jhash_1word(last, 1);
}

static struct pmcgrp_counter *counter_create(const struct perf_event_attr *key, int cpu,
					     u64 generation)
{
	struct perf_event_attr attr = *key;
	struct pmcgrp_counter *counter;
	int err;

	counter = kzalloc(sizeof(*counter), GFP_KERNEL);
	if (!counter)
		return ERR_PTR(-ENOMEM);
	counter->key = *key;
	counter->cpu = cpu;
	counter->generation = generation;
	counter->refs = 1;
	INIT_LIST_HEAD(&counter->placed);
	counter->event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(counter->event)) {
		err = PTR_ERR(counter->event);
		if (err == -EINVAL && pmcgrp_attr_is_metric(key))
			err = -PMCGRP_ETOPDOWN;
		goto free_counter;
	}
	/* Their drivers may have made samples of what was to be counted (perf_ibs_init()). */
	if (is_sampling_event(counter->event) || counter->event->pmu->setup_aux) {
		err = -PMCGRP_ESAMPLES;
		goto release_event;
	}
	/*
	 * A probe by pointer means nothing to another group or, when a CPU comes back, to
	 * a worker.  One made in tracefs is a tracepoint like any other.
	 */
	if (!pmcgrp_event_can_be_used(counter->event, cpu) ||
	    pmcgrp_event_is_probe(counter->event)) {
		err = -EOPNOTSUPP;
		goto release_event;
	}
	counter->at_once = pmcgrp_pmu_stops_at_once(counter->event->pmu);
	counter->has_reg = pmcgrp_event_has_reg(counter->event);
	counter->reg = -1;
	counter->mark = next_mark();
	if (!pmcgrp_counter_is_software(counter)) {
		counter->guard = pmcgrp_guard_get(cpu, generation);
		if (IS_ERR(counter->guard)) {
			err = PTR_ERR(counter->guard);
			goto release_event;
		}
	}
	return counter;

release_event:
	perf_event_release_kernel(counter->event);
free_counter:
	kfree(counter);
	return ERR_PTR(err);
}

/**
 * pmcgrp_counter_get - the counter for an event on a CPU, made if there is none
 * @attr: from pmcgrp_attr_copy()
 * @cpu: the CPU
 * @generation: @cpu's epoch (pmcgrp_cpu_generation()), read before the call
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: a counter with a reference for the caller, or an ERR_PTR: -ENODEV for an
 * offline CPU, -ENOENT for an event that no PMU of @cpu knows, -EOPNOTSUPP for
 * one that cannot be a member, -EDQUOT if there are too many counters already, or
 * whatever the PMU says.
 */
struct pmcgrp_counter *pmcgrp_counter_get(const struct perf_event_attr *attr, int cpu,
					  u64 generation)
{
	struct pmcgrp_counter *counter;

	counter = counter_find(attr, cpu, generation);
	if (counter) {
		counter->refs++;
		return counter;
	}
	if (!pmcgrp_counters_charge())
		return ERR_PTR(-EDQUOT);
	counter = counter_create(attr, cpu, generation);
	if (IS_ERR(counter))
		pmcgrp_counters_uncharge();
	else
		hash_add(pool, &counter->node, counter_hash(attr, cpu));
	return counter;
}

/**
 * pmcgrp_counter_put - let go of a counter; the last one to do so releases its counter
 * @counter: from pmcgrp_counter_get()
 *
 * Context: may sleep; pmcgrp_groups_mutex held, the caller's sets are off the PMU.
 */
void pmcgrp_counter_put(struct pmcgrp_counter *counter)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (--counter->refs)
		return;
	hash_del(&counter->node);
	pmcgrp_counter_retire(counter);
	perf_event_release_kernel(counter->event);
	pmcgrp_guard_put(counter->guard);
	pmcgrp_counters_uncharge();
	kfree(counter);
}
