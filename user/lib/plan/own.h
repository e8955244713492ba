/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* pmcgrp's scheduler, and how it places counters. */
#ifndef PMCGRP_PLAN_OWN_H
#define PMCGRP_PLAN_OWN_H

#include "sim.h"

/*
 * What takes how long, in steps: from shares on emulated machines of x86 and arm64. A trial takes
 * OWN_TO_PLACE, and as much for each counter. A group whose counters are on is placed, taken off or
 * passed over in OWN_TO_FIND.
 */
#define OWN_STEPS_US	10	/* steps in a microsecond */
#define OWN_TO_ENABLE	400	/* ioctl() */
#define OWN_TO_PLACE	40
#define OWN_TO_FIND	4

/* pmcgrp_counters_place(): whether the counters of a group are on */
bool own_place(struct sim *sim, const struct sim_group *group);

/* pmcgrp_counters_are_on() */
bool own_are_on(const struct sim *sim, const struct sim_group *group);

/* kmod/arbiter/refusal.c: pmcgrp_refusal_note(), pmcgrp_refusal_stands(), and what a tick does to them */
void own_refusal_note(struct sim *sim, const struct sim_group *group);
bool own_refusal_stands(const struct sim *sim, const struct sim_group *group);
void own_refusals_age(struct sim *sim);

/* Counters go that have been idle for so many intervals (kmod/counter/idle.c: pmcgrp_idle_evict_old()). */
void own_evict_old(struct sim *sim, unsigned int least);

#endif
