/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Why a counter of stat is <not counted>. */
#ifndef REASON_H
#define REASON_H

#include "counter_set.h"

/*
 * reason_set - put down why a member has nothing to show on a line
 * @h: to ask who has the counters, where that is permitted; NULL: not to ask
 * @info: of the group, as it is now
 * @member: its index in the group
 *
 * Leaves counts->reason NULL where nothing was in the way. Returns 0 or -ENOMEM.
 */
int reason_set(struct counter_set *set, struct counter_group *group, struct pmcgrp *h,
	       const struct pmcgrp_info *info, unsigned int line, unsigned int member);

/*
 * reason_of_times - what the times alone say
 * @ran: the target has run in the time that is looked at
 * @info: of the group; NULL: by perf_event_open(2), which does not say what was in the way
 */
const char *reason_of_times(const struct counter_group *group, bool ran,
			    const struct pmcgrp_info *info);

/* The first reason that a group's counters have, the planned one before others; NULL: none. */
const char *reason_of_group(const struct counter_set *set, const struct counter_group *group);

/* What to do about it, as the end of a sentence; "" where nothing comes to mind. */
const char *reason_advice(enum pmcgrp_why why);

#endif
