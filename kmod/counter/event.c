// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of events: groups that count the same event share it, and so its counters (pool.c).
 *
 * An event that no group has any more is kept for a second, as tools make the same groups again and
 * again, or until no one has the device open.  Its counters are off the PMU, and not charged.
 *
 * pmcgrp_groups_mutex protects the table; perf core's mutexes nest in it.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "counter/attr.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/idle.h"
#include "counter/kernel_counter.h"
#include "counter/pool.h"
#include "platform/account.h"

/* Protects the list of groups, the table of events and their pools. */
DEFINE_MUTEX(pmcgrp_groups_mutex);

static DEFINE_HASHTABLE(events, 12);

/* Time for which an event that no group has is kept. */
#define KEEP_JIFFIES HZ

/* Events that no group has, in the order of their end; pmcgrp_groups_mutex */
static LIST_HEAD(dropped);	/* their counters may be on a PMU */
static LIST_HEAD(kept);		/* older ones, whose counters are off */
static unsigned int nr_unused;	/* counters of all of them; pmcgrp_groups_mutex */

/* Events that count context switches; pmcgrp_groups_mutex; read anywhere */
unsigned int pmcgrp_switch_events __read_mostly;

static atomic_t keepers = ATOMIC_INIT(0); /* opens of the device */

static void event_release_old(struct work_struct *work);
static DECLARE_DELAYED_WORK(release_work, event_release_old);

/**
 * pmcgrp_events_exit - end the table, after the last group
 *
 * Context: may sleep.
 */
void pmcgrp_events_exit(void)
{
	cancel_delayed_work_sync(&release_work);
	WARN_ON(!list_empty(&dropped) || !list_empty(&kept));
}

/* Hash the fields in which most events differ: hashing a whole attr would cost too much. */
static u32 key_hash(const struct perf_event_attr *key)
{
	return jhash_3words(lower_32_bits(key->config), upper_32_bits(key->config), key->type, 0);
}

static struct pmcgrp_shared_event *event_find(const struct perf_event_attr *key, u32 hash)
{
	struct pmcgrp_shared_event *ev;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	hash_for_each_possible(events, ev, node, hash)
		if (pmcgrp_attr_equal(&ev->key, key))
			return ev;
	return NULL;
}

static void event_free(struct pmcgrp_shared_event *ev)
{
	list_del(&ev->unused);
	nr_unused -= ev->nr_counters;
	hash_del(&ev->node);
	if (pmcgrp_event_counts_switches(ev))
		WRITE_ONCE(pmcgrp_switch_events, pmcgrp_switch_events - 1);
	pmcgrp_pool_end(ev);
	kfree(ev);
}

/* A PMU's module could not be unloaded as long as an event of it is kept. */
static bool event_may_be_kept(const struct pmcgrp_shared_event *ev)
{
	return ev->pmu && !ev->is_of_module;
}

static void event_retire_here(void *unused)
{
	pmcgrp_evicted_forget();
	pmcgrp_idle_evict_unreferenced();
}

/* Take the counters of dropped events off their PMUs, one IPI to a CPU, and keep the events. */
static void retire_dropped(void)
{
	static struct cpumask cpus; /* pmcgrp_groups_mutex */
	struct pmcgrp_counter *counter;
	struct pmcgrp_shared_event *ev, *next;
	int cpu;

	if (list_empty(&dropped))
		return;
	cpumask_clear(&cpus);
	list_for_each_entry(ev, &dropped, unused)
		list_for_each_entry(counter, &ev->counters, node) {
			cpu = READ_ONCE(counter->cpu);
			if (cpu >= 0 && (READ_ONCE(counter->on) || pmcgrp_evicted_any_on(cpu)))
				cpumask_set_cpu(cpu, &cpus);
		}
	on_each_cpu_mask(&cpus, event_retire_here, NULL, true);
	list_for_each_entry_safe(ev, next, &dropped, unused)
		if (!event_may_be_kept(ev))
			event_free(ev);
	list_splice_tail_init(&dropped, &kept);
}

/* Take dropped events off their PMUs, and free those that no group has had since @until. */
static void release_unused(unsigned long until)
{
	struct pmcgrp_shared_event *ev, *next;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	retire_dropped();
	list_for_each_entry_safe(ev, next, &kept, unused) {
		if (time_after(ev->unused_since, until))
			break;
		event_free(ev);
	}
}

static void event_release_old(struct work_struct *work)
{
	mutex_lock(&pmcgrp_groups_mutex);
	release_unused(jiffies - KEEP_JIFFIES);
	if (!list_empty(&kept))
		schedule_delayed_work(&release_work, KEEP_JIFFIES);
	mutex_unlock(&pmcgrp_groups_mutex);
}

