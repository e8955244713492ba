// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The second look at a recording, record by record in the order of time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rep_data.h"
#include "grow.h"
#include "losses.h"
#include "names.h"
#include "scan.h"
#include "stream.h"

struct work {
	struct rep_data *data;
	struct rep_scan scan;
	struct rep_wanted wanted;
	uint64_t start;		/* what is looked at, in perf's time */
	uint64_t stop;
	struct rep_map stream_map;
	size_t room_streams;
	struct rep_losses losses;
	struct rep_names names;	/* by now */
	bool has_keys;		/* functions or objects are keys */
	bool has_code;		/* or they are those of call chains */
	uint64_t now;
};

/* ---- Tallies ---- */

static int count_sample(struct work *w, const struct perfdata_sample *sample)
{
	struct rep_data *data = w->data;
	struct rep_tally *row;
	size_t thread;

	data->samples++;
	data->switches += sample->switched;
	data->events[sample->event].samples += !sample->switched;
	if (data->samples == 1)
		data->first = sample->time;
	data->last = sample->time;
	if (sample->has & PERF_SAMPLE_CPU) {
		row = rep_tally(&data->cpus, sample->cpu);
		if (!row)
			return -ENOMEM;
		row->cpu = sample->cpu;
		row->samples++;
	}
	if (sample->has & PERF_SAMPLE_TID) {
		if (rep_names_thread(&w->names, sample->tid, &thread) < 0)
			return -ENOMEM;
		row = rep_tally(&data->threads, thread);
		if (!row)
			return -ENOMEM;
		row->samples++;
		row->thread = thread;
		row->pid = sample->pid;
		row->tid = sample->tid;
	}
	return 0;
}

/* ---- Streams ---- */

/* Sets @stream to NULL for a sample whose counts say nothing. */
static int stream_of(struct work *w, const struct perfdata_sample *sample,
		     struct rep_stream **stream)
{
	struct rep_data *data = w->data;
	uint64_t id = pmcgrp_view_id(&sample->view, 0), part = 0;
	unsigned int i;
	size_t at, thread;

	*stream = NULL;
	if (rep_names_thread(&w->names, sample->tid, &thread) < 0)
		return -ENOMEM;
	switch (rep_scan_kind(&w->scan, data->reader, sample, id)) {
	case REP_KIND_CPU:
		part = sample->cpu;
		break;
	case REP_KIND_TID:
		part = thread;
		break;
	default:
		break;
	}
	at = rep_map_find(&w->stream_map, id, part);
	if (at != REP_MAP_NONE) {
		if (rep_stream_fits(&data->streams[at], data->reader, sample))
			*stream = &data->streams[at];
		return 0;
	}
	if (!rep_stream_knows(data->reader, &sample->view))
		return 0;
	at = data->nr_streams;
	if (!rep_grow(&data->streams, &w->room_streams, at, sizeof(*data->streams)) ||
	    rep_stream_init(&data->streams[at], data->reader, sample,
			    !data->filter.no_intervals) < 0)
		return -ENOMEM;
	data->nr_streams++;
	*stream = &data->streams[at];
	(*stream)->thread = thread;
	if (rep_spreads_begin(&data->spreads, &w->wanted, *stream) < 0)
		return -ENOMEM;
	for (i = 0; i < (*stream)->nr; i++)
		data->events[(*stream)->events[i]].member = true;
	return rep_map_add(&w->stream_map, id, part, at);
}

static bool selected(const struct rep_filter *filter, const struct perfdata_sample *sample)
{
	if (filter->has_cpus && (!(sample->has & PERF_SAMPLE_CPU) ||
				 !pmcgrp_cpus_test(&filter->cpus, (int)sample->cpu)))
		return false;
	return !filter->tid || (sample->has & PERF_SAMPLE_TID && sample->tid == filter->tid);
}

/*
 * What a sample stands for in the sums: the last interval, or for the first sample all that was
 * counted before it, as perf report has it. Not if samples before it are left out.
 */
static int add_keys(struct work *w, struct rep_cause *cause, const struct rep_stream *stream,
		    bool interval)
{
	struct rep_data *data = w->data;
	const struct rep_interval *counted = NULL;

	if (w->has_keys &&
	    rep_code_find(&data->code, cause->sample, &cause->object, &cause->function) < 0)
		return -ENOMEM;
	if (interval)
		counted = stream->interval;
	else if (stream && stream->snapshots == 1 && !data->filter.has_start)
		counted = stream->last;
	return rep_sums_add(&data->sums, cause, stream, counted);
}

