/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The first look at a recording: in which order its records are to be taken, and what has to be
 * known of all of them before the counts of one can be understood.
 */
#ifndef REPORT_SCAN_H
#define REPORT_SCAN_H

#include "map.h"
#include "order.h"
#include "perfdata/reader.h"

/* How the counts of an id go on from one snapshot to the next. */
enum rep_kind {
	REP_KIND_ID,	/* it has them for itself */
	REP_KIND_CPU,	/* each CPU has its own */
	REP_KIND_TID,	/* each thread has its own */
};

struct rep_scan_id {
	uint32_t tid;
	bool many_tids;
	bool indexed;		/* PERF_RECORD_ID_INDEX says of a CPU or a task */
	bool of_cpu;
};

struct rep_scan {
	struct rep_order order;
	struct rep_scan_id *ids;
	size_t nr_ids;
	size_t room_ids;
	struct rep_map id_map;
	uint64_t first;			/* time of the first sample */
	uint64_t compact;		/* PMCGRP_RECORD_COMPACT, which are left out */
	uint64_t rest;			/* bytes at the end that are no whole record */
};

/* Returns 0, or -ENOMEM; rep_scan_free() in any case. */
int rep_scan_take(struct rep_scan *scan, const struct perfdata_reader *reader);

/* Where in the file the second look is; all zero at first. */
struct rep_scan_place {
	bool begun;
	bool ended;
	uint64_t offset;
	uint64_t forgotten;
	uint64_t now;
};

/*
 * rep_scan_next - the second look: record after record in the order of time
 *
 * Returns 1 with @time and @record, which is valid until the next call; 0 behind the last one;
 * or -ENOMEM.
 */
int rep_scan_next(struct rep_scan *scan, const struct perfdata_reader *reader,
		  struct rep_scan_place *place, uint64_t *time, struct perfdata_record *record);

enum rep_kind rep_scan_kind(const struct rep_scan *scan, const struct perfdata_reader *reader,
			    const struct perfdata_sample *sample, uint64_t id);

void rep_scan_free(struct rep_scan *scan);

#endif
