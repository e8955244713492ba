// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The records of a perf.data file, one after the other, and what is in them. */
#include <errno.h>
#include <string.h>

#include "perfdata_format.h"
#include "perfdata_read.h"

bool perfdata_read_next(const struct perfdata_reader *reader, uint64_t *offset,
			struct perfdata_record *record)
{
	uint64_t left = reader->data_end - *offset, extra = 0;
	const unsigned char *at = reader->bytes + *offset;
	struct perf_event_header header;

	if (*offset > reader->data_end || left < sizeof(header))
		return false;
	memcpy(&header, at, sizeof(header));
	if (!header.type || header.size < sizeof(header) || header.size > left)
		return false;
	/* AUX data follows its record, outside of header.size. */
	if (header.type == PERFDATA_AUXTRACE && header.size >= sizeof(header) + 8)
		extra = perfdata_u64(at + sizeof(header));
	if (extra > left - header.size)
		return false;
	record->type = header.type;
	record->misc = header.misc;
	record->body = at + sizeof(header);
	record->size = header.size - sizeof(header);
	*offset += header.size + extra;
	return true;
}

/* ---- Samples ---- */

struct cursor {
	const unsigned char *at;
	size_t left;
	bool bad;
};

static uint64_t take(struct cursor *c)
{
	uint64_t value;

	if (c->left < 8) {
		c->bad = true;
		return 0;
	}
	value = perfdata_u64(c->at);
	c->at += 8;
	c->left -= 8;
	return value;
}

/* Two of 32 bits. */
static void take_pair(struct cursor *c, uint32_t *first, uint32_t *second)
{
	uint64_t both = take(c);

	memcpy(first, &both, 4);
	memcpy(second, (char *)&both + 4, 4);
}

/* How many words of a sample stand before its PERF_SAMPLE_ID. */
static unsigned int words_before_id(uint64_t type)
{
	return (unsigned int)__builtin_popcountll(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
							  PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							  PERF_SAMPLE_ADDR));
}

static int sample_event(const struct perfdata_reader *reader, const struct perfdata_record *record)
{
	uint64_t type = reader->events[0].attr.sample_type;
	size_t at = 0;
	int event;

	if (!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return 0;
	if (!(type & PERF_SAMPLE_IDENTIFIER))
		at = 8ULL * words_before_id(type);
	if (record->size < at + 8)
		return -EBADMSG;
	event = perfdata_read_event_of(reader, perfdata_u64(record->body + at));
	/* perf, too, takes a lone event's samples whatever their id. */
	if (event < 0 && reader->nr_events == 1)
		return 0;
	return event < 0 ? -ENOENT : event;
}

int perfdata_read_sample(const struct perfdata_reader *reader,
			 const struct perfdata_record *record, struct perfdata_sample *sample)
{
	struct cursor c = { .at = record->body, .left = record->size };
	const struct perf_event_attr *attr;
	uint64_t type;
	uint32_t reserved;
	int event = sample_event(reader, record);

	memset(sample, 0, sizeof(*sample));
	sample->event = -1;
	if (event < 0)
		return event;
	attr = &reader->events[event].attr;
	type = attr->sample_type;
	sample->event = event;
	sample->has = type;
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = take(&c);
	if (type & PERF_SAMPLE_IP)
		take(&c);
	if (type & PERF_SAMPLE_TID)
		take_pair(&c, &sample->pid, &sample->tid);
	if (type & PERF_SAMPLE_TIME)
		sample->time = take(&c);
	if (type & PERF_SAMPLE_ADDR)
		take(&c);
	if (type & PERF_SAMPLE_ID)
		sample->id = take(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		sample->stream_id = take(&c);
	if (type & PERF_SAMPLE_CPU)
		take_pair(&c, &sample->cpu, &reserved);
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = take(&c);
	if (c.bad)
		return -EBADMSG;
	if (type & PERF_SAMPLE_READ &&
	    pmcgrp_view_init(&sample->view, c.at, c.left, attr->read_format) < 0)
		return -EBADMSG;
	return 0;
}

/* Its order is that of samples, but for PERF_SAMPLE_IDENTIFIER, which is last. */
size_t perfdata_read_sample_id(const struct perfdata_reader *reader,
			       const struct perfdata_record *record,
			       struct perfdata_sample *sample)
{
	const struct perf_event_attr *attr = &reader->events[0].attr;
	uint64_t type = attr->sample_type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
					     PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
					     PERF_SAMPLE_IDENTIFIER);
	size_t size = 8U * (size_t)__builtin_popcountll(type);
	struct cursor c;
	uint32_t reserved;

	memset(sample, 0, sizeof(*sample));
	sample->event = -1;
	if (!attr->sample_id_all || record->type >= PERFDATA_USER_FIRST || record->size < size)
		return record->size;
	c = (struct cursor){ .at = record->body + record->size - size, .left = size };
	sample->has = type;
	if (type & PERF_SAMPLE_TID)
		take_pair(&c, &sample->pid, &sample->tid);
	if (type & PERF_SAMPLE_TIME)
		sample->time = take(&c);
	if (type & PERF_SAMPLE_ID)
		sample->id = take(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		sample->stream_id = take(&c);
	if (type & PERF_SAMPLE_CPU)
		take_pair(&c, &sample->cpu, &reserved);
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = take(&c);
	if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		sample->event = perfdata_read_event_of(reader, sample->id);
	return record->size - size;
}