static int sum_up(struct work *w, const struct perfdata_sample *sample,
		  const struct rep_stream *stream, bool interval)
{
	struct rep_data *data = w->data;
	struct rep_cause cause = { .sample = sample, .comm = rep_names_of(&w->names, sample->tid) };
	int ret = 0;

	if (!selected(&data->filter, sample))
		return 0;
	if (data->filter.keys.nr)
		ret = add_keys(w, &cause, stream, interval);
	if (!ret && data->filter.chains)
		ret = rep_chains_add(&data->chains, &data->code, &cause, stream,
				     interval ? stream->interval : NULL);
	return ret;
}

static int snapshot(struct work *w, const struct perfdata_sample *sample)
{
	struct rep_data *data = w->data;
	struct rep_stream *stream;
	int ret = stream_of(w, sample, &stream);
	bool wanted;

	if (ret < 0)
		return ret;
	if (!stream) {
		data->without_counts++;
		return sum_up(w, sample, NULL, false);
	}
	wanted = selected(&data->filter, sample);
	ret = rep_stream_add(stream, sample, wanted);
	if (ret == -ERANGE)
		data->backwards++;
	else if (ret < 0)
		return ret;
	if (ret > 0) {
		data->nr_intervals++;
		if (rep_spreads_add(&data->spreads, stream) < 0)
			return -ENOMEM;
	}
	if (wanted && rep_between_add(&data->between, sample, stream, ret > 0) < 0)
		return -ENOMEM;
	return sum_up(w, sample, stream, ret > 0);
}

/* ---- Records ---- */

static int take_sample(struct work *w, const struct perfdata_record *record)
{
	struct perfdata_sample sample;
	int ret = 0;

	if (perfdata_read_sample(w->data->reader, record, &sample) < 0) {
		w->data->unreadable++;
		return 0;
	}
	if (selected(&w->data->filter, &sample))
		ret = count_sample(w, &sample);
	return ret < 0 ? ret : snapshot(w, &sample);
}

/* What threads are called, what is mapped, which cgroups there are. */
static int take_task(struct work *w, const struct perfdata_record *record)
{
	int ret = rep_names_take(&w->names, record);

	if (!ret && w->has_code)
		ret = rep_code_take(&w->data->code, record);
	return ret ? ret : rep_cgroups_take(&w->data->cgroups, record);
}

static int take(struct work *w, uint64_t time, const struct perfdata_record *record)
{
	/* Of tasks what was before as well. */
	if (time < w->start)
		return take_task(w, record);
	w->now = time;
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(w, record);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return rep_losses_take(&w->losses, w->data, record);
	default:
		return take_task(w, record);
	}
}

/* ---- The whole ---- */

