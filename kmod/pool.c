// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of counters: one for each event and CPU, shared by all groups that count the event.
 *
 * A counter is an event of perf core, bound to its CPU.  perf core visits all events in the CPU's
 * own context whenever it schedules pinned or flexible events there: users of perf who have
 * nothing to do with pmcgrp would pay for each counter.  So the counters are events of a task: a
 * kernel thread that sleeps for ever, whose context is never scheduled.  They outlive CPU hotplug,
 * too.
 *
 * An event of a task has a price of its own: while there is one, perf core is called at every
 * context switch of the machine (kernel/events/core.c: account_event(), perf_sched_events).  A
 * group of tasks has carriers that ask for that anyway.  A group of CPUs does not: counters that it
 * is the first to need are in the CPU's context.
 *
 * perf core leaves a counter's event alone, since its state is OFF (kernel/events/core.c:
 * event_sched_in() and merge_sched_in() return at once for PERF_EVENT_STATE_OFF and below).
 *
 * Rows of groups hold a counter.  A group releases its rows after the carriers that could use the
 * counters.  Without rows a counter is kept for a second, as tools make the same groups again and
 * again, or until no one has the device open.  pmcgrp_groups_mutex protects the pool; perf core's
 * mutexes nest in it.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "group.h"
#include "pinned.h"
#include "idle.h"
#include "core_pmu.h"
#include "counter_reg.h"
#include "pool.h"
#include "counter.h"

static DEFINE_HASHTABLE(pool, 8);
static atomic_t nr_counters; /* counters that rows hold, and triggers */
static int max_counters;     /* constant after init */

/* Time for which a counter that no row holds is kept. */
#define KEEP_JIFFIES HZ

static LIST_HEAD(unused);      /* counters that no row holds, oldest first; pmcgrp_groups_mutex */
static unsigned int nr_unused; /* pmcgrp_groups_mutex */

static atomic_t keepers = ATOMIC_INIT(0); /* opens of the device */

static void release_old(struct work_struct *work);
static DECLARE_DELAYED_WORK(release_work, release_old);

static struct task_struct *sleeper; /* or NULL; pmcgrp_groups_mutex */
static unsigned int nr_of_sleeper;  /* counters that are its events; pmcgrp_groups_mutex */

/**
 * pmcgrp_pool_init - initialise the pool; once, before any counter exists
 * @counters_max: limit on the number of counters and triggers
 */
void pmcgrp_pool_init(unsigned int counters_max)
{
	pmcgrp_counters_init();
	max_counters = counters_max;
}

static int sleep_for_ever(void *unused)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void sleeper_stop(void)
{
	if (sleeper)
		kthread_stop(sleeper);
	sleeper = NULL;
}

/* Count one more event of the sleeper, which is started if necessary. */
static struct task_struct *sleeper_get(void)
{
	struct task_struct *task;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!sleeper) {
		task = kthread_run(sleep_for_ever, NULL, "pmcgrp");
		if (IS_ERR(task))
			return task;
		sleeper = task;
		pmcgrp_prime_hardware(task);
	}
	nr_of_sleeper++;
	return sleeper;
}

/*
 * Where each PMU of a task has a context, that of hardware points to the PMU that it was made for
 * (pmcgrp_prime_hardware()).  A PMU can be unregistered when it has no events: then the sleeper
 * has none left, or has others first.  So it does not outlive its last event.
 */
static void sleeper_put(void)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!--nr_of_sleeper && !pmcgrp_core_has_one_context())
		sleeper_stop();
}

/**
 * pmcgrp_pool_exit - end the pool, after the last group
 *
 * Context: may sleep.
 */
void pmcgrp_pool_exit(void)
{
	cancel_delayed_work_sync(&release_work);
	WARN_ON(nr_unused);
	WARN_ON(atomic_read(&nr_counters));
	sleeper_stop();
}

/**
 * pmcgrp_counters_charge - charge an event, of a counter or a trigger, to the limit
 *
 * Context: any.
 * Return: false if the limit is reached.
 */
bool pmcgrp_counters_charge(void)
{
	return atomic_add_unless(&nr_counters, 1, max_counters);
}

/**
 * pmcgrp_counters_uncharge - undo pmcgrp_counters_charge()
 */
void pmcgrp_counters_uncharge(void)
{
	atomic_dec(&nr_counters);
}

