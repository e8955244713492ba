// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of an event: its counters, and which CPU has which.
 *
 * A set that is scheduled in on a CPU uses the counter that the CPU has of an event, or takes a
 * spare one.  The counter stays with the CPU when the set leaves, on the PMU, idle.  It is given
 * back at once if there are fewer counters than CPUs, and fewer spare ones than tasks that may need
 * one.  A new pool has a counter for each of these tasks, and at most one for each CPU:
 *
 *	A task that comes in is one of @want, and none of the others that are in has more than
 *	one counter.  A counter that a set leaves behind is left only if @want others are spare.
 *	So whoever comes in finds a counter on its CPU, or a spare one.
 *
 * Each time that a set had to give one back a worker makes one more.  So a counter can stay with
 * its CPU once a task has been switched from there, and a task that moves comes to have one on each
 * CPU where it runs.
 *
 * A counter is bound to a CPU where each CPU has a PMU of its own kind (@is_bound of the event), or
 * while an evcpu of a group of CPUs has it (@refs of the counter).
 *
 * A counter that changes hands is off the PMU, and is given and taken under the pool's lock: what
 * one CPU has counted by it is seen by the next.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "counter/attr.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/guard.h"
#include "counter/idle.h"
#include "counter/kernel_counter.h"
#include "counter/pool.h"
#include "counter/sleeper.h"
#include "platform/cpu_state.h"

/* Pools with fewer counters than CPUs. */
atomic_t pmcgrp_nr_small_pools = ATOMIC_INIT(0);

static LIST_HEAD(pools); /* pmcgrp_groups_mutex */

static void pools_grow(struct work_struct *work);
static DECLARE_WORK(grow_work, pools_grow);

static void grow_kick(struct irq_work *unused)
{
	schedule_work(&grow_work);
}

/* Queues the worker from where the run-queue lock is held. */
static struct irq_work grow_irq_work = IRQ_WORK_INIT_HARD(grow_kick);

/**
 * pmcgrp_pools_init - initialise what pools have in common; once, before any counter exists
 * @counters_max: limit on the number of counters and triggers of each user
 * @ops: who is notified of hardware counters
 */
void pmcgrp_pools_init(unsigned int counters_max, const struct pmcgrp_hardware_ops *ops)
{
	pmcgrp_cpu_state_init();
	pmcgrp_counters_init();
	pmcgrp_kernel_counters_init(counters_max, ops);
}

/**
 * pmcgrp_pools_exit - end the pools, after the last event
 *
 * Context: may sleep.
 */
void pmcgrp_pools_exit(void)
{
	irq_work_sync(&grow_irq_work);
	cancel_work_sync(&grow_work);
	WARN_ON(!list_empty(&pools));
	WARN_ON(atomic_read(&pmcgrp_nr_small_pools));
	pmcgrp_sleeper_exit();
}

/**
 * pmcgrp_pool_init - initialise the pool of a new event
 * @ev: the event
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_pool_init(struct pmcgrp_shared_event *ev)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	raw_spin_lock_init(&ev->lock);
	INIT_LIST_HEAD(&ev->counters);
	list_add(&ev->pool_node, &pools);
}

/* Cover the event's PMU on all CPUs, as any of them may get a counter. */
static void pool_guard(struct pmcgrp_shared_event *ev)
{
	if (ev->guarded || ev->is_software)
		return;
	pmcgrp_guard_get_all(ev->pmu, &ev->key);
	ev->guarded = true;
}

static void pool_unguard(struct pmcgrp_shared_event *ev)
{
	if (!ev->guarded)
		return;
	pmcgrp_guard_put_all(ev->pmu);
	ev->guarded = false;
}

