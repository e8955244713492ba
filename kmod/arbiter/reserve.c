// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reservation: a CPU's worker gets perf's counters for a set, and has perf core reschedule the
 * CPU.  arbiter.c says when and why.
 *
 * Context: a worker, which may sleep.  It works on the PMU with interrupts off, on its own CPU.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "arbiter/arbiter.h"
#include "arbiter/cpu.h"
#include "arbiter/reserve.h"
#include "counter/attr.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/placement.h"
#include "counter/pool.h"
#include "counter/way.h"
#include "set/evcpu.h"
#include "set/evlist.h"
#include "set/evset.h"

/* Longest wait for reservation events to be scheduled in, in intervals. */
#define RESERVE_TICKS 16

/*
 * After a failed request a group makes none for BACK_OFF_TICKS intervals.  Each further failure
 * doubles that, up to BACK_OFF_DOUBLES times.
 */
#define BACK_OFF_TICKS 16
#define BACK_OFF_DOUBLES 8

/* Failed requests take at most one part in so many of the time. */
#define RESERVE_SHARE 8

/* Time between two checks whether the reservation events are on, in microseconds. */
#define CHECK_US 200

static void (*grant)(struct pmcgrp_cpu *pcpu) __ro_after_init;

static struct perf_event *flexible_event(const struct perf_event_attr *key, int cpu)
{
	struct perf_event_attr attr = *key;

	attr.disabled = 0;
	return pmcgrp_attr_event_of_cpu(&attr, cpu);
}

/**
 * struct reservation - flexible perf events that get counters by perf core's rotation
 * @release: releases the events, where that takes long
 * @nr: number of events
 * @event: one event for each counter that is not on the PMU
 */
struct reservation {
	struct work_struct release;
	unsigned int nr;
	struct perf_event *event[PMCGRP_MEMBERS_MAX];
};

static struct workqueue_struct *releases;

static void reservation_free(struct reservation *reservation)
{
	while (reservation->nr)
		perf_event_release_kernel(reservation->event[--reservation->nr]);
	kfree(reservation);
}

static void reservation_work(struct work_struct *work)
{
	reservation_free(container_of(work, struct reservation, release));
}

/*
 * Take the events off the PMU and release them.  On PREEMPT_RT the release of each event waits for
 * an RCU grace period (kernel/irq_work.c: irq_work_sync()), which is several intervals long.  There
 * other workers wait, and this CPU's slices do not.  A pinned event may be in error, in which it
 * cannot be disabled: it leaves the CPU's context now, before it would be recovered.
 */
static void reservation_release(struct reservation *reservation)
{
	unsigned int i;

	if (!IS_ENABLED(CONFIG_PREEMPT_RT) ||
	    (reservation->nr && reservation->event[0]->attr.pinned)) {
		reservation_free(reservation);
		return;
	}
	for (i = 0; i < reservation->nr; i++)
		perf_event_disable(reservation->event[i]);
	INIT_WORK(&reservation->release, reservation_work);
	queue_work(releases, &reservation->release);
}

/* One for each CPU, made by a worker: charged to no memory cgroup. */
static struct reservation *reservation_alloc(void)
{
	return kzalloc(sizeof(struct reservation), GFP_KERNEL);
}

static bool reservation_add(struct reservation *reservation, const struct perf_event_attr *key,
			    int cpu)
{
	struct perf_event *event = flexible_event(key, cpu);

	if (IS_ERR(event))
		return false;
	reservation->event[reservation->nr++] = event;
	return true;
}

static struct reservation *reservation_make(struct pmcgrp_evlist *evlist, int cpu)
{
	struct reservation *reservation = reservation_alloc();
	const struct pmcgrp_counter *counter;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for (i = 0; reservation && i < evlist->nr_hw; i++) {
		counter = READ_ONCE(evlist->event[i]->of_cpu[cpu]);
		if (counter && READ_ONCE(counter->on))
			continue;
		if (!reservation_add(reservation, &evlist->event[i]->key, cpu)) {
			reservation_release(reservation);
			return NULL;
		}
	}
	return reservation;
}

/* perf core reschedules the CPU for an event that is made enabled. */
static void reschedule_perf(struct pmcgrp_cpu *pcpu)
{
	struct reservation *reservation = reservation_alloc();

	if (!reservation)
		return;
	reservation_add(reservation, &pcpu->arbiter.attr, pcpu->cpu);
	reservation_release(reservation);
}

static bool reservation_is_on(const struct reservation *reservation)
{
	unsigned long flags;
	bool all = true;
	unsigned int i;

	local_irq_save(flags);
	for (i = 0; i < reservation->nr; i++)
		all &= reservation->event[i]->state == PERF_EVENT_STATE_ACTIVE;
	local_irq_restore(flags);
	return all;
}

/* Whether there is nothing to wait for: a flexible set has been placed, or the group is closed. */
static bool request_is_stale(const struct pmcgrp_cpu *pcpu, const struct pmcgrp_evlist *evlist)
{
	return READ_ONCE(pcpu->arbiter.placed) ||
	       !READ_ONCE(pmcgrp_evcpu_of(evlist, pcpu->cpu)->complete);
}

/* Wait until all reservation events are on, then disable them; false if they are not in time. */
static bool reservation_wait(const struct pmcgrp_cpu *pcpu, const struct pmcgrp_evlist *evlist,
			     struct reservation *reservation)
{
	u64 end = local_clock() + RESERVE_TICKS * pmcgrp_mux_interval_ns();
	unsigned int i;

