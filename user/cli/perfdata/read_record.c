// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The records of a perf.data file, one after the other, and what is in them. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format.h"
#include "reader.h"

/* Pages of the file are given back in steps of this: some hundred system calls a gigabyte. */
#define FORGET (4 << 20)

static bool raw_next(const struct perfdata_reader *reader, uint64_t *offset,
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
	/* Formats of tracepoints, too. */
	if (header.type == PERFDATA_TRACING_DATA && reader->pipe && header.size >= sizeof(header) + 4)
		extra = perfdata_u32(at + sizeof(header));
	if (extra > left - header.size)
		return false;
	record->type = header.type;
	record->misc = header.misc;
	record->body = at + sizeof(header);
	record->size = header.size - sizeof(header);
	record->packed = false;
	*offset += header.size + extra;
	return true;
}

void perfdata_read_forget(const struct perfdata_reader *reader, uint64_t offset, uint64_t *done)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t from = *done & ~(page - 1), to = offset & ~(page - 1);

	if (!reader->mapped || offset < *done + FORGET)
		return;
	/* They are read from the file again if need be. */
	madvise((void *)(uintptr_t)(reader->bytes + from), to - from, MADV_DONTNEED);
	*done = to;
}

/* Whether a record is compressed, and which bytes of it. */
static bool packed_bytes(const struct perfdata_record *record, const unsigned char **in, size_t *nr)
{
	*in = record->body;
	*nr = record->size;
	if (record->type != PERFDATA_COMPRESSED2)
		return record->type == PERFDATA_COMPRESSED;
	/* Behind their length they are padded. */
	if (record->size < 8 || perfdata_u64(record->body) > record->size - 8)
		return false;
	*in = record->body + 8;
	*nr = perfdata_u64(record->body);
	return true;
}

static bool packed_next(struct perfdata_unpack *unpack, struct perfdata_record *record)
{
	struct perf_event_header header;
	const unsigned char *at;
	size_t size;

	at = unpack->any ? perfdata_unpack_get(unpack, &size) : NULL;
	if (!at)
		return false;
	memcpy(&header, at, sizeof(header));
	record->type = header.type;
	record->misc = header.misc;
	record->body = at + sizeof(header);
	record->size = size - sizeof(header);
	record->packed = true;
	return true;
}

/* The rest begins with the compressed record of which something could not be read. */
static bool stop(const struct perfdata_unpack *unpack, uint64_t *offset)
{
	if (unpack->broken || unpack->begin != unpack->end)
		*offset = unpack->record;
	return false;
}

bool perfdata_read_next(const struct perfdata_reader *reader, uint64_t *offset,
			struct perfdata_record *record)
{
	struct perfdata_unpack *unpack = reader->unpack;
	const unsigned char *in;
	size_t nr;

	if (*offset == reader->data)
		perfdata_unpack_restart(unpack, *offset);
	else if (unpack->any && *offset != unpack->next)
		return false;
	for (;;) {
		if (packed_next(unpack, record))
			return true;
		if (unpack->broken || !raw_next(reader, offset, record))
			return stop(unpack, offset);
		unpack->next = *offset;
		if (!packed_bytes(record, &in, &nr))
			return true;
		unpack->record = (uint64_t)(record->body - reader->bytes) -
				 sizeof(struct perf_event_header);
		perfdata_unpack_put(unpack, in, nr);
	}
}

/* ---- Samples ---- */

static uint64_t take(const unsigned char **at)
{
	uint64_t value = perfdata_u64(*at);

	*at += 8;
	return value;
}

/* Two of 32 bits. */
static void take_pair(const unsigned char **at, uint32_t *first, uint32_t *second)
{
	*first = perfdata_u32(*at);
	*second = perfdata_u32(*at + 4);
	*at += 8;
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

/*
 * Behind PERF_SAMPLE_CALLCHAIN much may stand whose length each sample says by itself. The cgroup
 * is near the end: only the sizes of pages and what the AUX area has are behind it.
 */
static bool cgroup_find(const struct perfdata_record *record, uint64_t type, uint64_t *cgroup)
{
	uint64_t behind = type & (PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE);
	size_t size = 8 + 8U * (size_t)__builtin_popcountll(behind);

	if (!(type & PERF_SAMPLE_CGROUP) || type & PERF_SAMPLE_AUX || record->size < size)
		return false;
	*cgroup = perfdata_u64(record->body + record->size - size);
	return true;
}

int perfdata_read_sample(const struct perfdata_reader *reader,
			 const struct perfdata_record *record, struct perfdata_sample *sample)
{
	const size_t head = sizeof(struct perf_event_header);
	int ret, event = sample_event(reader, record);
	struct pmcgrp_record_format format = { 0 };
	struct pmcgrp_record decoded;

	memset(sample, 0, sizeof(*sample));
	sample->event = -1;
	if (event < 0)
		return event;
	format.sample_type = reader->events[event].attr.sample_type;
	format.read_format = reader->events[event].attr.read_format;
	ret = pmcgrp_record_decode(&decoded, record->body - head, head + record->size, &format);
	if (ret < 0)
		return -EBADMSG;
	*sample = (struct perfdata_sample){
		.event = event,
		.has = format.sample_type,
		.id = decoded.id,
		.ip = decoded.ip,
		.stream_id = decoded.stream_id,
		.time = decoded.time,
		.period = decoded.period,
		.pid = decoded.pid,
		.tid = decoded.tid,
		.cpu = decoded.cpu,
		.mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK,
		.switched = record->misc & PMCGRP_RECORD_MISC_SWITCH,
		.view = decoded.read,
		.chain = decoded.chain,
		.nr_chain = decoded.nr_chain,
	};
	if (!cgroup_find(record, format.sample_type, &sample->cgroup))
		sample->has &= ~(uint64_t)PERF_SAMPLE_CGROUP;
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
	const unsigned char *at;
	uint32_t reserved;

	memset(sample, 0, sizeof(*sample));
	sample->event = -1;
	if (!attr->sample_id_all || record->type >= PERFDATA_USER_FIRST || record->size < size)
		return record->size;
	at = record->body + record->size - size;
	sample->has = type;
	if (type & PERF_SAMPLE_TID)
		take_pair(&at, &sample->pid, &sample->tid);
	if (type & PERF_SAMPLE_TIME)
		sample->time = take(&at);
	if (type & PERF_SAMPLE_ID)
		sample->id = take(&at);
	if (type & PERF_SAMPLE_STREAM_ID)
		sample->stream_id = take(&at);
	if (type & PERF_SAMPLE_CPU)
		take_pair(&at, &sample->cpu, &reserved);
	if (type & PERF_SAMPLE_IDENTIFIER)
		sample->id = take(&at);
	if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		sample->event = perfdata_read_event_of(reader, sample->id);
	return record->size - size;
}

int perfdata_read_event_of(const struct perfdata_reader *reader, uint64_t id)
{
	size_t low = 0, high = reader->nr_ids;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reader->ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < reader->nr_ids && reader->ids[low].id == id)
		return (int)reader->ids[low].event;
	return -1;
}
