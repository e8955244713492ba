/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * How the count of a member, or a ratio of two, is spread over all intervals. Which ratios may be
 * asked of a recording is known once its streams are; so each stream that begins says which it has.
 */
#ifndef REPORT_SPREAD_H
#define REPORT_SPREAD_H

#include "map.h"
#include "sketch.h"
#include "stream.h"

struct rep_spread {
	unsigned int event;
	int of;			/* an event as well; -1: the count by itself */
	struct rep_sketch sketch;
};

/* All zero at first. */
struct rep_spreads {
	struct rep_spread *rows;
	size_t nr;
	size_t room;
	struct rep_map map;
};

/* What an interval of a stream has for one of them. */
struct rep_gauge {
	unsigned int event;	/* the members' places in the stream */
	int of;
	size_t spread;
};

/* Which ratios of two events there may be: perf stat's, and those in --ratio. */
struct rep_wanted {
	const struct perfdata_reader *reader;
	const char **ratios;
	unsigned int nr_ratios;
};

/* Sets @stream->gauges of a new stream. Returns 0, or -ENOMEM. */
int rep_spreads_begin(struct rep_spreads *spreads, const struct rep_wanted *wanted,
		      struct rep_stream *stream);

/* The stream's last interval. Returns 0, or -ENOMEM. */
int rep_spreads_add(struct rep_spreads *spreads, const struct rep_stream *stream);

/* NULL: there is none. @of as in struct rep_spread. */
struct rep_spread *rep_spread_find(const struct rep_spreads *spreads, unsigned int event, int of);

void rep_spreads_free(struct rep_spreads *spreads);

#endif
