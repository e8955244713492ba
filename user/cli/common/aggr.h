/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which CPUs share a line of the output. */
#ifndef AGGR_H
#define AGGR_H

#include "pmcgrp.h"

#define AGGR_FOLDER "/sys/devices/system/cpu"

enum aggr_mode {
	AGGR_GLOBAL,	/* all on one */
	AGGR_NONE,	/* each on its own: -A */
	AGGR_CORE,	/* the threads of a core: --per-core */
	AGGR_SOCKET,	/* the cores of a socket: --per-socket */
};

/* Where a CPU is, or a line's CPUs are; -1 where that does not say. */
struct aggr_id {
	int socket;
	int die;
	int core;
	int cpu;
};

struct aggr_line {
	struct aggr_id id;
	unsigned int nr_cpus;
};

struct aggr {
	enum aggr_mode mode;
	const char *folder;
	struct aggr_line *lines;	/* in the order in which they were found */
	unsigned int nr;
	unsigned int *order;		/* indices of lines, by id */
	unsigned int line_of[PMCGRP_CPUS_MAX];	/* index + 1; 0: not seen yet */
};

/*
 * aggr_init - lines for CPUs
 * @cpus: those that are known by now; not used with AGGR_GLOBAL
 * @folder: AGGR_FOLDER, or a test's own
 * @bad: on failure, the CPU whose place cannot be told, or -1
 *
 * Returns 0 or a negative errno.
 */
int aggr_init(struct aggr *aggr, enum aggr_mode mode, const struct pmcgrp_cpus *cpus,
	      const char *folder, int *bad);

void aggr_free(struct aggr *aggr);

/*
 * aggr_line - the index of a CPU's line
 *
 * A CPU that has come online meanwhile gets one, if need be with places of -1. Returns
 * -ENOMEM on failure.
 */
int aggr_line(struct aggr *aggr, int cpu);

/* As perf writes it: "CPU0", "S0-D0-C0", "S0"; "" with AGGR_GLOBAL. */
void aggr_label(const struct aggr *aggr, unsigned int line, char *buf, size_t size);

#endif
