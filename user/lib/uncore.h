/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Uncore PMUs, by the type in an attr: on which CPUs they count, and what they cannot. */
#ifndef PMCGRP_UNCORE_H
#define PMCGRP_UNCORE_H

#include "internal.h"

/*
 * uncore_cpus - the CPUs on which a PMU counts a part of the machine: its cpumask
 * @name: its name, for @size bytes; "" if it is not known
 *
 * Return: whether it is an uncore PMU.
 */
bool uncore_cpus(const struct perf_event_attr *attr, struct pmcgrp_cpus *cpus, char *name,
		 size_t size);

/* The sentence of PMCGRP_WHY_UNCORE_TASK, _MIXED and _CPU; @attr is the member's, or NULL. */
void uncore_say(struct failure *f, enum pmcgrp_why why, const struct perf_event_attr *attr);

/*
 * uncore_check - refuse what the module refuses, for groups that perf events make up
 * @cpus: on success, those that all members count on; left alone if there is no uncore PMU
 *
 * Return: whether the members are of an uncore PMU, or a negative errno with @f filled in.
 */
int uncore_check(struct failure *f, const struct pmcgrp_spec *spec, struct pmcgrp_cpus *cpus);

#endif
