// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A driver of an uncore PMU counts on the CPUs of its cpumask, for all of the package.  It takes an
 * event of another CPU, too, and counts the same a second time: who opens perf events chooses.
 */
#include <errno.h>

#include "failure.h"
#include "perf_uncore.h"
#include "uncore.h"

static int refuse(struct failure *f, const struct pmcgrp_spec *spec, enum pmcgrp_why why,
		  unsigned int member, int cpu, int err)
{
	const struct pmcgrp_create create = { .why = why, .fail_member = member, .fail_cpu = cpu };

	return failure_create(f, spec, &create, err);
}

/* Which CPU of a target does not count; -1: all do. */
static int cpu_elsewhere(const struct pmcgrp_spec *spec, const struct pmcgrp_cpus *cpus)
{
	int cpu;

	if (spec->target_type == PMCGRP_TARGET_CPU)
		return pmcgrp_cpus_test(cpus, spec->target_id) ? -1 : spec->target_id;
	for (cpu = pmcgrp_cpus_next(&spec->cpus, 0);
	     spec->target_type == PMCGRP_TARGET_CPUS && cpu >= 0;
	     cpu = pmcgrp_cpus_next(&spec->cpus, cpu + 1)) {
		if (!pmcgrp_cpus_test(cpus, cpu))
			return cpu;
	}
	return -1;
}

int perf_uncore_check(struct failure *f, const struct pmcgrp_spec *spec, struct pmcgrp_cpus *cpus)
{
	bool first = false, is;
	struct pmcgrp_cpus own;
	unsigned int i;
	char name[64];
	int cpu;

	for (i = 0; i < spec->nr; i++) {
		is = uncore_cpus(spec->members[i].attr, &own, name, sizeof(name));
		if (is && !targets_cpus(spec->target_type))
			return refuse(f, spec, PMCGRP_WHY_UNCORE_TASK, i, -1, EINVAL);
		if (i && is != first)
			return refuse(f, spec, PMCGRP_WHY_UNCORE_MIXED, i, -1, EINVAL);
		cpu = is ? cpu_elsewhere(spec, &own) : -1;
		if (cpu >= 0)
			return refuse(f, spec, PMCGRP_WHY_UNCORE_CPU, i, cpu, ENODEV);
		if (is && i && spec->members[i].attr->type != spec->members[0].attr->type) {
			begin(f, PMCGRP_WHY_PMU, (int)i, -1);
			say(f, "member %u: a perf group has events of one PMU, and this one is of %s: "
			       "make two groups; the module counts both in one", i, name);
			return -EINVAL;
		}
		if (is && !i)
			*cpus = own;
		first = is;
	}
	return first;
}
