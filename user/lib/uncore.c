// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A driver of an uncore PMU counts on the CPUs of its cpumask, for all of the package.  It takes an
 * event of another CPU, too, and counts the same a second time: who opens perf events chooses.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"
#include "uncore.h"

#define DEVICES "/sys/bus/event_source/devices"

bool uncore_cpus(const struct perf_event_attr *attr, struct pmcgrp_cpus *cpus, char *name,
		 size_t size)
{
	char path[PATH_MAX];

	name[0] = '\0';
	/* Types of the kernel itself, and those of its own cores. */
	if (attr->type < PERF_TYPE_MAX && attr->type != PERF_TYPE_RAW)
		return false;
	pmcgrp_event_pmu(attr, -1, name, size);
	snprintf(path, sizeof(path), DEVICES "/%s/cpus", name);
	if (!name[0] || !access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), DEVICES "/%s/cpumask", name);
	return !cpus_read(cpus, path);
}

static void say_elsewhere(struct failure *f, const struct perf_event_attr *attr)
{
	struct pmcgrp_cpus cpus;
	char name[64], list[128];

	if (!attr || !uncore_cpus(attr, &cpus, name, sizeof(name))) {
		say(f, "its PMU counts this part of the machine on another CPU: count all CPUs, or "
		       "one that the PMU's file cpumask in " DEVICES " names");
		return;
	}
	pmcgrp_cpus_format(&cpus, list, sizeof(list));
	say(f, "PMU %s counts on CPUs %s, once for each part of the machine, and CPU %d is none of "
	       "them: count one of these, or all CPUs", name, list, f->cpu);
}

void uncore_say(struct failure *f, enum pmcgrp_why why, const struct perf_event_attr *attr)
{
	switch (why) {
	case PMCGRP_WHY_UNCORE_TASK:
		say(f, "its PMU counts a part of the machine (a package, a memory controller), "
		       "whoever uses that, and no task: count CPUs, as \"pmcgrp stat -a\" does");
		break;
	case PMCGRP_WHY_UNCORE_MIXED:
		say(f, "a group has events of uncore PMUs alone, or none of them: make two groups");
		break;
	default:
		say_elsewhere(f, attr);
	}
}

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

int uncore_check(struct failure *f, const struct pmcgrp_spec *spec, struct pmcgrp_cpus *cpus)
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
