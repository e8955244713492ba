/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * A recording as the report sees it: who caused how many samples, and what the members
 * counted from one snapshot to the next.
 */
#ifndef REP_DATA_H
#define REP_DATA_H

#include "between.h"
#include "cgroups.h"
#include "chains.h"
#include "code.h"
#include "map.h"
#include "perfdata/reader.h"
#include "spread.h"
#include "stream.h"
#include "sums.h"
#include "tally.h"

/* What of the recording is looked at. */
struct rep_filter {
	bool has_cpus;
	struct pmcgrp_cpus cpus;
	uint32_t tid;		/* 0: all */
	bool has_start;
	bool has_stop;
	bool start_relative;	/* to the first record's time */
	bool stop_relative;
	struct rep_keys keys;	/* what is summed up; none: nothing */
	uint64_t start;		/* ns */
	uint64_t stop;
	const char **ratios;	/* that rep_ratios_add() may get: what is not here has no percentiles */
	unsigned int nr_ratios;
	const struct rep_pairs *pairs;	/* of triggers; may be NULL */
	bool chains;		/* call chains are looked at: samples have them */
	bool no_intervals;	/* they are only summed up: there will be no picture of them */
};

/* An event of the file, as a trigger and as a member. */
struct rep_event {
	const char *name;
	const struct perf_event_attr *attr;
	bool member;		/* it has counts in snapshots */
	uint64_t samples;	/* but for records between two threads */
	uint64_t lost;		/* PERF_RECORD_LOST */
	uint64_t missed;	/* PERF_RECORD_LOST_SAMPLES */
	uint64_t throttles;
	uint64_t throttled;	/* ns */
};

/* Whether it causes snapshots, or was meant to. perf adds a dummy for its own ends. */
static inline bool rep_is_trigger(const struct rep_event *event)
{
	return event->samples || event->lost || event->missed || event->throttles ||
	       (event->attr->sample_period && (event->attr->type != PERF_TYPE_SOFTWARE ||
					       event->attr->config != PERF_COUNT_SW_DUMMY));
}

/* Whether it counts ns. */
static inline bool rep_event_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

struct rep_data {
	const struct perfdata_reader *reader;
	struct rep_filter filter;
	struct rep_event *events;	/* as the reader's */
	unsigned int nr_events;
	struct rep_tallies cpus;	/* in ascending order */
	struct rep_tallies threads;	/* those with the most samples first */
	struct rep_sums sums;		/* with rep_filter.keys */
	struct rep_between between;	/* with rep_filter.pairs */
	struct rep_code code;		/* these two: if they are among the keys, or there are chains */
	struct rep_cgroups cgroups;
	struct rep_chains chains;	/* with rep_filter.chains */
	struct rep_stream *streams;	/* by CPU, thread, id */
	size_t nr_streams;
	struct rep_spreads spreads;
	size_t nr_intervals;		/* of all streams */
	uint64_t samples;
	uint64_t switches;		/* of these, records between two threads */
	uint64_t lost;			/* these four also count what is of no known event */
	uint64_t missed;
	uint64_t throttles;
	uint64_t throttled;
	uint64_t unreadable;		/* records that are not as their event says */
	uint64_t compact;		/* records of struct pmcgrp_compact, which are left out */
	uint64_t without_counts;	/* samples without PERF_SAMPLE_READ, or without ids there */
	uint64_t backwards;		/* intervals left out, as a count was smaller at their end */
	uint64_t first;			/* time of the first and the last sample looked at */
	uint64_t last;
	uint64_t rest;			/* bytes at the end that are no whole record */
};

/*
 * rep_data_take - read all records
 * @reader: must live as long as @data
 *
 * Returns 0, or -ENOMEM; rep_data_free() in any case.
 */
int rep_data_take(struct rep_data *data, const struct perfdata_reader *reader,
		  const struct rep_filter *filter);

void rep_data_free(struct rep_data *data);

#endif