	while (!reservation_is_on(reservation)) {
		if (local_clock() > end || request_is_stale(pcpu, evlist))
			return false;
		usleep_range(CHECK_US, 2 * CHECK_US);
	}
	for (i = 0; i < reservation->nr; i++)
		perf_event_disable(reservation->event[i]);
	return true;
}

/*
 * Put the group's counters on the PMU, even if its set is not scheduled in: a task that the
 * worker has preempted finds them there when it comes back.
 */
static bool reserve_counters(struct pmcgrp_cpu *pcpu, struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_of(evlist, pcpu->cpu);
	struct pmcgrp_counter *const *counter = NULL;
	bool done = false;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	/* For a task that is not in: others may not have less for it (pool.c). */
	for (i = 0; evcpu->complete && i < evlist->nr_events; i++)
		pmcgrp_pool_reserve(evlist->event[i]);
	local_irq_disable();
	if (pcpu == pmcgrp_this_cpu() && pcpu->usable)
		counter = pmcgrp_evcpu_counters(evlist, evcpu);
	if (!counter) {
		done = true; /* the CPU is offline or the counters are gone */
	} else if (evcpu->in && evcpu->in->is_in) {
		if (!evcpu->in->on)
			grant(pcpu);
		done = evcpu->in->on;
	} else if (!pmcgrp_counters_place(counter, evlist->nr_hw)) {
		pmcgrp_counters_release(counter, evlist->nr_hw, local_clock());
		pcpu->has_idle = true;
		pmcgrp_arbiter_watch(&pcpu->arbiter);
		done = true;
	}
	local_irq_enable();
	return done;
}

/*
 * Try without reservation events, then with them.  The mutex is not held while perf core
 * rotates.  Sets of a task come in often: for them perf core makes way.
 */
static bool reserve_try(struct pmcgrp_cpu *pcpu, struct pmcgrp_evlist *evlist,
			struct task_struct *task)
{
	struct reservation *reservation;
	bool done;

	mutex_lock(&pmcgrp_groups_mutex);
	done = reserve_counters(pcpu, evlist) || (task && pmcgrp_way_make(task));
	reservation = done ? NULL : reservation_make(evlist, pcpu->cpu);
	mutex_unlock(&pmcgrp_groups_mutex);
	if (!reservation)
		return done;
	if (reservation_wait(pcpu, evlist, reservation)) {
		mutex_lock(&pmcgrp_groups_mutex);
		done = reserve_counters(pcpu, evlist);
		mutex_unlock(&pmcgrp_groups_mutex);
	}
	reservation_release(reservation);
	return done || request_is_stale(pcpu, evlist);
}

static void reserve_turn(struct pmcgrp_cpu *pcpu, struct pmcgrp_evlist *evlist,
			 struct task_struct *task)
{
	u64 start = local_clock(), now;
	unsigned int doubles;

	if (reserve_try(pcpu, evlist, task)) {
		WRITE_ONCE(evlist->requests_failed, 0);
		return;
	}
	now = local_clock();
	WRITE_ONCE(pcpu->arbiter.request_after, now + (RESERVE_SHARE - 1) * (now - start));
	doubles = min_t(unsigned int, evlist->requests_failed, BACK_OFF_DOUBLES);
	WRITE_ONCE(evlist->request_after,
		   jiffies + pmcgrp_ticks_to_jiffies(BACK_OFF_TICKS << doubles));
	WRITE_ONCE(evlist->requests_failed, evlist->requests_failed + 1);
}

/**
 * pmcgrp_reserve_work - reschedule perf events, and get counters for the requester
 * @work: work item of a CPU's arbiter
 *
 * Runs on the arbiter's CPU unless that has gone offline.  Then it changes nothing there, and
 * perf core refuses its events.
 *
 * Context: may sleep.
 */
void pmcgrp_reserve_work(struct work_struct *work)
{
	struct pmcgrp_arbiter *arbiter = container_of(work, struct pmcgrp_arbiter, work);
	struct pmcgrp_cpu *pcpu = pmcgrp_arbiter_cpu(arbiter);
	struct pmcgrp_evlist *evlist = arbiter->requester;
	struct task_struct *task = arbiter->task;

	if (arbiter->reschedule)
		reschedule_perf(pcpu);
	arbiter->reschedule = false;
	arbiter->requester = NULL;
	arbiter->task = NULL;
	if (evlist) {
		reserve_turn(pcpu, evlist, task);
		pmcgrp_evlist_put(evlist);
	}
	if (task)
		put_task_struct(task);
	/* From here on the CPU may queue this work again. */
	smp_store_release(&arbiter->busy, false);
}

/**
 * pmcgrp_reserve_init - say who places sets once their counters are free
 * @fill: places the waiting sets of this CPU that fit; interrupts off
 *
 * Context: may sleep; once, before any set exists.
 * Return: 0 or -ENOMEM.
 */
int __init pmcgrp_reserve_init(void (*fill)(struct pmcgrp_cpu *pcpu))
{
	grant = fill;
	releases = alloc_workqueue("pmcgrp_release", WQ_UNBOUND, 0);
	return releases ? 0 : -ENOMEM;
}

/**
 * pmcgrp_reserve_exit - wait until all reservation events are released
 *
 * Context: may sleep; after pmcgrp_hotplug_exit().
 */
void pmcgrp_reserve_exit(void)
{
	destroy_workqueue(releases);
}
