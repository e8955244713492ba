// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say/name.h"
#include "grow.h"
#include "names.h"
#include "stream.h"

int rep_member_of(const struct rep_stream *stream, unsigned int event)
{
	unsigned int i;

	for (i = 0; i < stream->nr; i++) {
		if (stream->events[i] == event)
			return (int)i;
	}
	return -1;
}

double rep_rate(const struct rep_stream *stream, const struct rep_interval *interval, int member)
{
	double rate = (double)interval->delta[member] * 1e9 / (double)interval->length;

	if (!rep_counted(stream, interval) || !interval->length)
		return NAN;
	if (stream->has_times && interval->running)
		rate *= (double)interval->enabled / (double)interval->running;
	return rate;
}

bool rep_stream_knows(const struct perfdata_reader *reader, const struct pmcgrp_view *view)
{
	size_t i, nr = pmcgrp_view_nr(view);

	if (!nr || nr > PMCGRP_MEMBERS_MAX)
		return false;
	for (i = 0; i < nr; i++) {
		if (perfdata_read_event_of(reader, pmcgrp_view_id(view, i)) < 0)
			return false;
	}
	return true;
}

/*
 * How many of a snapshot's values are of its group. What has caused it may stand behind them,
 * as `pmcgrp record` has it for perf: that is another one with each trigger.
 */
static size_t group_size(const struct perfdata_reader *reader, const struct perfdata_sample *sample)
{
	size_t nr = pmcgrp_view_nr(&sample->view);
	int last = perfdata_read_event_of(reader, pmcgrp_view_id(&sample->view, nr - 1));

	return nr > 1 && last >= 0 && last == sample->event ? nr - 1 : nr;
}

int rep_stream_init(struct rep_stream *stream, const struct perfdata_reader *reader,
		    const struct perfdata_sample *sample, bool keeps)
{
	const struct pmcgrp_view *view = &sample->view;
	size_t i, nr = group_size(reader, sample);
	uint64_t ns;

	memset(stream, 0, sizeof(*stream));
	stream->id = pmcgrp_view_id(view, 0);
	stream->nr = (unsigned int)nr;
	stream->keeps = keeps;
	stream->events = calloc(nr, sizeof(*stream->events));
	stream->totals = calloc(nr, sizeof(*stream->totals));
	stream->interval = calloc(1, rep_stride(stream));
	stream->last = calloc(1, rep_stride(stream));
	stream->next = calloc(1, rep_stride(stream));
	if (!stream->events || !stream->totals || !stream->interval || !stream->last ||
	    !stream->next) {
		rep_stream_free(stream);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++)
		stream->events[i] = (unsigned int)perfdata_read_event_of(reader,
									 pmcgrp_view_id(view, i));
	stream->has_times = pmcgrp_view_time_enabled(view, &ns) &&
			    pmcgrp_view_time_running(view, &ns);
	stream->cpu = sample->cpu;
	stream->tid = sample->tid;
	stream->has_cpu = sample->has & PERF_SAMPLE_CPU;
	return 0;
}

bool rep_stream_fits(const struct rep_stream *stream, const struct perfdata_reader *reader,
		     const struct perfdata_sample *sample)
{
	const struct pmcgrp_view *view = &sample->view;
	unsigned int i;

	if (!pmcgrp_view_nr(view) || group_size(reader, sample) != stream->nr)
		return false;
	for (i = 0; i < stream->nr; i++) {
		if (perfdata_read_event_of(reader, pmcgrp_view_id(view, i)) != (int)stream->events[i])
			return false;
	}
	return true;
}

/* The counts and times of a snapshot, in place of their differences. */
static void snapshot_of(const struct rep_stream *stream, const struct perfdata_sample *sample,
			struct rep_interval *now)
{
	unsigned int i;

	now->end = sample->time;
	now->length = 0;
	now->enabled = 0;
	now->running = 0;
	pmcgrp_view_time_enabled(&sample->view, &now->enabled);
	pmcgrp_view_time_running(&sample->view, &now->running);
	for (i = 0; i < stream->nr; i++)
		now->delta[i] = pmcgrp_view_value(&sample->view, i);
}

/* From the last snapshot to the next. */
static int subtract(const struct rep_stream *stream)
{
	const struct rep_interval *last = stream->last, *next = stream->next;
	struct rep_interval *interval = stream->interval;
	unsigned int i;

	if (next->end < last->end || next->enabled < last->enabled || next->running < last->running)
		return -ERANGE;
	for (i = 0; i < stream->nr; i++) {
		if (next->delta[i] < last->delta[i])
			return -ERANGE;
		interval->delta[i] = next->delta[i] - last->delta[i];
	}
	interval->end = next->end;
	interval->length = next->end - last->end;
	interval->enabled = next->enabled - last->enabled;
	interval->running = next->running - last->running;
	return 1;
}

/* The interval counts: as a part of the totals, and as itself. */
static int keep(struct rep_stream *stream)
{
	const struct rep_interval *interval = stream->interval;
	unsigned int i;

	if (stream->keeps) {
		if (!rep_grow(&stream->intervals, &stream->room, stream->nr_intervals,
			      rep_stride(stream)))
			return -ENOMEM;
		memcpy(stream->intervals + stream->nr_intervals * rep_stride(stream), interval,
		       rep_stride(stream));
	}
	if (!stream->nr_intervals++)
		stream->begin = interval->end - interval->length;
	stream->end = interval->end;
	stream->enabled += (double)interval->enabled;
	stream->running += (double)interval->running;
	for (i = 0; i < stream->nr; i++)
		stream->totals[i] += (double)interval->delta[i];
	return 1;
}

int rep_stream_add(struct rep_stream *stream, const struct perfdata_sample *sample, bool wanted)
{
	struct rep_interval *next = stream->next;
	int ret = 0;

	snapshot_of(stream, sample, next);
	if (stream->snapshots++ && wanted)
		ret = subtract(stream);
	if (ret > 0)
		ret = keep(stream);
	stream->many_cpus |= sample->cpu != stream->cpu;
	stream->many_tids |= sample->tid != stream->tid;
	stream->next = stream->last;
	stream->last = next;
	return ret;
}

int rep_stream_label(struct rep_stream *stream, const char *comm)
{
	bool one_cpu = stream->has_cpu && !stream->many_cpus;
	char name[NAME_COMM_SIZE];
	int ret;

	if (one_cpu && (stream->many_tids || !stream->tid))
		ret = asprintf(&stream->label, "CPU %u", stream->cpu);
	else if (stream->many_tids)
		ret = asprintf(&stream->label, "id %llu", (unsigned long long)stream->id);
	else
		ret = asprintf(&stream->label, "%s:%u",
			       name_text(name, sizeof(name), comm ? comm : "", REP_COMM_SIZE),
			       stream->tid);
	if (ret >= 0)
		return 0;
	stream->label = NULL;
	return -ENOMEM;
}

void rep_stream_free(struct rep_stream *stream)
{
	free(stream->label);
	free(stream->events);
	free(stream->intervals);
	free(stream->totals);
	free(stream->interval);
	free(stream->last);
	free(stream->next);
	free(stream->gauges);
}
