// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event lists: allocation, references, and the table of those that groups share.
 *
 * Groups that count the same events of the same task or tasks have one list: it is counted for all
 * of them, and the cost of a context switch does not depend on their number.  The list counts while
 * any of them is enabled.  control.c says what each of them shows.
 *
 * Lifetime: a list starts with its first group and stops with the last one (target.c).  It owns
 *
 * - references to its events, and an evcpu of their counters for each CPU (evcpu.c),
 * - what its follower needs to schedule its sets in and out (follower.h),
 * - sets: counts and times of each task or CPU (evlist_sets.c).
 *
 * A carrier of perf core, and the arbiter's worker, may hold a list a little longer.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "compat.h"
#include "counter/attr.h"
#include "set/evlist.h"

LIST_HEAD(pmcgrp_evlists);

/* Lists that groups may share; pmcgrp_groups_mutex. */
static DEFINE_HASHTABLE(shared, 10);

/* What groups may have that share a list, if all of them have it. */
#define SHARED_FLAGS (PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_BACKGROUND)

/*
 * Whether groups of a target may share a list: counted from now on, and for no longer than they are
 * enabled; taken off the PMU like any other.
 */
static bool target_is_shareable(const struct pmcgrp_target *target)
{
	return target->follower->whose && !target->is_private &&
	       !(target->flags & ~(PMCGRP_CREATE_DISABLED | SHARED_FLAGS));
}

/*
 * Charge the memory of all sets that a list of a target can have, with their members'
 * (evlist_sets.c).  Where any CPU may need one in a switch, it is allocated at once.
 */
static int charge_sets(struct pmcgrp_evlist *evlist, const struct pmcgrp_target *target,
		       struct pmcgrp_charge *charge)
{
	size_t nr = target->follower->has_one_set ? 1 : cpumask_weight(target->cpus), values = 0;
	size_t size = pmcgrp_evset_size(evlist->room);
	void *sets;

	if (target->follower->counts_cpus && target->flags & PMCGRP_CREATE_LEADER)
		values = PMCGRP_MEMBERS_MAX * sizeof(struct pmcgrp_member_values);
	if (!target->follower->has_binding)
		return pmcgrp_charge_add(charge, nr * (size + values));
	sets = pmcgrp_charge_alloc(charge, nr_cpu_ids * size, NUMA_NO_NODE);
	if (IS_ERR(sets))
		return PTR_ERR(sets);
	evlist->cpu_sets = sets;
	return 0;
}

/**
 * pmcgrp_evlist_alloc - allocate a list without events
 * @target: its target
 * @room: number of events that it can have
 * @account: whom to charge
 *
 * Context: may sleep.
 * Return: the list, a reference; or an ERR_PTR as of pmcgrp_charge_alloc().
 */
struct pmcgrp_evlist *pmcgrp_evlist_alloc(const struct pmcgrp_target *target, unsigned int room,
					  struct pmcgrp_account *account)
{
	size_t evcpu_size, values_size, events, values, masks, evcpus;
	struct pmcgrp_charge charge;
	struct pmcgrp_evlist *evlist;
	struct pmcgrp_evcpu *evcpu;
	int err;

	/* One allocation: list, events, two values, two masks, evcpus aligned to cache lines. */
	evcpu_size = ALIGN(struct_size(evcpu, counter, room), SMP_CACHE_BYTES);
	values_size = pmcgrp_values_size(room);
	events = sizeof(*evlist);
	values = events + room * sizeof(*evlist->event);
	masks = values + 2 * values_size;
	evcpus = masks + 2 * cpumask_size();
	pmcgrp_charge_begin_unlocked(&charge, account);
	evlist = pmcgrp_charge_alloc(&charge, evcpus + SMP_CACHE_BYTES + nr_cpu_ids * evcpu_size,
				     NUMA_NO_NODE);
	err = PTR_ERR_OR_ZERO(evlist);
	if (err)
		goto end_charge;
	evlist->room = room;
	err = charge_sets(evlist, target, &charge);
	if (err)
		goto free_list;
	evlist->charge = charge;
	evlist->event = (void *)evlist + events;
	evlist->past = (void *)evlist + values;
	evlist->total = (void *)evlist->past + values_size;
	evlist->cpus = (void *)evlist + masks;
	evlist->scratch_cpus = (void *)evlist->cpus + cpumask_size();
	evlist->evcpus = PTR_ALIGN((void *)evlist + evcpus, SMP_CACHE_BYTES);
	evlist->evcpu_size = evcpu_size;
	kref_init(&evlist->refs);
	mutex_init(&evlist->mutex);
	mutex_init(&evlist->evsets_mutex);
	INIT_LIST_HEAD(&evlist->node);
	INIT_HLIST_NODE(&evlist->hash_node);
	INIT_LIST_HEAD(&evlist->groups);
	INIT_LIST_HEAD(&evlist->watches);
	INIT_LIST_HEAD(&evlist->span_tasks);
	INIT_LIST_HEAD(&evlist->latches);
	INIT_LIST_HEAD(&evlist->sets);
	evlist->target_type = target->type;
	evlist->flags = target->flags;
	evlist->follower = target->follower;
	evlist->is_shareable = target_is_shareable(target);
	if (target->follower->whose)
		evlist->whose = target->follower->whose(target);
	cpumask_copy(evlist->cpus, target->cpus);
	evlist->cgroup = target->cgroup;
	if (evlist->cgroup)
		pmcgrp_cgroup_hold(evlist->cgroup);
	evlist->cgroup_id = target->cgroup_id;
	evlist->cgroup_level = target->cgroup_level;
	if (target->task) {
		evlist->task = get_task_struct(target->task);
		evlist->pid = get_task_pid(target->task, PIDTYPE_PID);
	}
	return evlist;

free_list:
	kvfree(evlist->cpu_sets);
	kvfree(evlist);
end_charge:
	pmcgrp_charge_end(&charge);
	return ERR_PTR(err);
}