/* Hash the fields in which most events differ: hashing a whole attr would cost too much. */
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
		if (counter->cpu == cpu &&
		    (!counter->is_cpu_event || counter->generation == generation) &&
		    pmcgrp_attr_equal(&counter->key, key))
			return counter;
	return NULL;
}

/**
 * pmcgrp_event_is_probe - tell whether an event is of the kprobe or uprobe PMU
 * @event: the event
 *
 * The attr of a probe has a user-space pointer.
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
 * pmcgrp_event_can_be_used - tell whether an event can be a counter or a trigger
 * @event: the event
 * @cpu: the CPU that it was made for, or -1
 *
 * Three kinds of PMU are refused: those that trace instead of counting, those that take one
 * event only, and those without per-CPU contexts.  The last ones are uncore PMUs:
 * perf_pmu_migrate_context() would move the event to another CPU.
 */
bool pmcgrp_event_can_be_used(const struct perf_event *event, int cpu)
{
	const struct pmu *pmu = event->pmu;

	return event->cpu == cpu && !pmu->setup_aux &&
	       !(pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE) &&
	       pmu->task_ctx_nr != perf_invalid_context;
}

/*
 * Marks are hashes, so that different small sets of them have different sums.  Random numbers
 * would do as well, but the first ones take long.
 */
static u64 next_mark(void)
{
	static u32 last;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	last++;
	return (u64)jhash_1word(last, 0) << 32 | jhash_1word(last, 1);
}

/* Make the event of a counter: of its CPU alone, or of the sleeper. */
static struct perf_event *counter_event(const struct pmcgrp_counter *counter)
{
	struct perf_event_attr attr = counter->key;
	struct task_struct *task = NULL;
	struct perf_event *event;

	if (!counter->is_cpu_event)
		task = sleeper_get();
	if (IS_ERR(task))
		return ERR_CAST(task);
	event = perf_event_create_kernel_counter(&attr, counter->cpu, task, NULL, NULL);
	if (IS_ERR(event) && task)
		sleeper_put();
	return event;
}

static void counter_event_release(const struct pmcgrp_counter *counter)
{
	perf_event_release_kernel(counter->event);
	if (!counter->is_cpu_event)
		sleeper_put();
}

