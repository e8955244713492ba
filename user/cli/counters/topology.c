// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "say/name.h"
#include "proc/task.h"
#include "topology.h"

/* The number that a file of the CPU's folder begins with. Returns 0 or a negative errno. */
static int read_number(const char *folder, int cpu, const char *name, int *value)
{
	char path[512];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "%s/cpu%d/%s", folder, cpu, name);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	ret = fscanf(file, "%d", value) == 1 ? 0 : -EINVAL;
	fclose(file);
	return ret;
}

/* Of its topology. A machine that does not know has one of it. */
static int topology_number(const char *folder, int cpu, const char *name, int *value)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "topology/%s", name);
	ret = read_number(folder, cpu, path, value);
	if (!ret && *value < 0)
		*value = 0;
	return ret;
}

/* What only some architectures and kernels have: 0 where it is not. */
static int optional_number(const char *folder, int cpu, const char *name, int *value)
{
	int ret = topology_number(folder, cpu, name, value);

	if (ret != -ENOENT)
		return ret;
	*value = 0;
	return 0;
}

/*
 * The cache of the level, or the last one: its level, and the first CPU that shares it. At a level
 * with two, one for instructions, both are shared by the same CPUs.
 */
static int cache_place(const char *folder, int cpu, int wanted, struct aggr_id *id)
{
	int i, level, ret, found = -1;
	char name[64];

	id->cache_level = 0;
	for (i = 0;; i++) {
		snprintf(name, sizeof(name), "cache/index%d/level", i);
		ret = read_number(folder, cpu, name, &level);
		if (ret)
			break;
		if (wanted ? level == wanted : level > id->cache_level) {
			id->cache_level = level;
			found = i;
		}
	}
	if (ret != -ENOENT || found < 0)
		return ret;
	snprintf(name, sizeof(name), "cache/index%d/shared_cpu_list", found);
	return read_number(folder, cpu, name, &id->cache);
}

/* The kernel puts a link nodeN into the CPU's folder. A machine without nodes has one. */
static int node_place(const char *folder, int cpu, int *node)
{
	struct dirent *entry;
	char path[512];
	int end;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/cpu%d", folder, cpu);
	dir = opendir(path);
	if (!dir)
		return -errno;
	*node = 0;
	while ((entry = readdir(dir))) {
		end = 0;
		if (sscanf(entry->d_name, "node%d%n", node, &end) == 1 && !entry->d_name[end])
			break;
		*node = 0;
	}
	closedir(dir);
	return 0;
}

int topology_place(const char *folder, enum aggr_mode mode, int level, int cpu, struct aggr_id *id)
{
	int ret;

	*id = AGGR_ID_NONE;
	if (mode == AGGR_NONE) {
		id->cpu = cpu;
		return 0;
	}
	if (mode == AGGR_NODE)
		return node_place(folder, cpu, &id->node);
	ret = topology_number(folder, cpu, "physical_package_id", &id->socket);
	if (ret || mode == AGGR_SOCKET)
		return ret;
	ret = optional_number(folder, cpu, "die_id", &id->die);
	if (ret || mode == AGGR_DIE)
		return ret;
	if (mode == AGGR_CACHE)
		return cache_place(folder, cpu, level, id);
	if (mode == AGGR_CLUSTER)
		return optional_number(folder, cpu, "cluster_id", &id->cluster);
	/* A core's number is unique in its die. */
	return topology_number(folder, cpu, "core_id", &id->core);
}

void topology_comm(const char *folder, int tid, char *comm, size_t size)
{
	char name[TASK_COMM_SIZE];
	size_t len = task_comm(folder, tid, name);

	name_text(comm, size, name, len);
	if (!len)
		snprintf(comm, size, ":%d", tid);
}
