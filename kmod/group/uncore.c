// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uncore PMUs: they count what a package, a die or a box of it does, not what a CPU executes.
 *
 * The driver has one CPU count for each part of the machine (uncore_cpus.c).  A list of uncore
 * events for all CPUs has its counters, and a set, on those CPUs only.  So nothing is counted
 * twice, and no list of such CPUs is needed from user space.
 *
 * A CPU that goes offline hands over to another one of its part, and so may one that comes online
 * (drivers/perf/arm-cmn.c).  The driver moves its events, and those of counters with them
 * (perf_pmu_migrate_context()).  Such counters are dead.  The list gets others where the driver
 * counts now, and its sums go on.
 *
 * A driver may also unregister its PMU (counter_pmu.c).  Then lists lose their evcpus, and get none
 * any more.
 *
 * pmcgrp learns of it when the operation has ended.  Until then, and as its own callback for the
 * CPU runs, it reads dead counters and takes them off on the CPU where they were added, which is of
 * the same part of the machine, and adds none.  perf core leaves them alone: their state is ERROR.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "group/evlist_control.h"
#include "group/uncore.h"
#include "set/evcpu.h"
#include "set/evlist.h"

/* Whether a driver has moved an event of a list away from a CPU, or unregistered its PMU. */
static bool evcpu_has_moved(struct pmcgrp_evlist *evlist, const struct pmcgrp_evcpu *evcpu)
{
	bool moved = false;
	unsigned int i;

	for (i = 0; evcpu->complete && i < evlist->nr_events; i++) {
		moved |= pmcgrp_counter_is_dead(evcpu->counter[i]);
		evlist->pmu_has_gone |= READ_ONCE(evcpu->counter[i]->pmu) == &pmcgrp_no_pmu;
	}
	return moved;
}

static void uncore_list_leave(struct pmcgrp_evlist *evlist)
{
	int cpu;

	for_each_cpu(cpu, evlist->cpus)
		if (evcpu_has_moved(evlist, pmcgrp_evcpu_of(evlist, cpu))) {
			mutex_lock(&evlist->mutex);
			if (evlist->follower->cpu_drop)
				evlist->follower->cpu_drop(evlist, cpu);
			mutex_unlock(&evlist->mutex);
			pmcgrp_evcpu_drop(evlist, cpu);
		}
}

static void uncore_list_follow(struct pmcgrp_evlist *evlist)
{
	int cpu;

	uncore_list_leave(evlist);
	for_each_cpu(cpu, evlist->cpus) {
		if (pmcgrp_evcpu_of(evlist, cpu)->complete || !pmcgrp_cpu_is_usable(cpu))
			continue;
		pmcgrp_evcpu_rebuild(evlist, cpu);
		pmcgrp_evlist_cpu_online(evlist, cpu);
	}
}

/**
 * pmcgrp_uncore_follow - let lists count where drivers of uncore PMUs count
 *
 * Context: may sleep; pmcgrp_groups_mutex held; a hotplug operation has ended.
 */
void pmcgrp_uncore_follow(void)
{
	struct pmcgrp_evlist *evlist;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(evlist, &pmcgrp_evlists, node)
		if (evlist->is_uncore)
			uncore_list_follow(evlist);
}
