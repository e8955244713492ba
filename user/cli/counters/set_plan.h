/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What pmcgrp_plan() says of a set's groups, on this machine. */
#ifndef SET_PLAN_H
#define SET_PLAN_H

#include "counter_set.h"

/*
 * set_plan_explain - why counters are never on the PMU: the constraint, or what comes first
 * @backend: who counts
 *
 * Sets counter->planned of those whose group is refused or never has a turn by itself; where others hold
 * the counters that is not known here. What fails leaves it as it was.
 *
 * Returns the first counter of those that are refused, or -1.
 */
int set_plan_explain(struct counter_set *set, enum pmcgrp_backend backend);

/*
 * set_plan_passes - put each group into the first possible of as few passes as there can be
 * @least: set to what is proven to be needed
 * @text: NULL; set to why fewer passes do not do, or after -EINVAL to what is wrong; for free()
 *
 * Sets group->pass, from 0. In none of the passes anything is multiplexed, if nobody else counts. A weak
 * group that does not fit is broken up.
 *
 * Returns how many passes there are; -EINVAL: a group does not fit even alone; or another negative errno.
 */
int set_plan_passes(struct counter_set *set, enum pmcgrp_backend backend, unsigned int *least,
		    char **text);

#endif
