/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What of a recording is marked at its time: samples by their trigger, and what was lost. */
#ifndef REPORT_MARKS_H
#define REPORT_MARKS_H

#include "report/data/rep_data.h"

enum rep_mark_kind {
	REP_MARK_SAMPLE,
	REP_MARK_SWITCH,	/* a sample between two threads */
	REP_MARK_LOST,		/* PERF_RECORD_LOST */
	REP_MARK_MISSED,	/* PERF_RECORD_LOST_SAMPLES */
	REP_MARK_THROTTLE,	/* perf core stops a trigger */
};

struct rep_mark {
	enum rep_mark_kind kind;
	int event;		/* index of the trigger; -1: not known */
	uint64_t time;		/* ns */
	uint64_t nr;		/* how many were lost; 1 of the others */
	bool has_cpu;
	bool has_tid;
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
};

/*
 * rep_marks_walk - hand over each of them, in the order of the file
 *
 * Those that the filter leaves out are left out here, too. Of losses it is the time alone, and
 * one without a time stands at the last sample's. Returns 0, or what @take has returned below 0.
 */
int rep_marks_walk(const struct rep_data *data,
		   int (*take)(const struct rep_mark *mark, void *arg), void *arg);

#endif
