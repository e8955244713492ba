/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The uncore PMUs for tests while CPUs go offline and come back.  Their driver and pmcgrp have a
 * callback each for that.  Of the two, that of the module that was loaded later is first as a CPU
 * goes offline, and last as one comes online.
 */
#ifndef PMCGRP_UNCORE_HOTPLUG_H
#define PMCGRP_UNCORE_HOTPLUG_H

#include "pmcgrp_module.h"
#include "pmcgrp_uncore.h"

#define TESTPMU_FILE		"/lib/pmcgrp_testpmu.ko"	/* where vm/run puts it */
#define STATES			"/sys/devices/system/cpu/hotplug/states"
#define UNCORE_PATIENCE		(20 * NSEC_PER_SEC)
#define UNCORE_NO_HOTPLUG	"needs four CPUs, of packages of two, that can be taken offline"

/* Whether the callback of the PMUs' driver comes first as a CPU goes offline; -1: there is none. */
static inline int uncore_driver_is_first(void)
{
	long module = -1, driver = -1, number;
	char line[128], name[64];
	FILE *f = fopen(STATES, "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%ld: %63s", &number, name) != 2)
			continue;
		if (!strcmp(name, "perf/pmcgrp:online"))
			module = number;
		if (!strcmp(name, "perf/pmcgrp_test:online"))
			driver = number;
	}
	if (f)
		fclose(f);
	return module < 0 || driver < 0 ? -1 : driver > module;
}

static inline bool uncore_load_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && !syscall(SYS_finit_module, fd, "", 0);

	close(fd);
	return ok;
}

/* Load both anew, that first whose callback is to be the last one. */
static inline bool uncore_load_in_order(bool driver_first)
{
	if (module_unload() || syscall(SYS_delete_module, "pmcgrp_testpmu", O_NONBLOCK))
		return false;
	return driver_first ? uncore_load_file(MODULE_FILE) && uncore_load_file(TESTPMU_FILE) :
			      uncore_load_file(TESTPMU_FILE) && uncore_load_file(MODULE_FILE);
}

/* Whether the two CPUs of the last package can go and come. */
static inline bool uncore_has_hotplug(const struct uncore *uncore)
{
	return uncore->cpus >= 4 && uncore->package_cpus == 2 && uncore->cpus % 2 == 0 &&
	       set_online(uncore->cpus - 2, true) && set_online(uncore->cpus - 1, true);
}

/* Let the first CPU of a package of two count it. */
static inline bool uncore_designate(const struct uncore *uncore, int cpu)
{
	return set_online(cpu + 1, false) && set_online(cpu + 1, true) &&
	       uncore_designated(uncore, cpu / 2) == cpu;
}

/* Wait until all members are on the CPUs that count now; work of the module's may have to run. */
static inline bool uncore_is_with_driver(const struct uncore *uncore, unsigned int nr,
					 const struct perf_event_attr *attr)
{
	uint64_t end = now_ns() + UNCORE_PATIENCE, cpus;
	unsigned int i;
	bool there;

	do {
		cpus = uncore_cpumask("pmcgrp_test_uncore_0");
		for (i = 0, there = true; i < nr; i++)
			there = there && uncore_is_at(uncore, &attr[i], cpus);
		if (there)
			return true;
		sleep_ns(5 * NSEC_PER_MSEC);
	} while (now_ns() < end);
	return false;
}

#endif /* PMCGRP_UNCORE_HOTPLUG_H */
