// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event lists: allocation, references, and the table of those that groups share.
 *
 * Groups that count the same events of the same task have one list: one set is counted for all of
 * them, and the cost of a context switch does not depend on their number.  The list counts while
 * any of them is enabled.  control.c says what each of them shows.
 *
 * Lifetime: a list starts with its first group and stops with the last one (target.c).  It owns
 *
 * - references to its events, and a row of their counters for each CPU (row.c),
 * - roots: what schedules its sets in and out (root.c),
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

/* Memory of all sets that a list of a target can have, with what they show (evlist_sets.c). */
static size_t sets_size(const struct pmcgrp_target *target, unsigned int room)
{
	bool one = pmcgrp_target_has_one_set(target->type, target->flags);
	size_t nr = one ? 1 : cpumask_weight(target->cpus);
	struct pmcgrp_evset *set;

	return nr * (struct_size(set, sum, 2 * room) +
		     (target->flags & PMCGRP_CREATE_LEADER ?
			      PMCGRP_MEMBERS_MAX * sizeof(*set->member_values) :
			      sizeof(*set->zero)));
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
	size_t row_size, events, masks, rows;
	struct pmcgrp_charge charge;
	struct pmcgrp_evlist *list;
	struct pmcgrp_row *row;
	int err;

	/* One allocation: list, events, two masks, rows aligned to cache lines. */
	row_size = ALIGN(struct_size(row, counter, room), SMP_CACHE_BYTES);
	events = sizeof(*list);
	masks = events + room * sizeof(*list->event);
	rows = masks + 2 * cpumask_size();
	pmcgrp_charge_begin_unlocked(&charge, account);
	list = pmcgrp_charge_alloc(&charge, rows + SMP_CACHE_BYTES + nr_cpu_ids * row_size,
				   NUMA_NO_NODE);
	err = PTR_ERR_OR_ZERO(list);
	if (err)
		goto end_charge;
	err = pmcgrp_charge_add(&charge, sets_size(target, room));
	if (err)
		goto free_list;
	list->charge = charge;
	list->event = (void *)list + events;
	list->cpus = (void *)list + masks;
	list->scratch_cpus = (void *)list->cpus + cpumask_size();
	list->rows = PTR_ALIGN((void *)list + rows, SMP_CACHE_BYTES);
	list->row_size = row_size;
	list->room = room;
	kref_init(&list->refs);
	mutex_init(&list->mutex);
	mutex_init(&list->evsets_mutex);
	INIT_LIST_HEAD(&list->node);
	INIT_HLIST_NODE(&list->hash_node);
	INIT_LIST_HEAD(&list->groups);
	INIT_LIST_HEAD(&list->watches);
	INIT_LIST_HEAD(&list->span_tasks);
	INIT_LIST_HEAD(&list->roots);
	INIT_LIST_HEAD(&list->sets);
	list->target_type = target->type;
	list->flags = target->flags;
	cpumask_copy(list->cpus, target->cpus);
	list->cgroup = target->cgroup;
	if (list->cgroup)
		pmcgrp_cgroup_hold(list->cgroup);
	list->cgroup_id = target->cgroup_id;
	list->cgroup_level = target->cgroup_level;
	if (target->task) {
		list->task = get_task_struct(target->task);
		list->pid = get_task_pid(target->task, PIDTYPE_PID);
	}
	return list;

free_list:
	kvfree(list);
end_charge:
	pmcgrp_charge_end(&charge);
	return ERR_PTR(err);
}

/**
 * pmcgrp_evlist_get - take a reference
 * @list: the event list
 */
void pmcgrp_evlist_get(struct pmcgrp_evlist *list)
{
	kref_get(&list->refs);
}

