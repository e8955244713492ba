/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which CPUs, or which threads, share a line of the output. */
#ifndef AGGR_H
#define AGGR_H

#include <stdbool.h>

#include "say/name.h"
#include "topology.h"
#include "pmcgrp.h"

#define AGGR_FOLDER "/sys/devices/system/cpu"
#define AGGR_THREADS_FOLDER "/proc"

/* Of aggr_label(). */
#define AGGR_LABEL_SIZE (NAME_COMM_SIZE + 24)

struct aggr_line {
	struct aggr_id id;
	unsigned int nr_cpus;
	char comm[NAME_COMM_SIZE];	/* a thread's name, as text */
	const char *name;	/* of AGGR_CGROUP and AGGR_KEY; not its own */
	int64_t pid;		/* of AGGR_KEY; -1: none */
	uint64_t stays;		/* of AGGR_KEY */
	bool special;		/* of AGGR_KEY: what no key has, as idle CPUs */
};

struct aggr {
	enum aggr_mode mode;
	int cache_level;		/* of AGGR_CACHE; 0: the last */
	const char *folder;
	const char *what;		/* of AGGR_KEY: "process" */
	bool numbered;			/* of AGGR_KEY: keys have numbers */
	bool each_event;		/* of AGGR_CGROUP: an event has one of the lines */
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

/* The same for AGGR_CACHE at a level; 0: of each CPU the last one. */
int aggr_init_cache(struct aggr *aggr, enum aggr_mode mode, int level,
		    const struct pmcgrp_cpus *cpus, const char *folder, int *bad);

/*
 * aggr_init_threads - a line for each thread, in this order
 * @folder: AGGR_THREADS_FOLDER, or a test's own: their names are read there
 *
 * Returns 0 or -ENOMEM.
 */
int aggr_init_threads(struct aggr *aggr, const int *tids, unsigned int nr, const char *folder);

/* aggr_init_names - a line for each name, in this order; these stay the caller's */
int aggr_init_names(struct aggr *aggr, enum aggr_mode mode, const char *const *names,
		    unsigned int nr);

/* Whether the lines are of CPUs, and not one of all, of threads or of keys. */
static inline bool aggr_of_cpus(const struct aggr *aggr)
{
	return aggr->mode > AGGR_GLOBAL && aggr->mode < AGGR_THREAD;
}

/* Whether each event has its lines one after the other, as perf prints them. */
static inline bool aggr_by_event(const struct aggr *aggr)
{
	return aggr->mode == AGGR_NONE || aggr->mode == AGGR_THREAD || aggr->each_event;
}

void aggr_free(struct aggr *aggr);

/*
 * aggr_line - the index of a CPU's line
 *
 * A CPU that has come online meanwhile gets one, if need be with places of -1. Returns
 * -ENOMEM on failure.
 */
int aggr_line(struct aggr *aggr, int cpu);

/*
 * As perf writes it: "CPU0", "S0-D0-C0", "S0", "sort-4711" and so on; "" with AGGR_GLOBAL, and where
 * lines have names.
 */
void aggr_label(const struct aggr *aggr, unsigned int line, char *buf, size_t size);

#endif
