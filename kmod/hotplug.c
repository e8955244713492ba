// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU hotplug.  When a CPU goes offline perf core detaches its events without
 * telling anyone (kernel/events/core.c: perf_event_exit_cpu_context()); enabled
 * again after it has come back they look alive and never run.  So counters and CPU
 * carriers are made anew.
 *
 * The callbacks themselves only close the gang and queue work: creating or
 * releasing a software counter flips a static key, which takes cpus_read_lock(),
 * for which the hotplug operation waiting for our callback holds the write side.
 * For the same reason they take none of pmcgrp's mutexes, under which counters
 * are made.
 *
 * Ordering: CPUHP_AP_ONLINE_DYN comes up after, and goes down before, perf's own
 * CPUHP_AP_PERF_ONLINE and the PMU drivers' states.  Between our offline callback
 * and perf's the CPU still counts as online and counters can still be made on
 * it: hence the gang's own idea of alive, and an epoch that changes both ways.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/workqueue.h>
#include "sched.h"
#include "group.h"
#include "hotplug.h"

static enum cpuhp_state hp_state;

static void rebuild(struct work_struct *work)
{
	u64 generation;
	int cpu;

	mutex_lock(&pmcgrp_groups_mutex);
	for_each_possible_cpu(cpu) {
		if (pmcgrp_cpu_is_usable(cpu))
			continue;
		/* If it goes meanwhile, opening fails, and work is queued again. */
		generation = pmcgrp_cpu_generation(cpu);
		if (pmcgrp_cpu_is_online(cpu)) {
			pmcgrp_groups_rebuild(cpu);
			pmcgrp_cpu_open(cpu, generation);
		} else {
			pmcgrp_groups_drop(cpu);
		}
	}
	mutex_unlock(&pmcgrp_groups_mutex);
}

static DECLARE_WORK(rebuild_work, rebuild);

static int hp_online(unsigned int cpu)
{
	pmcgrp_cpu_online();
	schedule_work(&rebuild_work);
	return 0;
}

static int hp_offline(unsigned int cpu)
{
	pmcgrp_cpu_offline();
	schedule_work(&rebuild_work);
	return 0;
}

/**
 * pmcgrp_hotplug_init - open the gangs of all CPUs and follow hotplug
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
		return state;
	}
	hp_state = state;
	flush_work(&rebuild_work);
	return 0;
}

/**
 * pmcgrp_hotplug_exit - close all gangs; no group exists any more
 *
 * Context: may sleep.
 */
void pmcgrp_hotplug_exit(void)
{
	cpuhp_remove_state(hp_state); /* calls hp_offline() on every CPU */
	cancel_work_sync(&rebuild_work);
	pmcgrp_arbiter_flush();
}