static void evlist_free(struct kref *refs)
{
	struct pmcgrp_evlist *list = container_of(refs, struct pmcgrp_evlist, refs);
	struct pmcgrp_charge charge = list->charge;
	struct pmcgrp_row *row;
	int cpu;

	WARN_ON_ONCE(!list_empty(&list->roots) || list->nr_groups);
	for_each_possible_cpu(cpu) {
		row = pmcgrp_row_of(list, cpu);
		WARN_ON_ONCE(row->complete || row->in);
		if (row->cpu_set)
			pmcgrp_evset_free(row->cpu_set);
	}
	if (list->task)
		put_task_struct(list->task);
	put_pid(list->pid);
	if (list->cgroup)
		pmcgrp_cgroup_put(list->cgroup);
	mutex_destroy(&list->evsets_mutex);
	mutex_destroy(&list->mutex);
	kvfree(list);
	pmcgrp_charge_end(&charge);
}

/**
 * pmcgrp_evlist_put - drop a reference; the last one frees the list
 * @list: the event list
 *
 * Context: may sleep; perf core's mutexes may be held.
 */
void pmcgrp_evlist_put(struct pmcgrp_evlist *list)
{
	kref_put(&list->refs, evlist_free);
}

/**
 * pmcgrp_evlist_index - find an event of a list by its attr
 * @list: the event list
 * @attr: the attr
 *
 * Context: pmcgrp_groups_mutex held, or the list's mutex.
 * Return: its number; nr_events if there is none.
 */
unsigned int pmcgrp_evlist_index(const struct pmcgrp_evlist *list,
				 const struct perf_event_attr *attr)
{
	unsigned int e;

	for (e = 0; e < list->nr_events; e++)
		if (pmcgrp_attr_equal(&list->event[e]->key, attr))
			break;
	return e;
}

/* Keys of lists are made of the sum of this over their events: their order does not matter. */
static u64 config_key(u64 config)
{
	return (config ^ config >> 32) * GOLDEN_RATIO_64;
}

static u32 key_of(const struct task_struct *task, u64 configs)
{
	return hash_64((unsigned long)task * 31 + configs, 32);
}

/**
 * pmcgrp_evlist_offer - let groups share a list, if it is of a kind that they may
 * @list: the event list, with its events
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_evlist_offer(struct pmcgrp_evlist *list)
{
	u64 configs = 0;
	unsigned int e;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!pmcgrp_evlist_may_be_shared(list))
		return;
	for (e = 0; e < list->nr_events; e++)
		configs += config_key(list->event[e]->key.config);
	hash_add(shared, &list->hash_node, key_of(list->task, configs));
}

/**
 * pmcgrp_evlist_withdraw - undo pmcgrp_evlist_offer(), done or not
 * @list: the event list
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_evlist_withdraw(struct pmcgrp_evlist *list)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	hash_del(&list->hash_node);
}

static bool has_all(const struct pmcgrp_evlist *list, const struct perf_event_attr *const *attr,
		    unsigned int nr)
{
	unsigned int i;

	if (list->nr_events != nr)
		return false;
	for (i = 0; i < nr; i++)
		if (pmcgrp_evlist_index(list, attr[i]) == nr)
			return false;
	return true;
}

/**
 * pmcgrp_evlist_find - find a list that a new group may share
 * @target: target of the group
 * @attr: its distinct events
 * @nr: number of these
 *
 * Context: pmcgrp_groups_mutex held.
 * Return: the list, or NULL.
 */
struct pmcgrp_evlist *pmcgrp_evlist_find(const struct pmcgrp_target *target,
					 const struct perf_event_attr *const *attr,
					 unsigned int nr)
{
	struct pmcgrp_evlist *list;
	u64 configs = 0;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (target->type != PMCGRP_TARGET_TASK || target->flags & ~PMCGRP_CREATE_DISABLED)
		return NULL;
	for (i = 0; i < nr; i++)
		configs += config_key(attr[i]->config);
	hash_for_each_possible(shared, list, hash_node, key_of(target->task, configs))
		if (list->task == target->task && has_all(list, attr, nr))
			return list;
	return NULL;
}
