/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Groups of uncore PMUs that perf events make up. */
#ifndef PMCGRP_PERF_UNCORE_H
#define PMCGRP_PERF_UNCORE_H

#include "internal.h"

/*
 * perf_uncore_check - refuse what the module refuses, for groups that perf events make up
 * @cpus: on success, those that all members count on; left alone if there is no uncore PMU
 *
 * Return: whether the members are of an uncore PMU, or a negative errno with @f filled in.
 */
int perf_uncore_check(struct failure *f, const struct pmcgrp_spec *spec, struct pmcgrp_cpus *cpus);

#endif
