// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Uncore PMUs in sysfs, and why their events are refused. */
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
