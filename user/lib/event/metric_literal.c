// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What perf's metrics ask of a machine beside its counters. */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "expression.h"

/* The first line of a file. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool read = file && fgets(line, (int)size, file);

	if (file)
		fclose(file);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

static double read_number(const char *path)
{
	char line[64], *end;
	double value;

	if (!read_line(path, line, sizeof(line)))
		return NAN;
	value = (double)strtoull(line, &end, 0);
	return end > line && !*end ? value : NAN;
}

/*
 * How many lists of CPUs this file of their topology has: a core, a die or a package is counted at
 * its first CPU.
 */
static double count_lists(const char *name)
{
	struct pmcgrp_cpus cpus, list;
	unsigned int nr = 0;
	char path[128];
	int cpu;

	if (pmcgrp_cpus_online(&cpus) < 0)
		return NAN;
	for (cpu = pmcgrp_cpus_next(&cpus, 0); cpu >= 0; cpu = pmcgrp_cpus_next(&cpus, cpu + 1)) {
		snprintf(path, sizeof(path), CPU_FOLDER "/cpu%d/topology/%s", cpu, name);
		if (cpus_read(&list, path) < 0)
			return NAN;
		nr += pmcgrp_cpus_next(&list, 0) == cpu;
	}
	return nr;
}

static double num_cpus_online(void)
{
	struct pmcgrp_cpus online;

	return pmcgrp_cpus_online(&online) < 0 ? NAN : pmcgrp_cpus_nr(&online);
}

/* All that can be plugged in: one more than the highest number. */
static double num_cpus(void)
{
	struct pmcgrp_cpus cpus;
	int cpu, last = -1;

	if (cpus_read(&cpus, CPU_FOLDER "/present") < 0)
		return NAN;
	for (cpu = pmcgrp_cpus_next(&cpus, 0); cpu >= 0; cpu = pmcgrp_cpus_next(&cpus, cpu + 1))
		last = cpu;
	return last + 1;
}

static double num_cores(void)
{
	return count_lists("thread_siblings_list");
}

static double num_dies(void)
{
	return count_lists("die_cpus_list");
}

static double num_packages(void)
{
	return count_lists("package_cpus_list");
}

static double smt_on(void)
{
	double active = read_number(CPU_FOLDER "/smt/active");

	return isnan(active) ? num_cores() < num_cpus_online() : active == 1;
}

/* Arm: how many operations a cycle can take, of the first PMU that says it. */
static double slots(void)
{
	double value = NAN;
	glob_t found;

	if (!glob("/sys/bus/event_source/devices/*/caps/slots", 0, NULL, &found)) {
		value = read_number(found.gl_pathv[0]);
		globfree(&found);
	}
	return value;
}

static double has_pmem(void)
{
	return !access("/sys/firmware/acpi/tables/NFIT", F_OK);
}

#if defined(__x86_64__) || defined(__i386__)
/* "... CPU @ 2.60GHz": what the processor's name says. */
static double named_freq(void)
{
	unsigned int name[12] = { 0 };
	char *at;
	int i;

	for (i = 0; i < 3; i++)
		if (!__get_cpuid(0x80000002U + i, &name[4 * i], &name[4 * i + 1], &name[4 * i + 2],
				 &name[4 * i + 3]))
			return 0;
	((char *)name)[sizeof(name) - 1] = '\0';
	at = strstr((char *)name, "@ ");
	if (!at)
		return 0;
	if (strstr(at, "GHz"))
		return strtod(at + 2, NULL) * 1e9;
	return strstr(at, "MHz") ? strtod(at + 2, NULL) * 1e6 : 0;
}

/* Of the crystal, or where Intel's CPUs do not say that, of their name; 0: not known. */
static double system_tsc_freq(void)
{
	unsigned int divisor, factor, crystal, unused;

	if (__get_cpuid(0x15, &divisor, &factor, &crystal, &unused) && divisor && factor && crystal)
		return (double)crystal * factor / divisor;
	return named_freq();
}
#else
static double system_tsc_freq(void)
{
	return 0;
}
#endif

static const struct {
	const char *name;
	double (*value)(void);
} literals[] = {
	{ "#num_cpus", num_cpus },
	{ "#num_cpus_online", num_cpus_online },
	{ "#num_cores", num_cores },
	{ "#num_dies", num_dies },
	{ "#num_packages", num_packages },
	{ "#smt_on", smt_on },
	{ "#slots", slots },
	{ "#has_pmem", has_pmem },
	{ "#system_tsc_freq", system_tsc_freq },
};

double metric_literal(const char *name, bool system_wide)
{
	size_t i;

	/* As perf, also without SMT. */
	if (!strcasecmp(name, "#core_wide") || !strcasecmp(name, "#target_cpu"))
		return system_wide;
	for (i = 0; i < sizeof(literals) / sizeof(literals[0]); i++)
		if (!strcasecmp(name, literals[i].name))
			return literals[i].value();
	return NAN;
}
