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

#endif