/**
 * pmcgrp_pool_end - free the counters of an event
 * @ev: the event, which no group has; its counters are off their PMUs, and do not come back
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_pool_end(struct pmcgrp_shared_event *ev)
{
	struct pmcgrp_counter *counter, *next;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_del(&ev->pool_node);
	if (ev->nr && ev->nr < pmcgrp_nr_cpus)
		atomic_dec(&pmcgrp_nr_small_pools);
	list_for_each_entry_safe(counter, next, &ev->counters, node)
		pmcgrp_kernel_counter_free(counter);
	pool_unguard(ev);
}

/* Change how many counters go to any CPU; the lock held. */
static void pool_resize(struct pmcgrp_shared_event *ev, int more)
{
	bool was_small = ev->nr && ev->nr < pmcgrp_nr_cpus;
	bool is_small;

	lockdep_assert_held(&ev->lock);
	WRITE_ONCE(ev->nr, ev->nr + more);
	is_small = ev->nr && ev->nr < pmcgrp_nr_cpus;
	if (was_small != is_small)
		atomic_add(is_small - was_small, &pmcgrp_nr_small_pools);
}

static void pool_put_spare(struct pmcgrp_shared_event *ev, struct pmcgrp_counter *counter)
{
	lockdep_assert_held(&ev->lock);
	counter->next = ev->spare;
	ev->spare = counter;
	WRITE_ONCE(ev->nr_spare, ev->nr_spare + 1);
}

/* Whether an event's PMU is that of all CPUs online: known where such an event has been. */
static bool is_of_all_cpus(struct perf_event *event)
{
	return pmcgrp_guard_covers_all(event->pmu) || pmcgrp_event_is_of_all_cpus(event);
}

/*
 * Make one counter more that any CPU can have.  The first one shows whether the event's PMU is that
 * of all CPUs.  Return 0, 1 if it is not, or an errno.
 */
static int pool_add(struct pmcgrp_shared_event *ev)
{
	struct pmcgrp_counter *counter;
	bool first = !ev->nr;
	unsigned long flags;

	counter = pmcgrp_kernel_counter_create(ev, -1, 0, false);
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	if (first && !is_of_all_cpus(counter->event)) {
		ev->is_bound = true;
		pmcgrp_kernel_counter_discard(counter);
		return 1;
	}
	if (first)
		pmcgrp_perf_event_note_pmu(ev, counter->event);
	pool_guard(ev);
	raw_spin_lock_irqsave(&ev->lock, flags);
	pool_resize(ev, 1);
	pool_put_spare(ev, counter);
	raw_spin_unlock_irqrestore(&ev->lock, flags);
	return 0;
}

/**
 * pmcgrp_pool_is_behind - whether a pool has fewer counters than may be needed at a time
 * @ev: the event
 *
 * Context: pmcgrp_groups_mutex held.
 */
bool pmcgrp_pool_is_behind(const struct pmcgrp_shared_event *ev)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	return ev->nr < min(ev->want, pmcgrp_nr_cpus);
}

/**
 * pmcgrp_pool_want - let more tasks count an event
 * @ev: the event
 * @nr: number of tasks
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, also if the event turns out to be @is_bound: then pmcgrp_pool_bind() has to be
 * called for each CPU.  Or an errno as of pmcgrp_pool_bind(), without effect.
 */
int pmcgrp_pool_want(struct pmcgrp_shared_event *ev, unsigned int nr)
{
	int err = 0;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (ev->is_bound)
		return 0;
	WRITE_ONCE(ev->want, ev->want + nr);
	while (!err && pmcgrp_pool_is_behind(ev))
		err = pool_add(ev);
	if (!err)
		return 0;
	WRITE_ONCE(ev->want, ev->want - nr);
	return min(err, 0);
}

