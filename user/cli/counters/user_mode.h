/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What perf does for a user who may not count the kernel: user mode alone, ":u". */
#ifndef USER_MODE_H
#define USER_MODE_H

#include "counter_set.h"

/*
 * user_mode_degrade - after a failure: let a group count user mode alone
 * @note: as of counter_set_open(); called for each event that has become another one
 *
 * For perf_event_open(2) alone, if it said that something is not permitted.  CPUs are not helped:
 * who may not count the kernel may not count them at all.  Events that nothing
 * but the kernel has, as context-switches, become unsupported instead: with ":u" they would be
 * counted as 0.
 *
 * Return: 1: something has changed, try again; 0: not; -ENOMEM.
 */
int user_mode_degrade(struct counter_set *set, struct counter_group *group, struct pmcgrp *h,
		      const struct counter_target *target, counter_note_fn note);

#endif
