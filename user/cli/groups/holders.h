/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Who has the counters that are perf's. */
#ifndef INFO_HOLDERS_H
#define INFO_HOLDERS_H

#include "pmcgrp.h"
#include "say/name.h"

/* Room for what holder_owner() and holder_flags() say. */
#define HOLDER_OWNER_SIZE (2 * NAME_COMM_SIZE + 160)
#define HOLDER_FLAGS_SIZE (NAME_COMM_SIZE + 160)

/* A perf event that has a counter. */
struct held_counter {
	int cpu;
	const char *pmu;		/* the caller's */
	struct pmcgrp_holder holder;
	char *event;			/* its name; NULL: it may not be seen */
};

struct held_counters {
	struct held_counter *at;	/* in the order in which they were asked for */
	size_t nr;
};

/*
 * held_counters_ask - the perf events that have counters of a PMU on a CPU
 * @pmu: the PMU's name, which stays the caller's
 * @attr: any event of the PMU
 *
 * Adds them to @held, which is to be freed in any case. Returns 0 or a negative errno: -ENOTTY of
 * a module that is too old.
 */
int held_counters_ask(struct held_counters *held, struct pmcgrp *h, const char *pmu,
		      const struct perf_event_attr *attr, int cpu);

void held_counters_free(struct held_counters *held);

/* Whose an event is: "perf (PID 812)", "the NMI watchdog", or why it has no name. */
const char *holder_owner(const struct pmcgrp_holder *holder, char *text, size_t size);

/* The key of why an owner has no name: "hidden", "ended", "other-pid-namespace"; NULL: it has. */
const char *holder_unnamed(const struct pmcgrp_holder *holder);

/* What an event is: "pinned, of the CPU". */
const char *holder_flags(const struct pmcgrp_holder *holder, char *text, size_t size);

#endif
