/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* How many counters a core PMU has, how many of them are free, and who has the others. */
#ifndef PMU_COUNTERS_H
#define PMU_COUNTERS_H

#include "groups/holders.h"
#include "plan/machine.h"

struct pmu_counters {
	int err;		/* of what counted them; negative errno */
	const char *says;	/* and why, in words; NULL: there is no error */
	struct fill fill;
	bool by_device;
	bool has_perf;
	struct fill perf;	/* by perf_event_open(2), beside the device */
	int left;		/* free now; negative errno */
	int cpu;
};

/*
 * pmu_counters_measure - fill a PMU on one of its CPUs that this process may run on
 * @dev: of the module; NULL: by perf_event_open(2)
 *
 * Others have to take turns for some milliseconds: fill_free() has the reason.
 */
void pmu_counters_measure(struct pmu_counters *counters, const struct pmu_machine *machine,
			  const struct core_pmu *pmu, struct pmcgrp *dev);

/* Events that have a counter for themselves: what is added up by fill.own. */
unsigned int pmu_counters_own(const struct fill *fill);

/* "instructions, cycles": those events; "" without any. */
void pmu_counters_own_names(const struct fill *fill, char *text, size_t size);

/* What perf core has of a PMU, by what the module says of a group of ours. */
struct pmu_held {
	unsigned int most;	/* counters that perf events have on one of the CPUs */
	unsigned int cpus;	/* on which they have any */
	unsigned int watchdogs;	/* on which the NMI watchdog has one */
	unsigned int looked_at;
	int unnamed_err;	/* why some of them are not in @named; negative errno */
};

/*
 * pmu_held_ask - by a group of all CPUs that is made for it
 * @named: whose they are is added; NULL: that is not asked
 *
 * Returns 0 or a negative errno.
 */
int pmu_held_ask(struct pmu_held *held, struct held_counters *named, const char *machine,
		 const struct core_pmu *pmu, struct pmcgrp *dev);

#endif