/* CPU by CPU, thread by thread, and in the order of their ids. */
static int by_place(const void *a, const void *b)
{
	const struct rep_stream *x = a, *y = b;

	if (x->many_cpus != y->many_cpus)
		return x->many_cpus - y->many_cpus;
	if (!x->many_cpus && x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->tid != y->tid && !x->many_tids && !y->many_tids)
		return x->tid < y->tid ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * How many of the streams before have the same label: perf counts a task on each CPU
 * apart, and does not always say on which.
 */
static unsigned int alike(const struct rep_data *data, const struct rep_stream *stream)
{
	const struct rep_stream *other = data->streams;
	unsigned int nr = 0;

	/* With thousands, no one reads their labels. */
	for (; other < stream && other < data->streams + 1000; other++)
		nr += other->tid == stream->tid && !other->many_tids && !stream->many_tids &&
		      !strncmp(other->label, stream->label, strlen(stream->label));
	return nr;
}

/* The last that they had of what was looked at. */
static void name_threads(struct work *w)
{
	struct rep_tally *row;
	const char *name;
	size_t i;

	for (i = 0; i < w->data->threads.nr; i++) {
		row = &w->data->threads.rows[i];
		name = rep_names_at(&w->names, row->thread);
		name_text(row->comm, sizeof(row->comm), name ? name : "", REP_COMM_SIZE);
	}
}

static int labels(struct work *w)
{
	struct rep_data *data = w->data;
	unsigned int before;
	char *longer;
	size_t i;

	for (i = 0; i < data->nr_streams; i++) {
		struct rep_stream *stream = &data->streams[i];

		if (rep_stream_label(stream, rep_names_at(&w->names, stream->thread)) < 0)
			return -ENOMEM;
		before = alike(data, stream);
		if (!before)
			continue;
		if (asprintf(&longer, "%s (%u)", stream->label, before + 1) < 0)
			return -ENOMEM;
		free(stream->label);
		stream->label = longer;
	}
	return 0;
}

static void range(struct work *w)
{
	const struct rep_filter *filter = &w->data->filter;

	w->start = filter->has_start ? filter->start : 0;
	w->stop = filter->has_stop ? filter->stop : UINT64_MAX;
	if (filter->has_start && filter->start_relative)
		w->start += w->scan.first;
	if (filter->has_stop && filter->stop_relative)
		w->stop += w->scan.first;
}

static int take_all(struct work *w)
{
	const struct perfdata_reader *reader = w->data->reader;
	struct rep_scan_place place = { 0 };
	struct perfdata_record record;
	uint64_t time;
	int ret = rep_scan_take(&w->scan, reader);

	if (!ret && w->has_code)
		ret = rep_code_begin(&w->data->code, reader,
				     rep_keys_have(&w->data->filter.keys, REP_KEY_SYM) ||
					     w->data->filter.chains);
	if (!ret && w->data->filter.chains)
		ret = rep_chains_begin(&w->data->chains, reader->nr_events, REP_CHAINS_MAX);
	range(w);
	while (!ret) {
		ret = rep_scan_next(&w->scan, reader, &place, &time, &record);
		if (ret <= 0 || time > w->stop)
			break;
		ret = take(w, time, &record);
	}
	rep_losses_end(&w->losses, w->data, w->now);
	if (ret >= 0)
		ret = rep_between_end(&w->data->between);
	if (ret >= 0 && w->data->filter.chains)
		ret = rep_chains_end(&w->data->chains);
	w->data->rest = w->scan.rest;
	w->data->compact = w->scan.compact;
	if (w->data->nr_streams)
		qsort(w->data->streams, w->data->nr_streams, sizeof(*w->data->streams), by_place);
	name_threads(w);
	return ret < 0 ? ret : labels(w);
}

int rep_data_take(struct rep_data *data, const struct perfdata_reader *reader,
		  const struct rep_filter *filter)
{
	struct work w = {
		.data = data,
		.wanted = { reader, filter->ratios, filter->nr_ratios },
		.has_keys = rep_keys_have(&filter->keys, REP_KEY_SYM) ||
			    rep_keys_have(&filter->keys, REP_KEY_DSO),
	};
	unsigned int i;
	int ret = -ENOMEM;

	w.has_code = w.has_keys || filter->chains;
	memset(data, 0, sizeof(*data));
	data->reader = reader;
	data->filter = *filter;
	data->events = calloc(reader->nr_events, sizeof(*data->events));
	if (data->events) {
		data->nr_events = reader->nr_events;
		data->sums.nr_events = reader->nr_events;
		data->sums.keys = filter->keys;
		data->between.pairs = filter->pairs;
		for (i = 0; i < data->nr_events; i++) {
			data->events[i].name = reader->events[i].name;
			data->events[i].attr = &reader->events[i].attr;
		}
		ret = take_all(&w);
	}
	rep_tallies_by_cpu(&data->cpus);
	rep_tallies_by_samples(&data->threads);
	for (i = 0; i < data->nr_events && !data->events[i].member; i++)
		;
	rep_sums_sort(&data->sums, i < data->nr_events ? i : 0);
	rep_scan_free(&w.scan);
	rep_names_free(&w.names);
	rep_map_free(&w.stream_map);
	rep_losses_free(&w.losses);
	return ret;
}

void rep_data_free(struct rep_data *data)
{
	size_t i;

	for (i = 0; i < data->nr_streams; i++)
		rep_stream_free(&data->streams[i]);
	free(data->streams);
	free(data->events);
	rep_tallies_free(&data->cpus);
	rep_tallies_free(&data->threads);
	rep_sums_free(&data->sums);
	rep_spreads_free(&data->spreads);
	rep_between_free(&data->between);
	rep_code_free(&data->code);
	rep_cgroups_free(&data->cgroups);
	rep_chains_free(&data->chains);
	memset(data, 0, sizeof(*data));
}