static struct pmcgrp_counter *counter_create(const struct perf_event_attr *key, int cpu,
					     u64 generation, bool for_cpus)
{
	struct pmcgrp_counter *counter;
	int err;

	counter = kzalloc(sizeof(*counter), GFP_KERNEL);
	if (!counter)
		return ERR_PTR(-ENOMEM);
	counter->key = *key;
	counter->cpu = cpu;
	counter->generation = generation;
	counter->is_cpu_event = for_cpus;
	counter->refs = 1;
	INIT_LIST_HEAD(&counter->placed);
	counter->event = counter_event(counter);
	if (IS_ERR(counter->event)) {
		err = PTR_ERR(counter->event);
		if (err == -EINVAL && pmcgrp_attr_is_metric(key))
			err = -PMCGRP_ETOPDOWN;
		goto free_counter;
	}
	/*
	 * The PMU would sample or trace instead of counting: perf_ibs_init() turns counting into
	 * sampling.
	 */
	if (is_sampling_event(counter->event) || counter->event->pmu->setup_aux) {
		err = -PMCGRP_ESAMPLES;
		goto release_event;
	}
	/*
	 * The user pointer in a probe's attr is meaningless to other groups, and to the worker
	 * that makes counters for a CPU that comes back.  A probe made in tracefs is an ordinary
	 * tracepoint.
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
		err = pmcgrp_guard_get(counter);
		if (err)
			goto release_event;
	}
	return counter;

release_event:
	counter_event_release(counter);
free_counter:
	kfree(counter);
	return ERR_PTR(err);
}

static void counter_free(struct pmcgrp_counter *counter)
{
	WARN_ON_ONCE(counter->users || counter->on);
	list_del(&counter->unused);
	nr_unused--;
	hash_del(&counter->node);
	if (!pmcgrp_counter_is_software(counter))
		pmcgrp_guard_put(counter);
	counter_event_release(counter);
	kfree(counter);
}

/* A PMU's module could not be unloaded as long as an event of it is kept. */
static bool counter_is_kept(const struct pmcgrp_counter *counter, unsigned long until)
{
	return !counter->event->pmu->module && time_after(counter->unused_since, until);
}

static void retire_here(void *unused)
{
	pmcgrp_guard_forget();
	pmcgrp_counters_evict_unreferenced();
}

/*
 * Take the counters that no row holds off their PMUs, with one IPI to a CPU, and free those that
 * no row has held since @until.
 */
static void release_unused(unsigned long until)
{
	static struct cpumask cpus; /* pmcgrp_groups_mutex */
	struct pmcgrp_counter *counter, *next;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	cpumask_clear(&cpus);
	list_for_each_entry(counter, &unused, unused)
		if (READ_ONCE(counter->on) || pmcgrp_guard_has(counter->cpu))
			cpumask_set_cpu(counter->cpu, &cpus);
	on_each_cpu_mask(&cpus, retire_here, NULL, true);
	list_for_each_entry_safe(counter, next, &unused, unused)
		if (!counter_is_kept(counter, until))
			counter_free(counter);
}

static void release_old(struct work_struct *work)
{
	mutex_lock(&pmcgrp_groups_mutex);
	release_unused(jiffies - KEEP_JIFFIES);
	if (!list_empty(&unused))
		schedule_delayed_work(&release_work, KEEP_JIFFIES);
	mutex_unlock(&pmcgrp_groups_mutex);
}

/**
 * pmcgrp_counters_keep - keep counters that no row holds, for a while
 *
 * Context: any.
 */
void pmcgrp_counters_keep(void)
{
	atomic_inc(&keepers);
}

/**
 * pmcgrp_counters_unkeep - undo pmcgrp_counters_keep()
 *
 * Context: may sleep.
 */
void pmcgrp_counters_unkeep(void)
{
	if (!atomic_dec_and_test(&keepers))
		return;
	mutex_lock(&pmcgrp_groups_mutex);
	pmcgrp_counters_settle();
	mutex_unlock(&pmcgrp_groups_mutex);
}

/**
 * pmcgrp_counters_settle - end counters after rows have dropped them
 *
 * They are off the PMU when it returns: perf can have their room.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_counters_settle(void)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	release_unused(jiffies - (atomic_read(&keepers) ? KEEP_JIFFIES : 0));
}

/**
 * pmcgrp_counter_get - get the counter of an event on a CPU, and create it if necessary
 * @attr: attr from pmcgrp_attr_copy()
 * @cpu: the CPU
 * @generation: pmcgrp_cpu_generation() of @cpu, read before the call
 * @for_cpus: a counter that is created is for a group of CPUs: an event of @cpu alone
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: a counter with a reference for the caller, or an ERR_PTR: -ENODEV for an offline CPU,
 * -ENOENT for an event that no PMU of @cpu knows, -EOPNOTSUPP, -PMCGRP_ESAMPLES or
 * -PMCGRP_ETOPDOWN for an event that cannot be a member, -EDQUOT if the limit is reached, or the
 * PMU's error.
 */
struct pmcgrp_counter *pmcgrp_counter_get(const struct perf_event_attr *attr, int cpu,
					  u64 generation, bool for_cpus)
{
	struct pmcgrp_counter *counter;

	counter = counter_find(attr, cpu, generation);
	if (counter && counter->refs) {
		counter->refs++;
		return counter;
	}
	if (!pmcgrp_counters_charge())
		return ERR_PTR(-EDQUOT);
	if (counter) {
		list_del_init(&counter->unused);
		nr_unused--;
		WRITE_ONCE(counter->refs, 1);
		return counter;
	}
	if (atomic_read(&nr_counters) + nr_unused > max_counters)
		release_unused(jiffies);
	counter = counter_create(attr, cpu, generation, for_cpus);
	if (IS_ERR(counter))
		pmcgrp_counters_uncharge();
	else
		hash_add(pool, &counter->node, counter_hash(attr, cpu));
	return counter;
}

/**
 * pmcgrp_counter_put - drop a reference to a counter
 * @counter: counter from pmcgrp_counter_get()
 *
 * Without references it is kept for a while; pmcgrp_counters_settle() takes it off the PMU.
 *
 * Context: may sleep; pmcgrp_groups_mutex held, the caller's sets are off the PMU.
 */
void pmcgrp_counter_put(struct pmcgrp_counter *counter)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	WRITE_ONCE(counter->refs, counter->refs - 1);
	if (counter->refs)
		return;
	pmcgrp_counters_uncharge();
	counter->unused_since = jiffies;
	list_add_tail(&counter->unused, &unused);
	nr_unused++;
	schedule_delayed_work(&release_work, KEEP_JIFFIES);
	if (counter->event->pmu->module)
		pmcgrp_counters_settle();
}
