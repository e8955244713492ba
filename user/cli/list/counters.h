/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What --counters of list has measured. */
#ifndef LIST_COUNTERS_H
#define LIST_COUNTERS_H

#include "counters/pmu_counters.h"

/**
 * struct list_pmu - a core PMU
 * @held: what perf events have of it, unless @held_err is a negative errno
 * @why: of @counters.err, in words
 * @printed: below the heading of its first event that is listed
 */
struct list_pmu {
	struct core_pmu pmu;
	struct pmu_counters counters;
	struct pmu_held held;
	int held_err;
	char why[512];
	bool printed;
};

/**
 * struct list_counters - all core PMUs
 * @nr_groups: groups of pmcgrp on the machine, unless @groups_err is a negative errno
 * @owners: whose they are
 */
struct list_counters {
	struct list_pmu at[CORE_PMUS_MAX];
	unsigned int nr;
	unsigned int nr_groups;
	int groups_err;
	char owners[512];
};

/*
 * list_counters_take - measure all of them
 *
 * Where the device cannot be opened that is said, once, and there are none.  Return: 0, or the
 * exit status.
 */
int list_counters_take(struct list_counters *counters);

/* Of each PMU once; @counters may be NULL: below a heading that has this event, and the rest. */
void list_counters_print(struct list_counters *counters, const struct pmcgrp_name *name);
void list_counters_print_rest(struct list_counters *counters);

/* An object for each PMU.  Return: 0 or -ENOMEM. */
struct json_t;
int list_counters_json(const struct list_counters *counters, struct json_t *array);

#endif
