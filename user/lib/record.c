// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Records, from bytes to fields. The layouts, from perf_event_open(2): a sample begins
 * with the words of its sample_type, each if asked for, in this order:
 *
 *	IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD, READ, CALLCHAIN, RAW, others,
 *	CGROUP, others
 *
 * and with sample_id_all every other record ends with
 *
 *	TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER
 */
#include <errno.h>
#include <string.h>

#include "ring_state.h"

#define WORD sizeof(uint64_t)

#define SAMPLE_ID (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
		   PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Those words of a sample that are one field each. */
#define SAMPLE_WORDS (SAMPLE_ID | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD)

static const uint64_t sample_order[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
	PERF_SAMPLE_PERIOD
};

static const uint64_t sample_id_order[] = {
	PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
	PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t load(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static size_t bytes_of(uint64_t bits)
{
	return (size_t)__builtin_popcountll(bits) * WORD;
}

/* A word of two fields of 32 bits, in the order in which they lie in memory. */
static void halves(const unsigned char *bytes, uint32_t *first, uint32_t *second)
{
	memcpy(first, bytes, sizeof(*first));
	memcpy(second, bytes + sizeof(*first), sizeof(*second));
}

static void field_set(struct pmcgrp_record *record, uint64_t bit, const unsigned char *bytes)
{
	uint32_t reserved;

	switch (bit) {
	case PERF_SAMPLE_IDENTIFIER:
	case PERF_SAMPLE_ID:
		record->id = load(bytes);
		break;
	case PERF_SAMPLE_IP:
		record->ip = load(bytes);
		break;
	case PERF_SAMPLE_TID:
		halves(bytes, &record->pid, &record->tid);
		break;
	case PERF_SAMPLE_TIME:
		record->time = load(bytes);
		break;
	case PERF_SAMPLE_ADDR:
		record->addr = load(bytes);
		break;
	case PERF_SAMPLE_STREAM_ID:
		record->stream_id = load(bytes);
		break;
	case PERF_SAMPLE_CPU:
		halves(bytes, &record->cpu, &reserved);
		break;
	case PERF_SAMPLE_PERIOD:
		record->period = load(bytes);
		break;
	}
	record->has |= bit;
}

/* The words of @order that are in @bits; returns how many bytes that were. */
static size_t fields_set(struct pmcgrp_record *record, uint64_t bits, const uint64_t *order,
			 size_t nr, const unsigned char *bytes)
{
	size_t i, used = 0;

	for (i = 0; i < nr; i++) {
		if (!(bits & order[i]))
			continue;
		field_set(record, order[i], bytes + used);
		used += WORD;
	}
	return used;
}

static int decode_read(struct pmcgrp_record *record, const struct pmcgrp_record_format *format)
{
	size_t used;
	int ret;

	ret = pmcgrp_view_init(&record->read, record->body, record->body_size,
			       format->read_format);
	if (ret < 0)
		return ret == -EINVAL ? ret : -EBADMSG;
	used = pmcgrp_view_size(&record->read);
	record->has |= PERF_SAMPLE_READ;
	record->body += used;
	record->body_size -= used;
	return 0;
}

/* How many words there are, then the words. */
static int decode_chain(struct pmcgrp_record *record)
{
	uint64_t nr;

	if (record->body_size < WORD)
		return -EBADMSG;
	nr = load(record->body);
	if (nr > record->body_size / WORD - 1)
		return -EBADMSG;
	record->has |= PERF_SAMPLE_CALLCHAIN;
	record->chain = record->body + WORD;
	record->nr_chain = nr;
	record->body += (1 + nr) * WORD;
	record->body_size -= (1 + nr) * WORD;
	return 0;
}

/* How many bytes, in 32 bits; then the bytes. */
static int decode_raw(struct pmcgrp_record *record)
{
	uint32_t size;

	if (record->body_size < sizeof(size))
		return -EBADMSG;
	memcpy(&size, record->body, sizeof(size));
	if (size > record->body_size - sizeof(size))
		return -EBADMSG;
	record->has |= PERF_SAMPLE_RAW;
	record->raw = record->body + sizeof(size);
	record->raw_size = size;
	record->body += sizeof(size) + size;
	record->body_size -= sizeof(size) + size;
	return 0;
}

/* Not where something that is not decoded stands before it, or may stand behind it. */
static int decode_cgroup(struct pmcgrp_record *record, uint64_t type)
{
	if (type & ~(uint64_t)(SAMPLE_WORDS | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_RAW | PERF_SAMPLE_CGROUP))
		return 0;
	if (record->body_size < WORD)
		return -EBADMSG;
	record->has |= PERF_SAMPLE_CGROUP;
	record->cgroup = load(record->body);
	record->body += WORD;
	record->body_size -= WORD;
	return 0;
}

static int decode_sample(struct pmcgrp_record *record, const struct pmcgrp_record_format *format)
{
	uint64_t type = format->sample_type;
	size_t used;
	int ret = 0;

	if (record->body_size < bytes_of(type & SAMPLE_WORDS))
		return -EBADMSG;
	used = fields_set(record, type, sample_order, ARRAY_SIZE(sample_order), record->body);
	record->body += used;
	record->body_size -= used;
	if (type & PERF_SAMPLE_READ)
		ret = decode_read(record, format);
	if (!ret && type & PERF_SAMPLE_CALLCHAIN)
		ret = decode_chain(record);
	if (!ret && type & PERF_SAMPLE_RAW)
		ret = decode_raw(record);
	if (!ret && type & PERF_SAMPLE_CGROUP)
		ret = decode_cgroup(record, type);
	return ret;
}

/* The counts lie as those of a read_format that has nothing but values. */
static int decode_compact(struct pmcgrp_record *record)
{
	const size_t head = sizeof(struct pmcgrp_compact) - sizeof(struct perf_event_header);
	struct pmcgrp_compact compact;

	if (record->body_size < head)
		return -EBADMSG;
	memcpy(&compact.time, record->body, head);
	record->time = compact.time;
	record->pid = ~0U;
	record->tid = compact.tid;
	record->trigger = compact.trigger;
	record->flags = compact.flags;
	record->has = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ;
	record->body += head;
	record->body_size -= head;
	record->read.bytes = record->body;
	record->read.nr = record->body_size / WORD;
	record->read.size = record->read.nr * WORD;
	record->read.stride = WORD;
	record->body += record->read.size;
	record->body_size -= record->read.size;
	return 0;
}

/* What the kernel has to say about the ring: @nr words. */
static int decode_words(struct pmcgrp_record *record, size_t nr, uint64_t *words)
{
	size_t i;

	if (record->body_size < nr * WORD)
		return -EBADMSG;
	for (i = 0; i < nr; i++)
		words[i] = load(record->body + i * WORD);
	record->body += nr * WORD;
	record->body_size -= nr * WORD;
	return 0;
}

static int decode_other(struct pmcgrp_record *record, const struct pmcgrp_record_format *format)
{
	uint64_t bits = format->sample_id_all ? format->sample_type & SAMPLE_ID : 0;
	uint64_t words[3] = { 0 };
	int ret = 0;

	if (record->body_size < bytes_of(bits))
		return -EBADMSG;
	record->body_size -= bytes_of(bits);
	switch (record->type) {
	case PERF_RECORD_LOST:
		ret = decode_words(record, 2, words);
		record->id = words[0];
		record->lost = words[1];
		record->has |= PERF_SAMPLE_ID;
		break;
	case PERF_RECORD_LOST_SAMPLES:
		ret = decode_words(record, 1, words);
		record->lost = words[0];
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		ret = decode_words(record, 3, words);
		record->time = words[0];
		record->id = words[1];
		record->stream_id = words[2];
		record->has |= PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
		break;
	}
	if (ret < 0)
		return ret;
	fields_set(record, bits, sample_id_order, ARRAY_SIZE(sample_id_order),
		   record->body + record->body_size);
	return 0;
}

int pmcgrp_record_decode(struct pmcgrp_record *record, const void *bytes, size_t len,
			 const struct pmcgrp_record_format *format)
{
	struct perf_event_header header;
	int ret;

	if (!record)
		return -EINVAL;
	memset(record, 0, sizeof(*record));
	if (!bytes || !format)
		return -EINVAL;
	if (len < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.size < sizeof(header) || header.size > len)
		return -EBADMSG;
	record->type = header.type;
	record->misc = header.misc;
	record->size = header.size;
	record->body = (const unsigned char *)bytes + sizeof(header);
	record->body_size = header.size - sizeof(header);
	if (record->type == PERF_RECORD_SAMPLE)
		ret = decode_sample(record, format);
	else if (record->type == PMCGRP_RECORD_COMPACT)
		ret = decode_compact(record);
	else
		ret = decode_other(record, format);
	if (ret < 0)
		memset(record, 0, sizeof(*record));
	return ret;
}

int pmcgrp_record_span(const struct pmcgrp_record *record, struct pmcgrp_span_values *span)
{
	struct pmcgrp_span_sample head;

	if (!record || !span)
		return -EINVAL;
	memset(span, 0, sizeof(*span));
	/* Samples of others have one empty word. */
	if (!(record->has & PERF_SAMPLE_RAW) || record->raw_size <= sizeof(uint32_t))
		return -ENOENT;
	if (record->raw_size < sizeof(head))
		return -EBADMSG;
	memcpy(&head, record->raw, sizeof(head));
	if (head.nr > PMCGRP_SECTION_MEMBERS_MAX || head.value_offset < sizeof(head) ||
	    head.value_offset > record->raw_size ||
	    head.nr > (record->raw_size - head.value_offset) / WORD)
		return -EBADMSG;
	span->id = head.section;
	span->begin = head.begin;
	span->duration = head.duration;
	span->nr = head.nr;
	memcpy(span->value, record->raw + head.value_offset, head.nr * WORD);
	return 0;
}

bool record_time(const struct perf_event_header *header, const struct pmcgrp_record_format *format,
		 uint64_t *time)
{
	const unsigned char *bytes = (const unsigned char *)header;
	uint64_t type = format->sample_type;
	size_t at, size = header->size;

	if (header->type == PMCGRP_RECORD_COMPACT) {
		at = offsetof(struct pmcgrp_compact, time);
	} else if (!(type & PERF_SAMPLE_TIME)) {
		return false;
	} else if (header->type == PERF_RECORD_SAMPLE) {
		at = sizeof(*header) +
		     bytes_of(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID));
	} else {
		at = bytes_of(type & SAMPLE_ID & ~(uint64_t)PERF_SAMPLE_TID);
		if (!format->sample_id_all || size < sizeof(*header) + at)
			return false;
		at = size - at;
	}
	if (at + WORD > size)
		return false;
	*time = load(bytes + at);
	return true;
}

const char *pmcgrp_record_name(uint32_t type)
{
	static const char * const names[] = {
		[PERF_RECORD_MMAP] = "mmap",
		[PERF_RECORD_LOST] = "lost",
		[PERF_RECORD_COMM] = "comm",
		[PERF_RECORD_EXIT] = "exit",
		[PERF_RECORD_THROTTLE] = "throttle",
		[PERF_RECORD_UNTHROTTLE] = "unthrottle",
		[PERF_RECORD_FORK] = "fork",
		[PERF_RECORD_READ] = "read",
		[PERF_RECORD_SAMPLE] = "sample",
		[PERF_RECORD_MMAP2] = "mmap2",
		[PERF_RECORD_LOST_SAMPLES] = "lost-samples",
	};

	if (type == PMCGRP_RECORD_COMPACT)
		return "sample";
	return type < ARRAY_SIZE(names) && names[type] ? names[type] : "other";
}