/**
 * pmcgrp_pools_want_more - let lists of several tasks want more counters
 * @nr: how many each wants more than before; pmcgrp_pools_fill() makes them
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_pools_want_more(unsigned int nr)
{
	struct pmcgrp_shared_event *ev;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(ev, &pools, pool_node)
		WRITE_ONCE(ev->want, ev->want + ev->nr_several * nr);
}

/**
 * pmcgrp_pool_unwant - undo pmcgrp_pool_want()
 * @ev: the event, not @is_bound
 * @nr: number of tasks
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_pool_unwant(struct pmcgrp_shared_event *ev, unsigned int nr)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	WRITE_ONCE(ev->want, ev->want - nr);
}

/**
 * pmcgrp_pool_reserve - see to it that a counter can be taken for a task that is not in
 * @ev: the event; nothing is to be done for one that only groups of CPUs have
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, or an errno as of pmcgrp_pool_bind().
 */
int pmcgrp_pool_reserve(struct pmcgrp_shared_event *ev)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!ev->want || ev->nr >= pmcgrp_nr_cpus || READ_ONCE(ev->nr_spare) > ev->want)
		return 0;
	return pool_add(ev);
}

/* Let a pool have as many counters as it wants, and one more if it was short of them. */
static void pool_fill(struct pmcgrp_shared_event *ev)
{
	int err = 0;

	while (!err && ev->refs && pmcgrp_pool_is_behind(ev)) {
		err = pool_add(ev);
		cond_resched();
	}
	if (!READ_ONCE(ev->is_short))
		return;
	/* After an error counters go on changing hands. */
	if (err || (ev->refs && ev->nr < pmcgrp_nr_cpus && pool_add(ev)))
		WRITE_ONCE(ev->grow_after, jiffies + HZ);
	WRITE_ONCE(ev->is_short, false);
}

/**
 * pmcgrp_pools_fill - make the counters that pools want
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_pools_fill(void)
{
	struct pmcgrp_shared_event *ev;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(ev, &pools, pool_node)
		pool_fill(ev);
}

static void pools_grow(struct work_struct *work)
{
	mutex_lock(&pmcgrp_groups_mutex);
	pmcgrp_pools_fill();
	mutex_unlock(&pmcgrp_groups_mutex);
}

static void pool_is_short(struct pmcgrp_shared_event *ev)
{
	if (READ_ONCE(ev->is_short) || time_before(jiffies, READ_ONCE(ev->grow_after)))
		return;
	WRITE_ONCE(ev->is_short, true);
	irq_work_queue(&grow_irq_work);
}

/**
 * pmcgrp_pool_counter_here - get the counter that this CPU has of an event, or a spare one
 * @ev: the event, which a group has
 *
 * Context: interrupts off; perf core's locks may be held.
 * Return: the counter, which belongs to this CPU, or NULL if none is spare; then one is being made.
 */
struct pmcgrp_counter *pmcgrp_pool_counter_here(struct pmcgrp_shared_event *ev)
{
	int cpu = smp_processor_id();
	struct pmcgrp_counter *counter;

	lockdep_assert_irqs_disabled();
	counter = READ_ONCE(ev->of_cpu[cpu]);
	if (counter && !pmcgrp_counter_is_dead(counter))
		return counter;
	raw_spin_lock(&ev->lock);
	counter = ev->of_cpu[cpu];
	if (!counter || pmcgrp_counter_is_dead(counter)) {
		counter = ev->spare;
		if (counter) {
			ev->spare = counter->next;
			WRITE_ONCE(ev->nr_spare, ev->nr_spare - 1);
			WRITE_ONCE(counter->cpu, cpu);
			WRITE_ONCE(ev->of_cpu[cpu], counter);
		}
	}
	raw_spin_unlock(&ev->lock);
	if (!counter)
		pool_is_short(ev);
	return counter;
}

/* Whether tasks elsewhere may need a counter that this CPU does not need. */
static bool pool_is_tight(const struct pmcgrp_shared_event *ev)
{
	return READ_ONCE(ev->nr) < pmcgrp_nr_cpus &&
	       READ_ONCE(ev->nr_spare) < READ_ONCE(ev->want);
}

/*
 * Make a counter of this CPU or an offline one, which is off the PMU, a spare one, unless an evcpu
 * there needs it.
 */
