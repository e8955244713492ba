// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What several sections ask of the machine. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/sysfile.h"
#include "doctor.h"

unsigned int doctor_kernel(const struct doctor *d)
{
	unsigned int major, minor;

	if (sscanf(d->release, "%3u.%3u", &major, &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

bool doctor_cpu_has(const struct doctor *d, const char *flag)
{
	char flags[8192], *at = flags, *word;

	sysfile_value(d->root, "/proc/cpuinfo", "flags", flags, sizeof(flags));
	while ((word = strsep(&at, " "))) {
		if (!strcmp(word, flag))
			return true;
	}
	return false;
}

bool doctor_is_rt(const struct doctor *d)
{
	long long realtime;

	return strstr(d->kernel_version, "PREEMPT_RT") ||
	       (!sysfile_number(d->root, "/sys/kernel/realtime", &realtime) && realtime);
}

unsigned int doctor_pmu_cpus(const struct doctor *d, const char *pmu, const char *name,
			     struct pmcgrp_cpus *cpus)
{
	char path[PATH_MAX], text[4096];

	memset(cpus, 0, sizeof(*cpus));
	snprintf(path, sizeof(path), DOCTOR_PMUS "/%s/%s", pmu, name);
	if (sysfile_text(d->root, path, text, sizeof(text)) || pmcgrp_cpus_parse(cpus, text, NULL))
		return 0;
	return pmcgrp_cpus_nr(cpus);
}

static int by_name(const void *left, const void *right)
{
	const struct core_pmu *a = left, *b = right;

	return strcmp(a->name, b->name);
}

/*
 * x86 has one named "cpu"; others, and x86's hybrid machines, say which CPUs have it in a file
 * "cpus". PMUs outside the cores have "cpumask" instead: who is to read them.
 */
static void core_pmu_add(struct doctor *d, const char *name)
{
	struct core_pmu *pmu = &d->pmus[d->nr_pmus];
	char path[PATH_MAX];
	long long type;

	snprintf(path, sizeof(path), DOCTOR_PMUS "/%s/type", name);
	if (strlen(name) >= sizeof(pmu->name) || sysfile_number(d->root, path, &type))
		return;
	if (!doctor_pmu_cpus(d, name, "cpus", &pmu->cpus)) {
		char online[4096];

		if (strcmp(name, "cpu"))
			return;
		if (!sysfile_text(d->root, "/sys/devices/system/cpu/online", online,
				  sizeof(online)))
			pmcgrp_cpus_parse(&pmu->cpus, online, NULL);
	}
	strcpy(pmu->name, name);
	pmu->type = (uint32_t)type;
	d->nr_pmus++;
}

void doctor_core_pmus(struct doctor *d)
{
	struct dirent *entry;
	char path[PATH_MAX];
	DIR *folder;

	d->nr_pmus = 0;
	snprintf(path, sizeof(path), "%s" DOCTOR_PMUS, d->root);
	folder = opendir(path);
	while (folder && d->nr_pmus < CORE_PMUS_MAX && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			core_pmu_add(d, entry->d_name);
	}
	if (folder)
		closedir(folder);
	qsort(d->pmus, d->nr_pmus, sizeof(d->pmus[0]), by_name);
}
