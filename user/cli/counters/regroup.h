/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Groups that become several, or one. */
#ifndef REGROUP_H
#define REGROUP_H

#include "counter_set.h"

/*
 * regroup_split - break up a group that is not open
 * @apart: whether a counter begins a new group after the one before it
 *
 * Return: how many groups it has become, or -ENOMEM.
 */
int regroup_split(struct counter_set *set, unsigned int index,
		  bool (*apart)(const struct counter *before, const struct counter *counter));

/* regroup_always - for regroup_split(): each counter begins a group */
bool regroup_always(const struct counter *before, const struct counter *counter);

/* regroup_join - make one group, not open, of all counters, pinned if one of them is */
void regroup_join(struct counter_set *set);

#endif