/**
 * pmcgrp_events_keep - keep events that no group has, for a while
 *
 * Context: any.
 */
void pmcgrp_events_keep(void)
{
	atomic_inc(&keepers);
}

/**
 * pmcgrp_events_unkeep - undo pmcgrp_events_keep()
 *
 * Context: may sleep.
 * Return: whether it was the last one.
 */
bool pmcgrp_events_unkeep(void)
{
	if (!atomic_dec_and_test(&keepers))
		return false;
	mutex_lock(&pmcgrp_groups_mutex);
	pmcgrp_events_settle();
	mutex_unlock(&pmcgrp_groups_mutex);
	return true;
}

/**
 * pmcgrp_events_settle - end events after groups have dropped them
 *
 * Their counters are off the PMU when it returns: perf can have their room.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_events_settle(void)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	release_unused(jiffies - (atomic_read(&keepers) ? KEEP_JIFFIES : 0));
}

static struct pmcgrp_shared_event *event_create(const struct perf_event_attr *key, u32 hash)
{
	/* It outlives the groups of its user: it is not charged to a memory cgroup. */
	struct pmcgrp_shared_event *ev = kzalloc(struct_size(ev, of_cpu, nr_cpu_ids), GFP_KERNEL);

	if (!ev)
		return NULL;
	ev->key = *key;
	ev->grow_after = jiffies;
	INIT_LIST_HEAD(&ev->unused);
	pmcgrp_pool_init(ev);
	hash_add(events, &ev->node, hash);
	if (pmcgrp_event_counts_switches(ev))
		WRITE_ONCE(pmcgrp_switch_events, pmcgrp_switch_events + 1);
	return ev;
}

/**
 * pmcgrp_event_get - get an event, and create it if necessary
 * @attr: attr from pmcgrp_attr_copy()
 * @account: user of the list that is to have it
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: the event with a reference for the caller, or an ERR_PTR: -ENOMEM, or -EDQUOT if the
 * limit of counters is reached.
 */
struct pmcgrp_shared_event *pmcgrp_event_get(const struct perf_event_attr *attr,
					     struct pmcgrp_account *account)
{
	u32 hash = key_hash(attr);
	struct pmcgrp_shared_event *ev = event_find(attr, hash);

	if (ev && !ev->refs) {
		if (!pmcgrp_account_take(account, PMCGRP_LIMIT_COUNTERS, ev->nr_counters))
			return ERR_PTR(-EDQUOT);
		list_del_init(&ev->unused);
		nr_unused -= ev->nr_counters;
	}
	/* Events that are kept must not use up the limit. */
	if (!ev && pmcgrp_account_is_near(account, PMCGRP_LIMIT_COUNTERS, nr_unused))
		release_unused(jiffies);
	if (!ev)
		ev = event_create(attr, hash);
	if (!ev)
		return ERR_PTR(-ENOMEM);
	if (!ev->refs)
		ev->account = pmcgrp_account_get(account);
	WRITE_ONCE(ev->refs, ev->refs + 1);
	return ev;
}

/**
 * pmcgrp_event_put - drop a reference to an event
 * @ev: event from pmcgrp_event_get()
 *
 * Without references it is kept for a while; pmcgrp_events_settle() takes its counters off their
 * PMUs.
 *
 * Context: may sleep; pmcgrp_groups_mutex held, the caller's sets are off the PMU.
 */
void pmcgrp_event_put(struct pmcgrp_shared_event *ev)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	WRITE_ONCE(ev->refs, ev->refs - 1);
	if (ev->refs)
		return;
	pmcgrp_account_give(ev->account, PMCGRP_LIMIT_COUNTERS, ev->nr_counters);
	pmcgrp_account_put(ev->account);
	ev->account = NULL;
	ev->unused_since = jiffies;
	list_add_tail(&ev->unused, &dropped);
	nr_unused += ev->nr_counters;
	schedule_delayed_work(&release_work, KEEP_JIFFIES);
	if (!event_may_be_kept(ev))
		pmcgrp_events_settle();
}

/**
 * pmcgrp_event_nr_groups - count the groups that count an event by the counter of a CPU
 * @ev: the event
 * @cpu: the CPU
 *
 * Context: pmcgrp_groups_mutex held.
 */
unsigned int pmcgrp_event_nr_groups(const struct pmcgrp_shared_event *ev, int cpu)
{
	const struct pmcgrp_counter *counter = READ_ONCE(ev->of_cpu[cpu]);

	lockdep_assert_held(&pmcgrp_groups_mutex);
	return ev->nr_groups + (counter ? counter->refs + counter->nr_sharers : 0);
}
