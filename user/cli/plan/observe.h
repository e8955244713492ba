/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What becomes of groups on this machine, for plan --verify. */
#ifndef PLAN_OBSERVE_H
#define PLAN_OBSERVE_H

#include <linux/perf_event.h>

#include "pmcgrp.h"
#include "pmcgrp_plan.h"

/**
 * struct plan_observed - what became of an event
 * @err: negative errno if it was refused
 * @why: of pmcgrp, the sentence about that; cut off
 * @status: enum pmcgrp_plan_status, as perf stat would show it
 * @has_share: whether it could be read
 * @share: time_running of time_enabled in percent
 * @counters: bits of the counters that its page showed; 0: it shows none
 */
struct plan_observed {
	int err;
	char why[160];
	enum pmcgrp_plan_status status;
	bool has_share;
	double share;
	uint64_t counters;
};

/**
 * struct plan_opened - groups with the attrs of their events
 * @groups: the groups
 * @nr: how many
 * @attrs: of each event of each group, in their order
 */
struct plan_opened {
	const struct pmcgrp_plan_group *groups;
	unsigned int nr;
	const struct perf_event_attr *attrs;
};

/*
 * plan_observe_perf - open them as perf stat does, for this thread, and let it run
 * @ms: for so long
 * @observed: set, of each event
 *
 * Returns 0 or a negative errno.
 */
int plan_observe_perf(const struct plan_opened *opened, unsigned int ms,
		      struct plan_observed *observed);

/* The same with pmcgrp. */
int plan_observe_own(struct pmcgrp *h, const struct plan_opened *opened, unsigned int ms,
		     struct plan_observed *observed);

/* Keep this CPU busy; @look is called some thousand times, or NULL. */
void plan_busy(unsigned int ms, void (*look)(void *arg), void *arg);

#endif
