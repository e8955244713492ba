// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU hotplug: what perf core has ended on a CPU is made anew when it comes online.
 *
 * When a CPU goes offline perf core detaches the events in its context without a callback
 * (kernel/events/core.c: perf_event_exit_cpu_context()).  Enabled again after the CPU has come
 * back, they look active and never count.  Such events are the carriers of groups of CPUs, the
 * guard event (guard.c), and some counters (kernel_counter.c).  The other counters are taken off
 * the PMU, and any CPU can have them.
 *
 * The callbacks only make the CPU unusable to pmcgrp, and queue work.  Making or releasing a
 * software counter flips a static key, which takes cpus_read_lock().  The hotplug operation
 * that waits for the callback holds that lock for writing.  For the same reason the callbacks
 * take none of pmcgrp's mutexes, under which counters are made.
 *
 * A PMU that is unregistered takes its events along (counter_pmu.c): lists drop their counters as
 * they drop those that a driver has moved to another CPU.
 *
 * Order: CPUHP_AP_ONLINE_DYN comes up after CPUHP_AP_PERF_ONLINE and the PMU drivers' states,
 * and goes down before them.  Between pmcgrp's offline callback and perf core's, the CPU still
 * counts as online, and counters can be made on it.  Hence pmcgrp_cpu.online, and a generation
 * that changes in both directions.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/workqueue.h>
#include "hotplug.h"
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "counter/idle.h"
#include "counter/pool.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "group/uncore.h"
#include "sched/rotate.h"
#include "sched/sched.h"
#include "set/evcpu.h"
#include "set/evlist.h"

static enum cpuhp_state hp_state;

/*
 * Create counters, carriers and triggers of all groups on an online CPU, which is not usable yet
 * (pmcgrp_sched_open()).
 */
static void evlists_online(int cpu)
{
	struct pmcgrp_evlist *evlist;
	struct pmcgrp_group *group;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(evlist, &pmcgrp_evlists, node) {
		if (!cpumask_test_cpu(cpu, evlist->cpus))
			continue;
		pmcgrp_evcpu_rebuild(evlist, cpu);
		if (!evlist->follower->counts_cpus)
			continue;
		pmcgrp_evlist_cpu_online(evlist, cpu);
		group = evlist->only_group;
		if (group && pmcgrp_group_rings(group))
			group->output->cpu_online(group, cpu);
	}
}

/* Release the counters that an offline CPU has ended. */
static void evlists_offline(int cpu)
{
	struct pmcgrp_evlist *evlist;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(evlist, &pmcgrp_evlists, node)
		if (pmcgrp_evcpu_of(evlist, cpu)->has_cpu_events)
			pmcgrp_evcpu_drop(evlist, cpu);
}

static void rebuild(struct work_struct *work)
{
	u64 generation;
	int cpu;

	mutex_lock(&pmcgrp_groups_mutex);
	for_each_possible_cpu(cpu) {
		if (pmcgrp_cpu_is_usable(cpu))
			continue;
		/* If the CPU goes offline meanwhile, opening it fails, and work is queued again. */
		generation = pmcgrp_cpu_generation(cpu);
		pmcgrp_pools_take_from(cpu);
		if (pmcgrp_cpu_is_online(cpu)) {
			evlists_online(cpu);
			pmcgrp_sched_open(cpu, generation);
		} else {
			evlists_offline(cpu);
		}
	}
	mutex_unlock(&pmcgrp_groups_mutex);
}

static DECLARE_WORK(rebuild_work, rebuild);

/*
 * Drivers of uncore PMUs have moved their events when the operation ends.  The lock is only waited
 * for: pmcgrp_groups_mutex comes before it (see above).  Another operation queues the work again.
 */
static void follow(struct work_struct *work)
{
	cpus_read_lock();
	cpus_read_unlock();
	mutex_lock(&pmcgrp_groups_mutex);
	pmcgrp_uncore_follow();
	mutex_unlock(&pmcgrp_groups_mutex);
}

static DECLARE_WORK(follow_work, follow);

static void leave_here(void *info)
{
	struct pmcgrp_counter *counter = info;

	/* It may have been spare for a moment, and have another CPU now. */
	if (counter->cpu != smp_processor_id())
		return;
	pmcgrp_evicted_forget();
	pmcgrp_rotate_counter_off(pmcgrp_this_cpu(), counter);
	WRITE_ONCE(counter->pmu, &pmcgrp_no_pmu);
}

/* Let a counter belong to no PMU if no CPU has it.  Return the CPU that has it, or -1. */
static int leave_spare(struct pmcgrp_counter *counter)
{
	int cpu;

	raw_spin_lock_irq(&counter->ev->lock);
	cpu = counter->cpu;
	if (cpu < 0)
		WRITE_ONCE(counter->pmu, &pmcgrp_no_pmu);
	raw_spin_unlock_irq(&counter->ev->lock);
	return cpu;
}

/**
 * pmcgrp_hotplug_leave_pmu - take a counter off its PMU, which is unregistered
 * @counter: the counter: its groups drop it, as where a driver has moved its events
 *
 * Context: may sleep; in perf_pmu_unregister(), pmcgrp_pmus_mutex held.
 */
void pmcgrp_hotplug_leave_pmu(struct pmcgrp_counter *counter)
{
	int cpu;

	lockdep_assert_held(&pmcgrp_pmus_mutex);
	pmcgrp_event_forget_pmu(counter->ev);
	do {
		cpu = leave_spare(counter);
		/* Of a CPU that is offline nothing is on (pmcgrp_sched_offline()). */
		if (cpu >= 0 && smp_call_function_single(cpu, leave_here, counter, 1))
			WRITE_ONCE(counter->pmu, &pmcgrp_no_pmu);
	} while (READ_ONCE(counter->pmu) != &pmcgrp_no_pmu);
	schedule_work(&follow_work);
}

static int hp_online(unsigned int cpu)
{
	pmcgrp_sched_online();
	schedule_work(&rebuild_work);
	schedule_work(&follow_work);
	return 0;
}

static int hp_offline(unsigned int cpu)
{
	pmcgrp_sched_offline();
	schedule_work(&rebuild_work);
	schedule_work(&follow_work);
	return 0;
}

/**
 * pmcgrp_hotplug_init - make all online CPUs usable, and follow hotplug
 *
 * Context: may sleep; before any group exists.
 * Return: 0 or an errno.
 */
int pmcgrp_hotplug_init(void)
{
	int state;

	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/pmcgrp:online",
				  hp_online, hp_offline);
	if (state < 0) {
		cancel_work_sync(&rebuild_work);
		cancel_work_sync(&follow_work);
		return state;
	}
	hp_state = state;
	flush_work(&rebuild_work);
	return 0;
}

/**
 * pmcgrp_hotplug_exit - make all CPUs unusable, after the last group
 *
 * Context: may sleep.
 */
void pmcgrp_hotplug_exit(void)
{
	cpuhp_remove_state(hp_state); /* calls hp_offline() on every CPU */
	cancel_work_sync(&rebuild_work);
	cancel_work_sync(&follow_work);
	pmcgrp_arbiter_flush();
}
