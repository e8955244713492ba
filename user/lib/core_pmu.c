// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_pmu.h"
#include "sysfile.h"

unsigned int core_pmu_list(const char *root, const char *pmu, const char *name,
			   struct pmcgrp_cpus *cpus)
{
	char path[PATH_MAX], text[4096];

	memset(cpus, 0, sizeof(*cpus));
	snprintf(path, sizeof(path), CORE_PMUS_FOLDER "/%s/%s", pmu, name);
	if (sysfile_text(root, path, text, sizeof(text)) || pmcgrp_cpus_parse(cpus, text, NULL))
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
static bool core_pmu_read(struct core_pmu *pmu, const char *root, const char *name)
{
	char path[PATH_MAX], online[4096];
	long long type;

	snprintf(path, sizeof(path), CORE_PMUS_FOLDER "/%s/type", name);
	if (strlen(name) >= sizeof(pmu->name) || sysfile_number(root, path, &type))
		return false;
	if (!core_pmu_list(root, name, "cpus", &pmu->cpus)) {
		if (strcmp(name, "cpu"))
			return false;
		if (!sysfile_text(root, "/sys/devices/system/cpu/online", online, sizeof(online)))
			pmcgrp_cpus_parse(&pmu->cpus, online, NULL);
	}
	strcpy(pmu->name, name);
	pmu->type = (uint32_t)type;
	return true;
}

unsigned int core_pmus_find(struct core_pmu *pmus, const char *root)
{
	struct dirent *entry;
	char path[PATH_MAX];
	unsigned int nr = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "%s" CORE_PMUS_FOLDER, root);
	folder = opendir(path);
	while (folder && nr < CORE_PMUS_MAX && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			nr += core_pmu_read(&pmus[nr], root, entry->d_name);
	}
	if (folder)
		closedir(folder);
	qsort(pmus, nr, sizeof(*pmus), by_name);
	return nr;
}