static void pool_give(struct pmcgrp_counter *counter)
{
	struct pmcgrp_shared_event *ev = counter->ev;
	int cpu = counter->cpu;

	raw_spin_lock(&ev->lock);
	if (!counter->refs) {
		WRITE_ONCE(ev->of_cpu[cpu], NULL);
		WRITE_ONCE(counter->cpu, -1);
		pool_put_spare(ev, counter);
	}
	raw_spin_unlock(&ev->lock);
}

/**
 * pmcgrp_pool_give_back_slow - pmcgrp_pool_give_back() where pools are small
 * @counter: the set's counters
 * @nr: number of all of them
 * @grow: have one more made of each that is given back, as the set will come again
 *
 * Context: interrupts off, in a recursion section; perf core's locks may be held.
 */
void pmcgrp_pool_give_back_slow(struct pmcgrp_counter *const *counter, unsigned int nr, bool grow)
{
	int cpu = smp_processor_id();
	bool any = false;

	lockdep_assert_irqs_disabled();
	for (; nr; counter++, nr--) {
		struct pmcgrp_counter *one = *counter;

		if (one->is_bound || !pool_is_tight(one->ev) || READ_ONCE(one->cpu) != cpu ||
		    one->users || READ_ONCE(one->refs))
			continue;
		if (grow)
			pool_is_short(one->ev);
		/* One that cannot leave the PMU now stays here: the pool grows. */
		if (one->on && !pmcgrp_idle_try_evict(one))
			continue;
		pool_give(one);
		any = true;
	}
	/* Other sets that are in here may have these counters in their evcpus. */
	if (any)
		pmcgrp_lookups_end();
}

static void pool_retire_here(void *counter)
{
	pmcgrp_evicted_forget();
	pmcgrp_idle_evict(counter);
}

/*
 * Free a dead counter that no evcpu has.  A driver may have moved its event to another CPU while
 * its own is online: it may be idle on the PMU there.
 */
static void discard_dead(struct pmcgrp_counter *counter)
{
	if (READ_ONCE(counter->on) || pmcgrp_evicted_any_on(counter->cpu))
		smp_call_function_single(counter->cpu, pool_retire_here, counter, 1);
	pmcgrp_kernel_counter_discard(counter);
}

/* Free the dead counters of a CPU that no evcpu has. */
static void pool_reap(struct pmcgrp_shared_event *ev, int cpu)
{
	struct pmcgrp_counter *counter, *next;

	list_for_each_entry_safe(counter, next, &ev->counters, node) {
		if (counter->cpu != cpu || counter->refs || !pmcgrp_counter_is_dead(counter))
			continue;
		raw_spin_lock_irq(&ev->lock);
		if (ev->of_cpu[cpu] == counter)
			WRITE_ONCE(ev->of_cpu[cpu], NULL);
		raw_spin_unlock_irq(&ev->lock);
		discard_dead(counter);
	}
}

/**
 * pmcgrp_pools_take_from - make the counters spare that a CPU had when it went offline
 * @cpu: the CPU, not usable
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_pools_take_from(int cpu)
{
	struct pmcgrp_counter *counter;
	struct pmcgrp_shared_event *ev;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(ev, &pools, pool_node) {
		local_irq_disable();
		counter = ev->of_cpu[cpu];
		if (counter && !counter->is_bound && !WARN_ON_ONCE(counter->on || counter->users))
			pool_give(counter);
		local_irq_enable();
		/* Those of events that no group has go with the event. */
		if (ev->refs)
			pool_reap(ev, cpu);
	}
}

/*
 * Let a new counter be the one that its CPU has, unless it has got another one meanwhile.  Return
 * the counter that is not needed any more, or NULL.
 */
static struct pmcgrp_counter *bind_new(struct pmcgrp_shared_event *ev,
				       struct pmcgrp_counter *counter)
{
	struct pmcgrp_counter *old;
	int cpu = counter->cpu;

