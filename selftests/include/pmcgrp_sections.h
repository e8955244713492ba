/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sections of kernel modules, and the module that makes them on request
 * (test_modules/kernel_api/testapi.c).
 */
#ifndef PMCGRP_SECTIONS_H
#define PMCGRP_SECTIONS_H

#include "pmcgrp_module.h"
#include <stdarg.h>

#define TESTAPI		"/sys/kernel/debug/pmcgrp_testapi"
#define WORK		"pmcgrp_testapi_work"	/* a function of its own */
#define STATS		8

struct section {
	struct pmcgrp_section_info info;
	struct pmcgrp_section_stat stat[STATS];
};

/* Has the module do something. Returns 0 or its negative errno. */
static inline int api(const char *format, ...)
{
	char line[256];
	va_list args;
	int fd = open(TESTAPI, O_WRONLY | O_CLOEXEC);
	int n, err;

	if (fd < 0)
		return -errno;
	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	err = write(fd, line, n) == n ? 0 : -errno;
	close(fd);
	return err;
}

/* Both return 0 or a negative errno. */
static inline int testapi_load(void)
{
	/* a test that was ended by an assertion has left it behind */
	module_unload_name("pmcgrp_testapi");
	return module_load_file("/lib/pmcgrp_testapi.ko", "");
}

static inline int testapi_unload(void)
{
	int err = api("end");

	return err ? err : module_unload_name("pmcgrp_testapi");
}

/* The numbers that it has found. Returns how many. */
static inline int answer(uint64_t *number, int nr)
{
	FILE *file = fopen(TESTAPI, "re");
	int n = 0;

	while (file && n < nr && fscanf(file, "%llu", (unsigned long long *)&number[n]) == 1)
		n++;
	if (file)
		fclose(file);
	return n;
}

/* The first section with this id or a higher one. */
static inline bool next_section(int dev, uint64_t id, struct section *section)
{
	section->info = (struct pmcgrp_section_info){
		.size = sizeof(section->info),
		.id = id,
		.stats = (uintptr_t)section->stat,
		.nr_stats = STATS,
		.stat_size = sizeof(section->stat[0]),
	};
	return !ioctl(dev, PMCGRP_IOC_SECTION_NEXT, &section->info);
}

/* What the section of that name has counted. */
static inline bool find_section(int dev, const char *name, struct section *section)
{
	uint64_t id;

	for (id = 0; next_section(dev, id, section); id = section->info.id + 1)
		if (!strcmp(section->info.name, name))
			return true;
	return false;
}

static inline uint64_t missed(const struct section *section)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < PMCGRP_MISSED_ROOM; i++)
		sum += section->info.missed[i];
	return sum;
}

#endif /* PMCGRP_SECTIONS_H */
