/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Records of tasks beside counts: PERF_RECORD_COMM, _FORK, _EXIT and such. The rings of groups have
 * none of these. They come from an event of perf that counts nothing.
 */
#ifndef SIDE_H
#define SIDE_H

#include "pmcgrp.h"

struct side_rings {
	struct pmcgrp_ring **rings;	/* of perf, one for each CPU */
	unsigned int nr;
	uint64_t lost;			/* records that a ring had no room for */
	unsigned int broken;		/* times a ring's content made no sense */
};

/* Takes a record; returns 0 or a negative errno, which ends side_drain(). */
typedef int (*side_put_fn)(void *arg, const struct perf_event_header *header);

/*
 * side_open - begin to take down records of tasks
 * @attr: what is to be told, of an event that is made on each CPU; its reader is woken when a quarter
 *	of a ring is full, unless wakeup_events says otherwise
 * @pid: of which task, or 0: all tasks of the machine
 *
 * Returns 0, or a negative errno with nothing left open.
 */
int side_open(struct side_rings *side, struct perf_event_attr *attr, pid_t pid);

/* side_drain - give @put what there is; returns 0 or what it returned */
int side_drain(struct side_rings *side, side_put_fn put, void *arg);

void side_close(struct side_rings *side);

#endif
