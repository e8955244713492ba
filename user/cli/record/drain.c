// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>

#include "drain.h"
#include "perfdata/spans.h"

/* Room is given back so often: a line of text takes longer than a sample. */
#define CONSUME_STEP 64

static void count(const struct record_desc *desc, struct record_counts *counts,
		  const struct pmcgrp_record *record)
{
	/* What spans have counted is no group's counts, but raw data. */
	bool sample = desc->spans ? record->has & PERF_SAMPLE_RAW && record_trigger(desc, record) :
				    pmcgrp_record_is_sample(record);

	if (record->misc & PMCGRP_RECORD_MISC_SWITCH)
		counts->switches += sample;
	else
		counts->samples += sample;
	counts->records++;
	counts->bytes += record->size;
	if (record->type == PERF_RECORD_LOST_SAMPLES)
		counts->missed += record->lost;
	else
		counts->lost += record->lost;
	counts->throttled += record->type == PERF_RECORD_THROTTLE;
}

/* Of a cgroup that is not recorded. */
static bool is_left_out(const struct record_desc *desc, const struct pmcgrp_record *record)
{
	return desc->cgroups && record->has & PERF_SAMPLE_CGROUP &&
	       !record_cgroups_wanted(desc->cgroups, record->cgroup);
}

/* Counts it, and says whether it goes into the file. */
static bool take(const struct record_desc *desc, struct record_sink *sink,
		 const struct pmcgrp_record *record, struct record_counts *counts)
{
	if (is_left_out(desc, record)) {
		counts->left_out++;
		counts->records++;
		counts->bytes += record->size;
		if (sink->skip)
			sink->skip(sink, record);
		return false;
	}
	count(desc, counts, record);
	return true;
}

static int drain_merged(struct pmcgrp_rings *rings, const struct record_desc *desc,
			struct record_sink *sink, struct record_counts *counts)
{
	struct pmcgrp_record record;
	unsigned int nr = 0;
	int ret;

	while ((ret = pmcgrp_rings_next(rings, &record)) > 0) {
		ret = 0;
		if (take(desc, sink, &record, counts))
			ret = sink->put(sink, &record, NULL,
					pmcgrp_rings_delta(rings, record.ring));
		if (ret < 0)
			return ret;
		/* The round goes on. */
		if (++nr % CONSUME_STEP == 0)
			pmcgrp_ring_consume(pmcgrp_rings_ring(rings, record.ring));
	}
	/* Consuming gives up what cannot be read. */
	counts->broken += ret < 0;
	pmcgrp_rings_consume(rings);
	return 0;
}

/* As it lies in the ring. */
static int put(const struct record_desc *desc, struct record_sink *sink,
	       const struct pmcgrp_record *record, const void *bytes, struct record_counts *counts)
{
	int ret;

	if (!desc->spans)
		return sink->put(sink, record, bytes, NULL);
	ret = record_spans_put(desc->spans, sink, record, bytes);
	counts->broken += ret == -EBADMSG;
	return ret == -EBADMSG ? 0 : ret;
}

static int drain_ring(struct pmcgrp_ring *ring, unsigned int i, const struct record_desc *desc,
		      struct record_sink *sink, struct record_counts *counts)
{
	const struct perf_event_header *header;
	struct pmcgrp_record record;
	int ret;

	while ((ret = pmcgrp_ring_next(ring, &header)) > 0) {
		ret = pmcgrp_record_decode(&record, header, header->size, &desc->format);
		if (ret < 0)
			break;
		record.ring = i;
		if (take(desc, sink, &record, counts))
			ret = put(desc, sink, &record, header, counts);
		if (ret < 0)
			return ret;
	}
	counts->broken += ret < 0;
	pmcgrp_ring_consume(ring);
	return 0;
}

int record_drain(struct pmcgrp_rings *rings, const struct record_desc *desc,
		 struct record_sink *sink, struct record_counts *counts)
{
	unsigned int i;
	int ret = 0;

	if (sink->merged)
		ret = drain_merged(rings, desc, sink, counts);
	for (i = 0; !sink->merged && i < pmcgrp_rings_nr(rings) && !ret; i++)
		ret = drain_ring(pmcgrp_rings_ring(rings, i), i, desc, sink, counts);
	return ret ? ret : sink->flush(sink);
}
