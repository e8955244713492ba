/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The first look at a recording: which records there are, in the order of their times,
 * and what has to be known of all of them before the counts of one can be understood.
 */
#ifndef REPORT_SCAN_H
#define REPORT_SCAN_H

#include "map.h"
#include "names.h"
#include "perfdata/read.h"

struct rep_scan_record {
	uint64_t time;
	uint64_t offset;
};

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
	struct rep_scan_record *records;	/* samples, losses, throttling, names */
	size_t nr;
	size_t room;
	struct rep_scan_id *ids;
	size_t nr_ids;
	size_t room_ids;
	struct rep_map id_map;
	struct rep_names names;			/* the last of each thread */
	uint64_t first;			/* time of the first sample */
	uint64_t compact;		/* PMCGRP_RECORD_COMPACT, which are left out */
	uint64_t rest;			/* bytes at the end that are no whole record */
};

/* Returns 0, or -ENOMEM; rep_scan_free() in any case. */
int rep_scan_take(struct rep_scan *scan, const struct perfdata_reader *reader);

enum rep_kind rep_scan_kind(const struct rep_scan *scan, const struct perfdata_reader *reader,
			    const struct perfdata_sample *sample, uint64_t id);

void rep_scan_free(struct rep_scan *scan);

#endif
