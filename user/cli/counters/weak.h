/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Weak groups: what does not fit on the PMU as one group is counted as several. */
#ifndef WEAK_H
#define WEAK_H

#include "counter_set.h"

/*
 * weak_break_up - after a failure to make a group, make each of its counters a group of its own
 * @set: the set; pointers to its groups are not valid any more
 * @index: the group
 * @h: knows why it failed
 * @err: the errno
 *
 * Return: 1: the group is broken up; 0: it is not weak, or that would not help; or -ENOMEM.
 */
int weak_break_up(struct counter_set *set, unsigned int index, struct pmcgrp *h, int err,
		  counter_note_fn note);

#endif
