// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* One more look at the records: no sums and streams have the times of single samples. */
#include "marks.h"

static bool shows(const struct rep_data *data, const struct perfdata_sample *sample)
{
	const struct rep_filter *filter = &data->filter;

	if (sample->time < data->first || sample->time > data->last)
		return false;
	if (filter->has_cpus && (!(sample->has & PERF_SAMPLE_CPU) ||
				 !pmcgrp_cpus_test(&filter->cpus, (int)sample->cpu)))
		return false;
	return !filter->tid || (sample->has & PERF_SAMPLE_TID && sample->tid == filter->tid);
}

static void place(struct rep_mark *mark, const struct perfdata_sample *sample)
{
	mark->time = sample->time;
	mark->has_cpu = sample->has & PERF_SAMPLE_CPU;
	mark->has_tid = sample->has & PERF_SAMPLE_TID;
	mark->cpu = sample->cpu;
	mark->pid = sample->pid;
	mark->tid = sample->tid;
}

static bool of_sample(const struct rep_data *data, const struct perfdata_record *record,
		      struct rep_mark *mark)
{
	struct perfdata_sample sample;

	if (perfdata_read_sample(data->reader, record, &sample) < 0 || !shows(data, &sample))
		return false;
	mark->kind = sample.switched ? REP_MARK_SWITCH : REP_MARK_SAMPLE;
	mark->event = sample.switched ? -1 : sample.event;
	mark->nr = 1;
	place(mark, &sample);
	return true;
}

/* A recorder does not know when it was that the last ones were lost. */
static bool in_time(const struct rep_data *data, struct rep_mark *mark)
{
	if (!mark->time || (mark->time > data->last && !data->filter.has_stop)) {
		mark->time = data->last;
		mark->has_cpu = false;
	}
	return mark->time <= data->last && (mark->time >= data->first || !data->filter.has_start);
}

/* PERF_RECORD_LOST: id, how many; _LOST_SAMPLES: how many; _THROTTLE: time, id, stream_id. */
static bool of_loss(const struct rep_data *data, const struct perfdata_record *record,
		    struct rep_mark *mark)
{
	bool lost = record->type == PERF_RECORD_LOST;
	struct perfdata_sample sample;
	size_t size = perfdata_read_sample_id(data->reader, record, &sample);

	if (size < (record->type == PERF_RECORD_THROTTLE ? 24 : lost ? 16 : 8))
		return false;
	place(mark, &sample);
	mark->nr = 1;
	mark->event = sample.event;
	if (record->type == PERF_RECORD_THROTTLE) {
		mark->kind = REP_MARK_THROTTLE;
		mark->time = perfdata_u64(record->body);
		mark->event = perfdata_read_event_of(data->reader, perfdata_u64(record->body + 8));
		return in_time(data, mark);
	}
	mark->kind = lost ? REP_MARK_LOST : REP_MARK_MISSED;
	if (lost)
		mark->event = perfdata_read_event_of(data->reader, perfdata_u64(record->body));
	mark->nr = perfdata_u64(record->body + (lost ? 8 : 0));
	return mark->nr && in_time(data, mark);
}

static bool mark_of(const struct rep_data *data, const struct perfdata_record *record,
		    struct rep_mark *mark)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return of_sample(data, record, mark);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
		return of_loss(data, record, mark);
	default:
		return false;
	}
}

int rep_marks_walk(const struct rep_data *data,
		   int (*take)(const struct rep_mark *mark, void *arg), void *arg)
{
	uint64_t offset = data->reader->data;
	struct perfdata_record record;
	struct rep_mark mark;
	int ret = 0;

	while (ret >= 0 && perfdata_read_next(data->reader, &offset, &record)) {
		if (mark_of(data, &record, &mark))
			ret = take(&mark, arg);
	}
	return ret < 0 ? ret : 0;
}
