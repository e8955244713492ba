// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows: memory of the kernel for each group of four events, which no other group counts.
 *
 * Slabs, per-CPU memory and what vmalloc() has given are measured, before many groups are opened and
 * while they are open.  Caches give their empty slabs back before.
 */
#include "bench.h"
#include <dirent.h>

#define GROUPS		256	/* of a task */
#define GROUPS_FEW	32	/* that inherit */
#define SLABS		"/sys/kernel/slab"

static void slabs_shrink(void)
{
	DIR *dir = opendir(SLABS);
	struct dirent *entry;
	char path[PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), SLABS "/%s/shrink", entry->d_name);
		if (entry->d_name[0] != '.')
			file_write(path, "1");
	}
	if (dir)
		closedir(dir);
}

/* Bytes by a line of /proc/meminfo. */
static double meminfo(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kb;
	double bytes = NAN;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), ": %llu kB", &kb) == 1)
			bytes = kb * 1024.0;
	if (file)
		fclose(file);
	return bytes;
}

static double kernel_bytes(void)
{
	/* Each CPU's part is added to the sums. */
	if (!file_write("/proc/sys/vm/stat_refresh", "1"))
		return NAN;
	return meminfo("SReclaimable") + meminfo("SUnreclaim") + meminfo("Percpu") + meminfo("VmallocUsed");
}

static struct cost bytes_now(enum by by, int nr)
{
	return (struct cost){ .insns = kernel_bytes() };
}

/* What @nr groups take, for each. */
static struct cost bytes_of_each(enum by by, int nr, const struct whom *whom)
{
	struct cost none, all;

	/* What is to be freed is freed before. */
	sleep(1);
	slabs_shrink();
	none = bytes_now(by, 0);
	all = with_different_groups(by, nr, whom, bytes_now);
	return cost_of_each(cost_less(all, none), nr);
}

static bool bytes_of(struct result *r, int nr, bool inherit)
{
	const struct whom whom = { .pid = sleeper(), .cpu = -1, .inherit = inherit };

	if (whom.pid < 0)
		return false;
	r->perf = bytes_of_each(BY_PERF, nr, &whom);
	r->pmcgrp = bytes_of_each(BY_PMCGRP, nr, &whom);
	end_child(whom.pid);
	return measured(r->perf) && measured(r->pmcgrp);
}

static bool bytes_task(struct result *r)
{
	return bytes_of(r, GROUPS, false);
}

static bool bytes_inherited(struct result *r)
{
	return bytes_of(r, GROUPS_FEW, true);
}

const struct row memory_rows[] = {
	{ "bytes.task.1cpu", "bytes", NULL, 1, 1.00, bytes_task },
	{ "bytes.task.64cpus", "bytes", NULL, 64, 1.00, bytes_task },
	{ "bytes.inherited.1cpu", "bytes", NULL, 1, 2.00, bytes_inherited },
	{ "bytes.inherited.64cpus", "bytes", NULL, 64, 2.00, bytes_inherited },
	{}
};
