/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The number of counters of a core PMU, by filling it with copies of an event. */
#ifndef FILL_H
#define FILL_H

#include <stdbool.h>

#include "pmcgrp.h"

#define FILL_MAX 32

/* Events that some PMUs have a counter for that counts nothing else. */
enum fill_own {
	FILL_INSTRUCTIONS,
	FILL_CYCLES,
	FILL_REF_CYCLES,
	NR_FILL_OWN
};

/* How many counters there are. */
struct fill {
	unsigned int general;		/* copies of one event that fit together */
	bool own[NR_FILL_OWN];		/* what still fits beside as many copies */
};

/*
 * What is asked whether a group of these events would fit an empty PMU. Returns 1 or 0, or another
 * negative errno than those that mean that it does not fit.
 */
typedef int (*fill_fits_fn)(void *arg, const struct perf_event_attr *attrs, unsigned int nr);

/*
 * fill_event - copy @k of the event that a PMU of type @type is filled with: instructions, on a
 *	counter that others can have, too
 *
 * Copies differ in bits that no driver reads: one event to the hardware, and different ones to
 * pmcgrp, which would count the same event only once. @amd: x86 of AMD or Hygon.
 */
struct perf_event_attr fill_event(const char *machine, bool amd, uint32_t type, unsigned int k);

/*
 * fill_measure - add copies until one does not fit, then events that may have their own counters
 * @copies: FILL_MAX of them
 * @type: what generic events name the PMU by, on a machine with several; 0: it has one
 *
 * Returns 0, or what @fits returned if a copy could not be tried.
 */
int fill_measure(struct fill *fill, const struct perf_event_attr *copies, uint32_t type,
		 fill_fits_fn fits, void *arg);

/* fill_perf - asks perf_event_open(2), with events of this thread; @arg: none */
int fill_perf(void *arg, const struct perf_event_attr *attrs, unsigned int nr);

/* What fill_device() asks. */
struct fill_device {
	struct pmcgrp *h;
	int cpu;
};

/* fill_device - asks the module, for a group of a CPU; @arg: a struct fill_device */
int fill_device(void *arg, const struct perf_event_attr *attrs, unsigned int nr);

/*
 * fill_free - how many of these copies perf core puts on the PMU of this thread's CPU at once
 * @nr: the most that there are
 * @patient: wait once for counters that pmcgrp keeps for reuse, some 24 ms
 *
 * They are not pinned, and at most one of them too many is tried: others have to take turns with it
 * for a moment. Returns the number, or a negative errno: perf_event_open(2) is not permitted.
 */
int fill_free(const struct perf_event_attr *copies, unsigned int nr, bool patient);

#endif
