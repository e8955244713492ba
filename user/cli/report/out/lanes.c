// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"
#include "marks.h"

const char * const rep_lane_names[REP_NR_LANES] = {
	[REP_LANE_TRIGGER] = "trigger",
	[REP_LANE_SWITCH] = "switch",
	[REP_LANE_LOST] = "lost",
	[REP_LANE_THROTTLE] = "throttle",
	[REP_LANE_OFF] = "off",
	[REP_LANE_GAP] = "gap",
};

struct work {
	struct rep_lanes *lanes;
	const struct rep_picture *picture;
	unsigned int nr_events;
};

/* One for each event, then one for each other kind. */
static struct rep_lane *lane_of(const struct work *w, enum rep_lane_kind kind)
{
	return &w->lanes->rows[w->nr_events + kind - REP_LANE_SWITCH];
}

static void lane_add(struct rep_lane *lane, unsigned int column, uint64_t nr)
{
	lane->nr[column] += nr;
	lane->total += nr;
}

static int take_mark(const struct rep_mark *mark, void *arg)
{
	static const enum rep_lane_kind kinds[] = {
		[REP_MARK_SWITCH] = REP_LANE_SWITCH,
		[REP_MARK_LOST] = REP_LANE_LOST,
		[REP_MARK_MISSED] = REP_LANE_LOST,
		[REP_MARK_THROTTLE] = REP_LANE_THROTTLE,
	};
	const struct work *w = arg;
	/* A point in time is an interval of no length. */
	const struct rep_interval at = {
		.end = mark->time < w->picture->start ? w->picture->start :
		       mark->time > w->picture->stop ? w->picture->stop : mark->time,
	};
	unsigned int first, last;

	rep_picture_span(w->picture, &at, &first, &last);
	if (mark->kind == REP_MARK_SAMPLE)
		lane_add(&w->lanes->rows[mark->event], first, mark->nr);
	else
		lane_add(lane_of(w, kinds[mark->kind]), first, mark->nr);
	return 0;
}

/* The columns that a stream's intervals cover, and those where its group was not on the PMU. */
static void take_stream(const struct work *w, const struct rep_stream *stream)
{
	struct rep_lane *gap = lane_of(w, REP_LANE_GAP), *off = lane_of(w, REP_LANE_OFF);
	unsigned int first, last, next = 0;
	size_t i;

	for (i = 0; i < stream->nr_intervals; i++) {
		const struct rep_interval *interval = rep_interval(stream, i);

		rep_picture_span(w->picture, interval, &first, &last);
		/* Intervals follow each other: the one before may reach into this one's first. */
		for (; first <= last; first++) {
			gap->nr[first] = 0;
			if (rep_counted(stream, interval) || first < next)
				continue;
			lane_add(off, first, 1);
			next = first + 1;
		}
	}
}

static void take_streams(const struct work *w, const struct rep_data *data)
{
	struct rep_lane *gap = lane_of(w, REP_LANE_GAP);
	unsigned int i;
	size_t s;

	for (i = 0; i < w->picture->nr_columns; i++)
		gap->nr[i] = 1;
	for (s = 0; s < data->nr_streams; s++)
		take_stream(w, &data->streams[s]);
	for (i = 0; i < w->picture->nr_columns; i++)
		gap->total += gap->nr[i];
}

static void drop_empty(struct rep_lanes *lanes)
{
	unsigned int i, nr = 0;

	for (i = 0; i < lanes->nr; i++) {
		if (lanes->rows[i].total)
			lanes->rows[nr++] = lanes->rows[i];
		else
			free(lanes->rows[i].nr);
	}
	lanes->nr = nr;
}

int rep_lanes_take(struct rep_lanes *lanes, const struct rep_picture *picture,
		   const struct rep_data *data)
{
	static const char * const labels[REP_NR_LANES] = {
		[REP_LANE_SWITCH] = "switch (from one thread to another)",
		[REP_LANE_LOST] = "lost samples",
		[REP_LANE_THROTTLE] = "triggers stopped (throttled)",
		[REP_LANE_OFF] = "group not on the PMU",
		[REP_LANE_GAP] = "no samples",
	};
	struct work w = { .lanes = lanes, .picture = picture, .nr_events = data->nr_events };
	unsigned int i, nr = data->nr_events + REP_NR_LANES - REP_LANE_SWITCH;

	memset(lanes, 0, sizeof(*lanes));
	if (picture->start == picture->stop)
		return 0;
	lanes->rows = calloc(nr, sizeof(*lanes->rows));
	if (!lanes->rows)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		struct rep_lane *lane = &lanes->rows[i];

		lane->nr = calloc(picture->nr_columns, sizeof(*lane->nr));
		if (!lane->nr)
			return -ENOMEM;
		lanes->nr++;
		lane->kind = REP_LANE_TRIGGER;
		if (i >= data->nr_events)
			lane->kind = REP_LANE_SWITCH + (i - data->nr_events);
		lane->label = i < data->nr_events ? data->events[i].name : labels[lane->kind];
	}
	rep_marks_walk(data, take_mark, &w);
	take_streams(&w, data);
	drop_empty(lanes);
	return 0;
}

void rep_lanes_free(struct rep_lanes *lanes)
{
	unsigned int i;

	for (i = 0; i < lanes->nr; i++)
		free(lanes->rows[i].nr);
	free(lanes->rows);
	memset(lanes, 0, sizeof(*lanes));
}
