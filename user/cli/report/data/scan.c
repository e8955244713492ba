// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "perfdata/format.h"
#include "scan.h"

/* The entry of an id, which may be new; NULL: out of memory. */
static struct rep_scan_id *id_entry(struct rep_scan *scan, uint64_t id, uint32_t tid)
{
	size_t at = rep_map_find(&scan->id_map, id, 0);

	if (at != REP_MAP_NONE)
		return &scan->ids[at];
	if (!rep_grow(&scan->ids, &scan->room_ids, scan->nr_ids, sizeof(*scan->ids)) ||
	    rep_map_add(&scan->id_map, id, 0, scan->nr_ids) < 0)
		return NULL;
	scan->ids[scan->nr_ids] = (struct rep_scan_id){ .tid = tid };
	return &scan->ids[scan->nr_ids++];
}

static int note_sample(struct rep_scan *scan, const struct perfdata_sample *sample)
{
	struct rep_scan_id *entry;

	if (!scan->first || sample->time < scan->first)
		scan->first = sample->time;
	if (!pmcgrp_view_nr(&sample->view) || !(sample->has & PERF_SAMPLE_TID))
		return 0;
	entry = id_entry(scan, pmcgrp_view_id(&sample->view, 0), sample->tid);
	if (!entry)
		return -ENOMEM;
	if (entry->tid != sample->tid)
		entry->many_tids = true;
	return 0;
}

/* PERF_RECORD_ID_INDEX: how many, then of each id, idx, cpu, tid; -1 for none. */
static int note_index(struct rep_scan *scan, const struct perfdata_record *record)
{
	const unsigned char *at = record->body + 8;
	struct rep_scan_id *entry;
	uint64_t nr, i;

	if (record->size < 8)
		return 0;
	nr = perfdata_u64(record->body);
	for (i = 0; i < nr && i < (record->size - 8) / 32; i++, at += 32) {
		entry = id_entry(scan, perfdata_u64(at), 0);
		if (!entry)
			return -ENOMEM;
		entry->indexed = true;
		entry->of_cpu = (int64_t)perfdata_u64(at + 16) >= 0;
	}
	return 0;
}

/*
 * Whether a record is to be looked at in the order of time, and at which. @now is the time of the
 * last sample before it in the file. @sample: of a sample that can be read.
 */
static bool timed(const struct perfdata_reader *reader, const struct perfdata_record *record,
		  struct perfdata_sample *sample, uint64_t *now, uint64_t *time)
{
	sample->event = -1;
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		/* One that cannot be read is counted later. */
		if (!perfdata_read_sample(reader, record, sample))
			*now = sample->time;
		*time = *now;
		return true;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		/* perf writes some at the end, with no time of their own. */
		perfdata_read_sample_id(reader, record, sample);
		*time = sample->time ? sample->time : *now;
		return true;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_CGROUP:
		perfdata_read_sample_id(reader, record, sample);
		*time = sample->time;
		return true;
	default:
		return false;
	}
}

static int take(struct rep_scan *scan, const struct perfdata_reader *reader,
		const struct perfdata_record *record, uint64_t *now)
{
	struct perfdata_sample sample;
	uint64_t time;
	int ret;

	if (!timed(reader, record, &sample, now, &time)) {
		scan->compact += record->type == PMCGRP_RECORD_COMPACT;
		return record->type == PERFDATA_ID_INDEX ? note_index(scan, record) : 0;
	}
	ret = sample.event >= 0 && record->type == PERF_RECORD_SAMPLE ? note_sample(scan, &sample) : 0;
	return ret < 0 ? ret : rep_order_note(&scan->order, time);
}

int rep_scan_take(struct rep_scan *scan, const struct perfdata_reader *reader)
{
	uint64_t offset = reader->data, forgotten = offset, now = 0;
	struct perfdata_record record;
	int ret;

	memset(scan, 0, sizeof(*scan));
	while (perfdata_read_next(reader, &offset, &record)) {
		ret = take(scan, reader, &record, &now);
		if (ret < 0)
			return ret;
		perfdata_read_forget(reader, offset, &forgotten);
	}
	scan->rest = reader->data_end - offset;
	rep_order_noted(&scan->order);
	return 0;
}

int rep_scan_next(struct rep_scan *scan, const struct perfdata_reader *reader,
		  struct rep_scan_place *place, uint64_t *time, struct perfdata_record *record)
{
	struct perfdata_sample sample;

	if (!place->begun) {
		place->begun = true;
		place->offset = reader->data;
		place->forgotten = reader->data;
	}
	while (!rep_order_get(&scan->order, time, record)) {
		if (place->ended)
			return 0;
		place->ended = !perfdata_read_next(reader, &place->offset, record);
		if (place->ended) {
			rep_order_end(&scan->order);
			continue;
		}
		if (timed(reader, record, &sample, &place->now, time) &&
		    rep_order_put(&scan->order, *time, record) < 0)
			return -ENOMEM;
		perfdata_read_forget(reader, place->offset, &place->forgotten);
	}
	return 1;
}

/*
 * A group of CPUs has the same id on each of them, with counts of its own; one of a task
 * keeps its counts wherever that runs, and is seen by no other task. perf has an id for
 * each CPU, and for inherited events counts for each thread.
 */
enum rep_kind rep_scan_kind(const struct rep_scan *scan, const struct perfdata_reader *reader,
			    const struct perfdata_sample *sample, uint64_t id)
{
	size_t at = rep_map_find(&scan->id_map, id, 0);
	const struct rep_scan_id *entry = at == REP_MAP_NONE ? NULL : &scan->ids[at];

	if (reader->events[sample->event].attr.inherit && sample->has & PERF_SAMPLE_TID)
		return REP_KIND_TID;
	if (!entry || !(sample->has & PERF_SAMPLE_CPU))
		return REP_KIND_ID;
	if (entry->indexed)
		return entry->of_cpu ? REP_KIND_CPU : REP_KIND_ID;
	return entry->many_tids || !entry->tid ? REP_KIND_CPU : REP_KIND_ID;
}

void rep_scan_free(struct rep_scan *scan)
{
	rep_order_free(&scan->order);
	free(scan->ids);
	rep_map_free(&scan->id_map);
	memset(scan, 0, sizeof(*scan));
}
