/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* From the rings to the file. */
#ifndef RECORD_DRAIN_H
#define RECORD_DRAIN_H

#include "perfdata/sink.h"

struct record_counts {
	uint64_t samples;
	uint64_t switches;	/* records where one task follows another */
	uint64_t left_out;	/* of either, of cgroups that are not recorded */
	uint64_t lost;		/* no room in the ring: PERF_RECORD_LOST */
	uint64_t missed;	/* not taken: PERF_RECORD_LOST_SAMPLES */
	uint64_t throttled;	/* how often the kernel has stopped a trigger */
	uint64_t records;	/* of any kind, */
	uint64_t bytes;		/* and their size in the rings */
	unsigned int broken;	/* rings whose content made no sense, and was skipped */
};

/*
 * record_drain - take what there is in the rings, and flush the file
 *
 * Returns 0, or the sink's negative errno.
 */
int record_drain(struct pmcgrp_rings *rings, const struct record_desc *desc,
		 struct record_sink *sink, struct record_counts *counts);

#endif
