// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of slots: one counter for each event and CPU, whoever counts it.
 *
 * A slot's event is in state OFF for perf core, which therefore leaves it alone
 * (kernel/events/core.c: event_sched_in() and merge_sched_in() return at once
 * for PERF_EVENT_STATE_OFF and below).
 *
 * Lifetime: a slot lives while a row of a group holds it; it goes when the last
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
#include "guard.h"
#include "idle.h"
#include "cores.h"
#include "peek.h"
#include "pool.h"
#include "slot.h"

static DEFINE_HASHTABLE(pool, 8);
static atomic_t nr_slots;	/* and triggers */
static int max_slots;		/* constant after init */

/**
 * pmcgrp_slots_init - once, before there is any slot
 * @slots_max: the most slots that there may be
 */
void pmcgrp_slots_init(unsigned int slots_max)
{
	pmcgrp_slots_placed_init();
	max_slots = slots_max;
}

/**
 * pmcgrp_slots_exit - no group is left, so no slot is either
 */
void pmcgrp_slots_exit(void)
{
	WARN_ON(atomic_read(&nr_slots));
}

/**
 * pmcgrp_slots_charge - count one event that is no slot against their limit
 *
 * Context: any.
 * Return: whether there was room for it.
 */
bool pmcgrp_slots_charge(void)
{
	return atomic_add_unless(&nr_slots, 1, max_slots);
}

/**
 * pmcgrp_slots_uncharge - it is no more
 */
void pmcgrp_slots_uncharge(void)
{
	atomic_dec(&nr_slots);
}

/* Of what tells most events apart: the whole attr would cost as much as a counter. */
static u32 slot_hash(const struct perf_event_attr *key, int cpu)
{
	return jhash_3words(lower_32_bits(key->config), upper_32_bits(key->config), key->type, cpu);
}

static struct pmcgrp_slot *slot_find(const struct perf_event_attr *key, int cpu, u64 epoch)
{
	struct pmcgrp_slot *slot;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	hash_for_each_possible(pool, slot, node, slot_hash(key, cpu))
		if (slot->cpu == cpu && slot->epoch == epoch &&
		    pmcgrp_attr_equal(&slot->key, key))
			return slot;
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
 * pmcgrp_event_can_be_used - whether an event can be a slot or a trigger
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

static struct pmcgrp_slot *slot_create(const struct perf_event_attr *key, int cpu, u64 epoch)
{
	struct perf_event_attr attr = *key;
	struct pmcgrp_slot *slot;
	int err;

	slot = kzalloc(sizeof(*slot), GFP_KERNEL);
	if (!slot)
		return ERR_PTR(-ENOMEM);
	slot->key = *key;
	slot->cpu = cpu;
	slot->epoch = epoch;
	slot->refs = 1;
	INIT_LIST_HEAD(&slot->placed);
	slot->event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(slot->event)) {
		err = PTR_ERR(slot->event);
		if (err == -EINVAL && pmcgrp_attr_is_metric(key))
			err = -PMCGRP_ETOPDOWN;
		goto free_slot;
	}
	/* Their drivers may have made samples of what was to be counted (perf_ibs_init()). */
	if (is_sampling_event(slot->event) || slot->event->pmu->setup_aux) {
		err = -PMCGRP_ESAMPLES;
		goto release_event;
	}
	/*
	 * A probe by pointer means nothing to another group or, when a CPU comes back, to
	 * a worker.  One made in tracefs is a tracepoint like any other.
	 */
	if (!pmcgrp_event_can_be_used(slot->event, cpu) || pmcgrp_event_is_probe(slot->event)) {
		err = -EOPNOTSUPP;
		goto release_event;
	}
	slot->at_once = pmcgrp_pmu_stops_at_once(slot->event->pmu);
	slot->peek = pmcgrp_can_peek(slot->event);
	slot->counter = -1;
	slot->mark = next_mark();
	if (!pmcgrp_slot_is_software(slot)) {
		slot->guard = pmcgrp_guard_get(cpu, epoch);
		if (IS_ERR(slot->guard)) {
			err = PTR_ERR(slot->guard);
			goto release_event;
		}
	}
	return slot;

release_event:
	perf_event_release_kernel(slot->event);
free_slot:
	kfree(slot);
	return ERR_PTR(err);
}

/**
 * pmcgrp_slot_get - the counter for an event on a CPU, made if there is none
 * @attr: from pmcgrp_attr_copy()
 * @cpu: the CPU
 * @epoch: @cpu's epoch (pmcgrp_gang_epoch()), read before the call
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: a slot with a reference for the caller, or an ERR_PTR: -ENODEV for an
 * offline CPU, -ENOENT for an event that no PMU of @cpu knows, -EOPNOTSUPP for
 * one that cannot be a member, -EDQUOT if there are too many slots already, or
 * whatever the PMU says.
 */
struct pmcgrp_slot *pmcgrp_slot_get(const struct perf_event_attr *attr, int cpu, u64 epoch)
{
	struct pmcgrp_slot *slot;

	slot = slot_find(attr, cpu, epoch);
	if (slot) {
		slot->refs++;
		return slot;
	}
	if (!pmcgrp_slots_charge())
		return ERR_PTR(-EDQUOT);
	slot = slot_create(attr, cpu, epoch);
	if (IS_ERR(slot))
		pmcgrp_slots_uncharge();
	else
		hash_add(pool, &slot->node, slot_hash(attr, cpu));
	return slot;
}

/**
 * pmcgrp_slot_put - let go of a slot; the last one to do so releases its counter
 * @slot: from pmcgrp_slot_get()
 *
 * Context: may sleep; pmcgrp_groups_mutex held, the caller's rides are off the PMU.
 */
void pmcgrp_slot_put(struct pmcgrp_slot *slot)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (--slot->refs)
		return;
	hash_del(&slot->node);
	pmcgrp_slot_retire(slot);
	perf_event_release_kernel(slot->event);
	pmcgrp_guard_put(slot->guard);
	pmcgrp_slots_uncharge();
	kfree(slot);
}
