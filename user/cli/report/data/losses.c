// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rep_data.h"
#include "grow.h"
#include "losses.h"

/* A trigger of a CPU. */
struct rep_stop {
	uint64_t since;		/* 0: it goes on again */
	int event;
};

static struct rep_event *event_of(struct rep_data *data, uint64_t id)
{
	int event = perfdata_read_event_of(data->reader, id);

	return event < 0 ? NULL : &data->events[event];
}

/* PERF_RECORD_LOST: id, how many; PERF_RECORD_LOST_SAMPLES: how many. */
static void take_lost(struct rep_data *data, const struct perfdata_record *record)
{
	bool lost = record->type == PERF_RECORD_LOST;
	struct perfdata_sample sample;
	size_t size = perfdata_read_sample_id(data->reader, record, &sample);
	struct rep_event *event;
	uint64_t nr;

	if (size < (lost ? 16 : 8)) {
		data->unreadable++;
		return;
	}
	nr = perfdata_u64(record->body + (lost ? 8 : 0));
	if (lost)
		event = event_of(data, perfdata_u64(record->body));
	else
		event = sample.event >= 0 ? &data->events[sample.event] : NULL;
	*(lost ? &data->lost : &data->missed) += nr;
	if (event)
		*(lost ? &event->lost : &event->missed) += nr;
}

static void stop_end(struct rep_data *data, struct rep_stop *stop, uint64_t time)
{
	uint64_t ns = time > stop->since ? time - stop->since : 0;

	data->throttled += ns;
	if (stop->event >= 0)
		data->events[stop->event].throttled += ns;
	stop->since = 0;
}

/* PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE: time, id, stream_id. */
static int take_throttle(struct rep_losses *losses, struct rep_data *data,
			 const struct perfdata_record *record)
{
	struct perfdata_sample sample;
	size_t at, size = perfdata_read_sample_id(data->reader, record, &sample);
	uint64_t time, id;
	struct rep_stop *stop;

	if (size < 24) {
		data->unreadable++;
		return 0;
	}
	time = perfdata_u64(record->body);
	id = perfdata_u64(record->body + 8);
	/* A trigger of several CPUs has one id, and is stopped on each by itself. */
	at = rep_map_find(&losses->map, id, sample.cpu);
	if (at == REP_MAP_NONE) {
		at = losses->nr;
		if (!rep_grow(&losses->stops, &losses->room, at, sizeof(*losses->stops)) ||
		    rep_map_add(&losses->map, id, sample.cpu, at) < 0)
			return -ENOMEM;
		losses->nr++;
		losses->stops[at] = (struct rep_stop){ .event = perfdata_read_event_of(data->reader, id) };
	}
	stop = &losses->stops[at];
	if (record->type == PERF_RECORD_UNTHROTTLE) {
		if (stop->since)
			stop_end(data, stop, time);
		return 0;
	}
	if (!stop->since)
		stop->since = time ? time : 1;
	data->throttles++;
	if (stop->event >= 0)
		data->events[stop->event].throttles++;
	return 0;
}

int rep_losses_take(struct rep_losses *losses, struct rep_data *data,
		    const struct perfdata_record *record)
{
	if (record->type == PERF_RECORD_THROTTLE || record->type == PERF_RECORD_UNTHROTTLE)
		return take_throttle(losses, data, record);
	take_lost(data, record);
	return 0;
}

void rep_losses_end(struct rep_losses *losses, struct rep_data *data, uint64_t time)
{
	size_t i;

	for (i = 0; i < losses->nr; i++) {
		if (losses->stops[i].since)
			stop_end(data, &losses->stops[i], time);
	}
}

void rep_losses_free(struct rep_losses *losses)
{
	free(losses->stops);
	rep_map_free(&losses->map);
	memset(losses, 0, sizeof(*losses));
}
