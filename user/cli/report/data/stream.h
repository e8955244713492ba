/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A stream of snapshots, and the intervals between them. */
#ifndef REPORT_STREAM_H
#define REPORT_STREAM_H

#include "perfdata/reader.h"

/* From one snapshot to the next. */
struct rep_interval {
	uint64_t end;		/* perf's clock, ns, as all times here */
	uint64_t length;
	uint64_t enabled;
	uint64_t running;
	uint64_t delta[];	/* of each member */
};

/*
 * The snapshots whose counts go on from each other: of a group of a task, or one CPU of
 * another.
 */
struct rep_stream {
	char *label;			/* "CPU 3", "sort:4711" */
	unsigned int nr;		/* members */
	unsigned int *events;		/* the event of each */
	bool has_times;			/* time_enabled and time_running */
	bool keeps;			/* its intervals; else only the last one */
	unsigned char *intervals;
	size_t nr_intervals;		/* that there were */
	size_t room;
	uint64_t snapshots;
	double *totals;			/* of each member, over all intervals */
	double enabled;
	double running;
	uint64_t begin;			/* of the first interval */
	uint64_t end;			/* of the last one */
	uint64_t id;			/* of the first member */
	uint32_t cpu;			/* of the first snapshot */
	uint32_t tid;
	size_t thread;			/* that it is of, of rep_names */
	bool has_cpu;
	bool many_cpus;
	bool many_tids;
	struct rep_interval *interval;	/* the last one */
	struct rep_interval *last;	/* the last snapshot: its time in end, counts in delta */
	struct rep_interval *next;	/* the one after it, while it is looked at */
	struct rep_gauge *gauges;	/* what is measured in each interval: spread.h */
	size_t nr_gauges;
};

static inline size_t rep_stride(const struct rep_stream *stream)
{
	return sizeof(struct rep_interval) + stream->nr * sizeof(uint64_t);
}

/* Of a stream that keeps them. */
static inline const struct rep_interval *rep_interval(const struct rep_stream *stream, size_t i)
{
	return (const struct rep_interval *)(const void *)(stream->intervals +
							   i * rep_stride(stream));
}

/* Whether the group was on the PMU in an interval, as far as that is known. */
static inline bool rep_counted(const struct rep_stream *stream, const struct rep_interval *interval)
{
	return !stream->has_times || interval->running || !interval->enabled;
}

/*
 * rep_rate - what a member counted in an interval, a second
 *
 * For the time that the group waited it is taken to have gone on as while it ran, as perf
 * stat scales. NAN where it was not on the PMU, or between snapshots at the same time.
 */
double rep_rate(const struct rep_stream *stream, const struct rep_interval *interval, int member);

/* The place of an event among a stream's members, or -1. */
int rep_member_of(const struct rep_stream *stream, unsigned int event);

/* ---- How they are made; for data.c alone ---- */

/* Whether all counts of a sample are of events that the file knows, and there are any. */
bool rep_stream_knows(const struct perfdata_reader *reader, const struct pmcgrp_view *view);

/* A stream that begins with this sample. Returns 0, or -ENOMEM. */
int rep_stream_init(struct rep_stream *stream, const struct perfdata_reader *reader,
		    const struct perfdata_sample *sample, bool keeps);

/* Whether a sample has the stream's members. */
bool rep_stream_fits(const struct rep_stream *stream, const struct perfdata_reader *reader,
		     const struct perfdata_sample *sample);

/*
 * rep_stream_add - the next snapshot
 * @wanted: whether the interval up to it counts
 *
 * Returns 1 if there is one interval more, which is @stream->interval; 0 if not; -ERANGE if there
 * is none as something went backwards (the group was reset); or -ENOMEM.
 */
int rep_stream_add(struct rep_stream *stream, const struct perfdata_sample *sample, bool wanted);

/* @comm: the name of the stream's first thread, or NULL. Returns 0, or -ENOMEM. */
int rep_stream_label(struct rep_stream *stream, const char *comm);

void rep_stream_free(struct rep_stream *stream);

#endif