	raw_spin_lock_irq(&ev->lock);
	old = ev->of_cpu[cpu];
	if (old && !pmcgrp_counter_is_dead(old))
		old = counter;
	else
		WRITE_ONCE(ev->of_cpu[cpu], counter);
	raw_spin_unlock_irq(&ev->lock);
	return old && !old->refs ? old : NULL;
}

/* Count an evcpu that needs a counter where it is.  Return false if the CPU has given it back. */
static bool bind_ref(struct pmcgrp_shared_event *ev, struct pmcgrp_counter *counter, int cpu)
{
	bool here;

	raw_spin_lock_irq(&ev->lock);
	here = ev->of_cpu[cpu] == counter;
	if (here) {
		WRITE_ONCE(counter->refs, counter->refs + 1);
		if (counter->refs == 1 && !counter->is_bound)
			pool_resize(ev, -1);
	}
	raw_spin_unlock_irq(&ev->lock);
	return here;
}

/**
 * pmcgrp_pool_bind - get a counter of an event that stays on a CPU
 * @ev: the event
 * @cpu: the CPU
 * @generation: pmcgrp_cpu_generation() of @cpu, read before the call
 * @for_cpus: for a group of CPUs: a counter that is created may be an event of @cpu alone
 *
 * If the CPU has a counter of the event, it is that one.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: the counter, or an ERR_PTR: -ENODEV for an offline CPU, -ENOENT for an event that no PMU
 * of @cpu knows, -EOPNOTSUPP, -PMCGRP_ESAMPLES, -PMCGRP_ETOPDOWN, -PMCGRP_EGUEST or
 * -PMCGRP_EELSEWHERE for an event that cannot be a member, -PMCGRP_EUSERREAD for one that only
 * groups of tasks can have, -EDQUOT if the limit is reached, or the PMU's error.
 */
struct pmcgrp_counter *pmcgrp_pool_bind(struct pmcgrp_shared_event *ev, int cpu, u64 generation,
					bool for_cpus)
{
	struct pmcgrp_counter *counter, *old;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (for_cpus && pmcgrp_kernel_counter_asks_user_read(ev, cpu))
		return ERR_PTR(-PMCGRP_EUSERREAD);
	do {
		counter = READ_ONCE(ev->of_cpu[cpu]);
		if (counter && !pmcgrp_counter_is_dead(counter))
			continue;
		counter = pmcgrp_kernel_counter_create(ev, cpu, generation, for_cpus);
		if (IS_ERR(counter))
			return counter;
		old = bind_new(ev, counter);
		if (old)
			discard_dead(old);
		counter = READ_ONCE(ev->of_cpu[cpu]);
	} while (!counter || !bind_ref(ev, counter, cpu));
	/* Tasks may be in need of one that can go elsewhere; an error makes the pool short. */
	while (pmcgrp_pool_is_behind(ev) && !pool_add(ev))
		;
	return counter;
}

/**
 * pmcgrp_pool_unbind - undo pmcgrp_pool_bind()
 * @counter: the counter
 *
 * It stays with its CPU: tasks may use it there.
 *
 * Context: may sleep; pmcgrp_groups_mutex held, the caller's sets are off the PMU.
 */
void pmcgrp_pool_unbind(struct pmcgrp_counter *counter)
{
	struct pmcgrp_shared_event *ev = counter->ev;
	bool dead;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	raw_spin_lock_irq(&ev->lock);
	WRITE_ONCE(counter->refs, counter->refs - 1);
	if (!counter->refs && !counter->is_bound)
		pool_resize(ev, 1);
	dead = !counter->refs && pmcgrp_counter_is_dead(counter);
	if (dead && ev->of_cpu[counter->cpu] == counter)
		WRITE_ONCE(ev->of_cpu[counter->cpu], NULL);
	raw_spin_unlock_irq(&ev->lock);
	if (dead)
		discard_dead(counter);
}