/**
 * pmcgrp_evlist_get - take a reference
 * @evlist: the event list
 */
void pmcgrp_evlist_get(struct pmcgrp_evlist *evlist)
{
	kref_get(&evlist->refs);
}

static void evlist_free(struct kref *refs)
{
	struct pmcgrp_evlist *evlist = container_of(refs, struct pmcgrp_evlist, refs);
	struct pmcgrp_charge charge = evlist->charge;
	struct pmcgrp_evcpu *evcpu;
	int cpu;

	WARN_ON_ONCE(!list_empty(&evlist->latches) || evlist->nr_groups);
	for_each_possible_cpu(cpu) {
		evcpu = pmcgrp_evcpu_of(evlist, cpu);
		WARN_ON_ONCE(evcpu->complete || evcpu->in);
		if (evcpu->cpu_set)
			pmcgrp_evset_free(evcpu->cpu_set);
	}
	if (evlist->task)
		put_task_struct(evlist->task);
	put_pid(evlist->pid);
	if (evlist->cgroup)
		pmcgrp_cgroup_put(evlist->cgroup);
	mutex_destroy(&evlist->evsets_mutex);
	mutex_destroy(&evlist->mutex);
	kvfree(evlist->cpu_sets);
	kvfree(evlist);
	pmcgrp_charge_end(&charge);
}

/**
 * pmcgrp_evlist_put - drop a reference; the last one frees the list
 * @evlist: the event list
 *
 * Context: may sleep; perf core's mutexes may be held.
 */
void pmcgrp_evlist_put(struct pmcgrp_evlist *evlist)
{
	kref_put(&evlist->refs, evlist_free);
}

/**
 * pmcgrp_evlist_index - find an event of a list by its attr
 * @evlist: the event list
 * @attr: the attr
 *
 * Context: pmcgrp_groups_mutex held, or the list's mutex.
 * Return: its number; nr_events if there is none.
 */
unsigned int pmcgrp_evlist_index(const struct pmcgrp_evlist *evlist,
				 const struct perf_event_attr *attr)
{
	unsigned int e;

	for (e = 0; e < evlist->nr_events; e++)
		if (pmcgrp_attr_equal(&evlist->event[e]->key, attr))
			break;
	return e;
}

/* Keys of lists are made of the sum of this over their events: their order does not matter. */
static u64 config_key(u64 config)
{
	return (config ^ config >> 32) * GOLDEN_RATIO_64;
}

static u32 key_of(u64 whose, u64 configs)
{
	return hash_64(whose * 31 + configs, 32);
}

/**
 * pmcgrp_evlist_offer - let groups share a list, if it is of a kind that they may
 * @evlist: the event list, with its events
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_evlist_offer(struct pmcgrp_evlist *evlist)
{
	u64 configs = 0;
	unsigned int e;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	/* A driver may move uncore events to another CPU. */
	if (!evlist->is_shareable || evlist->is_uncore)
		return;
	for (e = 0; e < evlist->nr_events; e++)
		configs += config_key(evlist->event[e]->key.config);
	hash_add(shared, &evlist->hash_node, key_of(evlist->whose, configs));
}

/**
 * pmcgrp_evlist_withdraw - undo pmcgrp_evlist_offer(), done or not
 * @evlist: the event list
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_evlist_withdraw(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	hash_del(&evlist->hash_node);
}

static bool has_all(const struct pmcgrp_evlist *evlist, const struct perf_event_attr *const *attr,
		    unsigned int nr)
{
	unsigned int i;

	if (evlist->nr_events != nr)
		return false;
	for (i = 0; i < nr; i++)
		if (pmcgrp_evlist_index(evlist, attr[i]) == nr)
			return false;
	return true;
}

/**
 * pmcgrp_evlist_find - find a list that a new group may share
 * @target: target of the group
 * @attr: its distinct events
 * @nr: number of these
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: the list, or NULL.
 */
struct pmcgrp_evlist *pmcgrp_evlist_find(const struct pmcgrp_target *target,
					 const struct perf_event_attr *const *attr,
					 unsigned int nr)
{
	const struct pmcgrp_follower *follower = target->follower;
	struct pmcgrp_evlist *evlist;
	u64 whose, configs = 0;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!target_is_shareable(target))
		return NULL;
	whose = follower->whose(target);
	for (i = 0; i < nr; i++)
		configs += config_key(attr[i]->config);
	hash_for_each_possible(shared, evlist, hash_node, key_of(whose, configs))
		if (evlist->follower == follower && evlist->whose == whose &&
		    !((evlist->flags ^ target->flags) & SHARED_FLAGS) &&
		    has_all(evlist, attr, nr) &&
		    (!follower->suits || follower->suits(evlist, target)))
			return evlist;
	return NULL;
}
