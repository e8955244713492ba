// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "match.h"
#include "spread.h"

static size_t index_of(const struct rep_spreads *spreads, unsigned int event, int of)
{
	return rep_map_find(&spreads->map, event, (uint64_t)(of + 1));
}

struct rep_spread *rep_spread_find(const struct rep_spreads *spreads, unsigned int event, int of)
{
	size_t at = index_of(spreads, event, of);

	return at == REP_MAP_NONE ? NULL : &spreads->rows[at];
}

/* One that is there already, or a new one; REP_MAP_NONE: out of memory. */
static size_t spread_of(struct rep_spreads *spreads, unsigned int event, int of)
{
	size_t at = index_of(spreads, event, of);

	if (at != REP_MAP_NONE)
		return at;
	at = spreads->nr;
	if (!rep_grow(&spreads->rows, &spreads->room, at, sizeof(*spreads->rows)) ||
	    rep_map_add(&spreads->map, event, (uint64_t)(of + 1), at) < 0)
		return REP_MAP_NONE;
	spreads->rows[spreads->nr++] = (struct rep_spread){ .event = event, .of = of };
	return at;
}

/* @of: the place of a member, or -1. */
static int gauge_add(struct rep_spreads *spreads, struct rep_stream *stream, size_t *room,
		     unsigned int event, int of)
{
	size_t at = spread_of(spreads, stream->events[event],
			      of < 0 ? -1 : (int)stream->events[of]);

	if (at == REP_MAP_NONE ||
	    !rep_grow(&stream->gauges, room, stream->nr_gauges, sizeof(*stream->gauges)))
		return -ENOMEM;
	stream->gauges[stream->nr_gauges++] = (struct rep_gauge){ event, of, at };
	return 0;
}

static bool wants(const struct rep_wanted *wanted, unsigned int event, unsigned int of)
{
	const struct perfdata_event *events = wanted->reader->events;
	unsigned int i;

	if (rep_match_known(&events[event].attr, &events[of].attr))
		return true;
	for (i = 0; i < wanted->nr_ratios; i++) {
		if (rep_match_text(wanted->ratios[i], events[event].name, events[of].name))
			return true;
	}
	return false;
}

/* Whether a member is the first of its event in the stream. */
static bool first(const struct rep_stream *stream, unsigned int member)
{
	return rep_member_of(stream, stream->events[member]) == (int)member;
}

int rep_spreads_begin(struct rep_spreads *spreads, const struct rep_wanted *wanted,
		      struct rep_stream *stream)
{
	unsigned int event, of;
	size_t room = 0;

	for (event = 0; event < stream->nr; event++) {
		if (!first(stream, event))
			continue;
		if (gauge_add(spreads, stream, &room, event, -1) < 0)
			return -ENOMEM;
		for (of = 0; of < stream->nr; of++) {
			if (first(stream, of) &&
			    wants(wanted, stream->events[event], stream->events[of]) &&
			    gauge_add(spreads, stream, &room, event, (int)of) < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

int rep_spreads_add(struct rep_spreads *spreads, const struct rep_stream *stream)
{
	const struct rep_interval *interval = stream->interval;
	size_t i;

	if (!rep_counted(stream, interval))
		return 0;
	for (i = 0; i < stream->nr_gauges; i++) {
		const struct rep_gauge *gauge = &stream->gauges[i];
		double value = (double)interval->delta[gauge->event];

		if (gauge->of >= 0) {
			if (!interval->delta[gauge->of])
				continue;
			value /= (double)interval->delta[gauge->of];
		}
		if (rep_sketch_add(&spreads->rows[gauge->spread].sketch, value) < 0)
			return -ENOMEM;
	}
	return 0;
}

void rep_spreads_free(struct rep_spreads *spreads)
{
	size_t i;

	for (i = 0; i < spreads->nr; i++)
		rep_sketch_free(&spreads->rows[i].sketch);
	free(spreads->rows);
	rep_map_free(&spreads->map);
	memset(spreads, 0, sizeof(*spreads));
}
