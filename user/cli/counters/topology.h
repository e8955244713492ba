/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Where CPUs are, from the kernel's folders: /sys/devices/system/cpu or what looks like it. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stddef.h>

enum aggr_mode {
	AGGR_GLOBAL,	/* all on one */
	AGGR_NONE,	/* each on its own: -A */
	AGGR_CORE,	/* the threads of a core: --per-core */
	AGGR_SOCKET,	/* the cores of a socket: --per-socket */
	AGGR_DIE,
	AGGR_CLUSTER,
	AGGR_CACHE,	/* the CPUs that share a cache */
	AGGR_NODE,	/* those of a NUMA node */
	AGGR_THREAD,	/* each thread on its own: --per-thread */
	AGGR_CGROUP,	/* the named cgroups */
	AGGR_KEY,	/* one line, of which key after key is shown */
};

/* Where a CPU is, or a line's CPUs are; -1 where that does not say. */
struct aggr_id {
	int socket;
	int die;
	int core;
	int cpu;
	int cluster;
	int cache_level;
	int cache;	/* the first CPU that shares it, as perf has it */
	int node;
	int tid;
};

#define AGGR_ID_NONE ((struct aggr_id){ -1, -1, -1, -1, -1, -1, -1, -1, -1 })

/*
 * topology_place - where the CPU is, as far as the mode asks
 * @level: of AGGR_CACHE; 0: the last one that the CPU has
 *
 * Returns 0 or a negative errno: -ENOENT: the CPU is not there, or has no such cache.
 */
int topology_place(const char *folder, enum aggr_mode mode, int level, int cpu, struct aggr_id *id);

/* A thread's name from @folder/TID/comm; ":TID" if it has gone. */
void topology_comm(const char *folder, int tid, char *comm, size_t size);

#endif
