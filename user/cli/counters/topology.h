/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Where CPUs are, from the kernel's folders: /sys/devices/system/cpu or what looks like it. */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stddef.h>

#include "aggr.h"

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
