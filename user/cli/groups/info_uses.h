/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which counter holds what, of the groups of a set. */
#ifndef INFO_USES_H
#define INFO_USES_H

#include "holders.h"
#include "info_set.h"

/* A physical counter that holds an event. */
struct info_use {
	int cpu;
	const char *pmu;
	int counter;
	const char *event;		/* the set's */
	unsigned int groups;		/* that share it */
};

/* What perf has of a PMU on a CPU beside pmcgrp's events. */
struct info_perf {
	int cpu;
	const char *pmu;
	unsigned int held;		/* counters */
	bool watchdog;			/* one of them the NMI watchdog's */
	const struct pmcgrp_info_member *member;	/* the set's: an event of the PMU */
};

struct info_pmu;

struct info_uses {
	struct info_pmu *pmus;		/* whose names the rows have */
	size_t nr_pmus;
	struct info_use *uses;		/* by CPU, PMU, counter */
	size_t nr;
	struct info_perf *perf;	/* by CPU, PMU; those that hold any */
	size_t nr_perf;
	struct held_counters held;	/* of info_uses_name(), by CPU, PMU */
	int held_err;			/* why some are not in it; negative errno */
};

/*
 * info_uses_init - which counter holds what
 * @only: of this group alone; NULL: of all
 *
 * A counter whose event has changed while the groups were asked has two rows. Returns 0
 * or -ENOMEM; to be freed in any case.
 */
int info_uses_init(struct info_uses *uses, const struct info_set *set,
		   const struct info_group *only);

/*
 * info_uses_name - whose the counters in @perf are
 *
 * They are asked for when the groups have been. What cannot be found out is said by @held_err.
 * Returns 0 or -ENOMEM.
 */
int info_uses_name(struct info_uses *uses, struct pmcgrp *h);

void info_uses_free(struct info_uses *uses);

#endif
