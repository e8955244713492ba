// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spans.h"

/* The time, and those of the group. */
#define MEMBERS_MAX (1 + PMCGRP_SECTION_MEMBERS_MAX)

/* A sample of RECORD_SAMPLE_TYPE and RECORD_READ_FORMAT, but for its values. */
struct group_sample {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t nr;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[2 * MEMBERS_MAX + 1];	/* each with its id; then the cgroup */
};

struct record_spans {
	const struct record_desc *desc;
	struct pmcgrp_record_format format;	/* of samples as they are made here */
	uint64_t *sums;				/* of each member, for each ring */
	bool *begun;				/* for each ring */
};

int record_spans_new(struct record_spans **out, const struct record_desc *desc)
{
	struct record_spans *spans = calloc(1, sizeof(*spans));
	size_t rings = desc->nr_rings;

	*out = spans;
	if (!spans)
		return -ENOMEM;
	spans->desc = desc;
	spans->format = (struct pmcgrp_record_format){
		.sample_type = RECORD_SAMPLE_TYPE | (desc->format.sample_type & PERF_SAMPLE_CGROUP),
		.read_format = RECORD_READ_FORMAT,
		.sample_id_all = true,
	};
	spans->sums = calloc(rings * desc->nr_members + 1, sizeof(*spans->sums));
	spans->begun = calloc(rings + 1, sizeof(*spans->begun));
	return spans->sums && spans->begun ? 0 : -ENOMEM;
}

void record_spans_free(struct record_spans *spans)
{
	if (!spans)
		return;
	free(spans->sums);
	free(spans->begun);
	free(spans);
}

static uint64_t *sums_of(const struct record_spans *spans, unsigned int ring)
{
	return spans->sums + (size_t)ring * spans->desc->nr_members;
}

/* @id: whose sample it is; @misc: PMCGRP_RECORD_MISC_*, beside the record's own */
static int put_sums(const struct record_spans *spans, struct record_sink *sink,
		    const struct pmcgrp_record *record, uint64_t id, uint16_t misc)
{
	const struct record_desc *desc = spans->desc;
	const uint64_t *sums = sums_of(spans, record->ring);
	struct group_sample sample = {
		.header = { .type = PERF_RECORD_SAMPLE, .misc = record->misc | misc },
		.id = id,
		.pid = record->pid,
		.tid = record->tid,
		.time = record->time,
		.cpu = record->cpu,
		.nr = desc->nr_members,
		/* A span is counted while the group is on the PMU, or not at all. */
		.enabled = sums[0],
		.running = sums[0],
	};
	struct pmcgrp_record made;
	uint64_t *at = sample.value;
	unsigned int i;
	int ret;

	for (i = 0; i < desc->nr_members; i++) {
		*at++ = sums[i];
		*at++ = record_id(desc, record->ring, desc->nr_triggers + i);
	}
	if (record->has & PERF_SAMPLE_CGROUP)
		*at++ = record->cgroup;
	sample.header.size = (uint16_t)((char *)at - (char *)&sample);
	ret = pmcgrp_record_decode(&made, &sample, sample.header.size, &spans->format);
	made.ring = record->ring;
	return ret < 0 ? ret : sink->put(sink, &made, &sample, NULL);
}

/*
 * That nothing was counted before the first one, as where one task follows another: no sample of
 * anything to `pmcgrp report`, and perf leaves out those that have counted nothing.
 */
static int begin(struct record_spans *spans, struct record_sink *sink,
		 const struct pmcgrp_record *record)
{
	if (spans->begun[record->ring])
		return 0;
	spans->begun[record->ring] = true;
	return put_sums(spans, sink, record,
			record_id(spans->desc, record->ring, spans->desc->nr_triggers),
			PMCGRP_RECORD_MISC_SWITCH);
}

int record_spans_put(struct record_spans *spans, struct record_sink *sink,
		     const struct pmcgrp_record *record, const void *bytes)
{
	const struct record_desc *desc = spans->desc;
	struct pmcgrp_span_values span;
	unsigned int i;
	uint64_t *sums;
	int ret;

	if (record->type != PERF_RECORD_SAMPLE)
		return sink->put(sink, record, bytes, NULL);
	ret = pmcgrp_record_span(record, &span);
	/* Of a group of several tasks: where one follows another. */
	if (ret == -ENOENT)
		return 0;
	if (ret < 0 || span.nr + 1 != desc->nr_members || record->ring >= desc->nr_rings)
		return -EBADMSG;
	ret = begin(spans, sink, record);
	if (ret < 0)
		return ret;
	sums = sums_of(spans, record->ring);
	sums[0] += span.duration;
	for (i = 0; i < span.nr; i++)
		sums[1 + i] += span.value[i];
	return put_sums(spans, sink, record, record->id, 0);
}
