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
 * A driver may also unregister its PMU (counter_pmu.c).  Then lists lose their rows, and get none
 * any more.
 *
 * pmcgrp learns of it when the operation has ended.  Until then, and as its own callback for the
 * CPU runs, it reads dead counters and takes them off on the CPU where they were added, which is of
 * the same part of the machine, and adds none.  perf core leaves them alone: their state is ERROR.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "counter/event.h"
#include "group/root.h"
#include "group/uncore.h"
#include "set/evlist.h"
#include "set/row.h"

/* Whether a driver has moved an event of a list away from a CPU, or unregistered its PMU. */
static bool row_has_moved(struct pmcgrp_evlist *list, const struct pmcgrp_row *row)
{
	bool moved = false;
	unsigned int i;

	for (i = 0; row->complete && i < list->nr_events; i++) {
		moved |= pmcgrp_counter_is_dead(row->counter[i]);
		list->pmu_has_gone |= READ_ONCE(row->counter[i]->pmu) == &pmcgrp_no_pmu;
	}
	return moved;
}

static void list_leave(struct pmcgrp_evlist *list)
{
	int cpu;

	for_each_cpu(cpu, list->cpus)
		if (row_has_moved(list, pmcgrp_row_of(list, cpu))) {
			pmcgrp_root_drop(list, cpu);
			pmcgrp_row_drop(list, cpu);
		}
}

static void list_follow(struct pmcgrp_evlist *list)
{
	int cpu;

	list_leave(list);
	for_each_cpu(cpu, list->cpus) {
		if (pmcgrp_row_of(list, cpu)->complete || !pmcgrp_cpu_is_usable(cpu))
			continue;
		pmcgrp_row_rebuild(list, cpu);
		pmcgrp_root_rebuild(list, cpu);
	}
}

/**
 * pmcgrp_uncore_follow - let lists count where drivers of uncore PMUs count
 *
 * Context: may sleep; pmcgrp_groups_mutex held; a hotplug operation has ended.
 */
void pmcgrp_uncore_follow(void)
{
	struct pmcgrp_evlist *list;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_for_each_entry(list, &pmcgrp_evlists, node)
		if (list->is_uncore)
			list_follow(list);
}
