/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* This machine's PMU, for pmcgrp_plan(). */
#ifndef PMCGRP_PLAN_MACHINE_H
#define PMCGRP_PLAN_MACHINE_H

#include <sched.h>

#include "core_pmu.h"
#include "fill.h"
#include "plan_model.h"

#define PLAN_SEARCH_US 5000000	/* for the fewest passes */

/* Whose counters are asked for: the machine as uname -m has it, and the files that tell of it. */
struct pmu_machine {
	const char *root;	/* in front of each path; "" for this machine */
	const char *name;	/* x86_64, aarch64, ... */
	unsigned int nr_pmus;	/* of the cores */
};

/*
 * pmu_run_there - put this thread onto a CPU that has the PMU
 * @before: set to where it might run, for sched_setaffinity(2) afterwards
 *
 * Returns the CPU, or -1.
 */
int pmu_run_there(const struct core_pmu *pmu, cpu_set_t *before);

/* pmu_copies - FILL_MAX copies of the event that the PMU is filled with */
void pmu_copies(struct perf_event_attr *copies, const struct pmu_machine *machine, const struct core_pmu *pmu);

/* pmu_generic_type - what generic events name a PMU by; 0: it is the only one */
uint32_t pmu_generic_type(const struct pmu_machine *machine, const struct core_pmu *pmu);

/*
 * pmu_count - how many counters perf_event_open(2) says that a PMU has
 *
 * By groups that are not enabled: nobody is disturbed. Returns 0 or a negative errno.
 */
int pmu_count(struct fill *fill, const struct pmu_machine *machine, const struct core_pmu *pmu);

/*
 * plan_machine_counters - bits of the counters that the PMU has at this moment, as groups that fit show
 *
 * Returns 0 where that is not known.
 */
uint64_t plan_machine_counters(void);

/*
 * plan_machine_refuses - whether perf core refuses an event for what it is
 * @attr: attr->size bytes
 *
 * Returns a negative errno, or 0; also where it may not be asked.
 */
int plan_machine_refuses(const struct perf_event_attr *attr);

/*
 * plan_machine_probe - mark the events that perf core refuses
 * @groups: of @list
 *
 * This machine's kernel says what it has not; who may not ask it gets what the model knows.
 */
void plan_machine_probe(struct plan_groups *groups, const struct pmcgrp_events *list);

/**
 * struct plan_here - this machine, to be planned for; it stays where it is
 * @model: of its CPU
 * @pmu: as it is now
 * @options: for pmcgrp_plan()
 */
struct plan_here {
	struct plan_model *model;
	struct plan_pmu pmu;
	struct pmcgrp_plan_options options;
};

/*
 * plan_here_begin - what the machine has
 * @backend: who counts
 *
 * Returns 0 or a negative errno; plan_here_end() in any case.
 */
int plan_here_begin(struct plan_here *here, enum pmcgrp_backend backend, struct failure *failure);

void plan_here_end(struct plan_here *here);

#endif
