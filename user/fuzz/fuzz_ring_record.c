// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The decoder of a ring's records. The input's first four bytes are sample_type, the fifth
 * read_format and sample_id_all, the rest records one after the other: first each by
 * itself, then as what lies in a ring of 256 bytes.
 */
#include <errno.h>

#include "fuzz.h"
#include "ring_state.h"

#define RING 256
#define PAGE 4096

static void check_record(const struct pmcgrp_record *record, const uint8_t *bytes, size_t len)
{
	size_t i, nr = pmcgrp_view_nr(&record->read);
	uint64_t sum = 0;

	must(record->size >= 8 && record->size <= len);
	must(record->body >= bytes + 8);
	must(record->body + record->body_size <= bytes + record->size);
	must(pmcgrp_record_is_sample(record) || !pmcgrp_view_size(&record->read));
	for (i = 0; i < nr; i++)
		sum += pmcgrp_view_value(&record->read, i) + pmcgrp_view_id(&record->read, i);
	for (i = 0; i < record->nr_chain; i++)
		sum += pmcgrp_record_chain(record, i);
	for (i = 0; i < record->body_size; i++)
		sum += record->body[i];
	must(pmcgrp_record_name(record->type)[0]);
	/* Lest the reading be left out. */
	*(volatile uint64_t *)&sum = sum;
}

static void check_time(const struct pmcgrp_record *record, const uint8_t *bytes,
		       const struct pmcgrp_record_format *format)
{
	struct perf_event_header *aligned = malloc(record->size);
	uint64_t time = 77;

	must(aligned);
	memcpy(aligned, bytes, record->size);
	/* Throttling has one beside sample_id's, in its body. */
	if (record_time(aligned, format, &time))
		must(record->has & PERF_SAMPLE_TIME && time == record->time);
	else
		must(time == 77 && (!(record->has & PERF_SAMPLE_TIME) ||
				    record->type == PERF_RECORD_THROTTLE ||
				    record->type == PERF_RECORD_UNTHROTTLE));
	free(aligned);
}

static void one_by_one(const uint8_t *bytes, size_t size, const struct pmcgrp_record_format *format)
{
	struct pmcgrp_delta delta = { 0 };
	struct pmcgrp_record record;
	size_t at = 0;

	while (!pmcgrp_record_decode(&record, bytes + at, size - at, format)) {
		check_record(&record, bytes + at, size - at);
		check_time(&record, bytes + at, format);
		pmcgrp_delta_update(&delta, &record);
		must(delta.nr <= PMCGRP_MEMBERS_MAX);
		at += record.size;
	}
	must(!record.size && !record.has && !pmcgrp_view_nr(&record.read));
}

/* With the kernel's part of it in the first page, and nothing behind the records. */
static void in_a_ring(const uint8_t *bytes, size_t size, unsigned int flags,
		      const struct pmcgrp_record_format *format)
{
	struct perf_event_mmap_page *page = calloc(1, PAGE + RING);
	const struct perf_event_header *header;
	struct pmcgrp_record record;
	struct pmcgrp_ring *ring;
	uint64_t from = 0, time;
	size_t nr = 0;
	int ret;

	must(page);
	page->data_offset = PAGE;
	page->data_size = RING;
	page->data_tail = size ? bytes[0] : 0;
	page->data_head = flags ? -(uint64_t)size : page->data_tail + size;
	memcpy((uint8_t *)page + PAGE, bytes, size < RING ? size : RING);
	must(!pmcgrp_ring_open(&ring, page, PAGE + RING, flags));
	if (!flags && !ring_load(ring))
		ring_last_time(ring, format, &from, &time);
	while ((ret = pmcgrp_ring_next(ring, &header)) > 0) {
		must(++nr <= RING / 8);
		ret = pmcgrp_record_decode(&record, header, header->size, format);
		must(!ret || ret == -EBADMSG || ret == -EINVAL);
	}
	must(!ret || ret == -EBADMSG);
	pmcgrp_ring_consume(ring);
	must(flags || page->data_tail <= page->data_head);
	pmcgrp_ring_close(ring);
	free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmcgrp_record_format format = { 0 };
	uint32_t sample_type;
	uint8_t *bytes;

	if (size < 5)
		return 0;
	memcpy(&sample_type, data, sizeof(sample_type));
	format.sample_type = sample_type;
	format.read_format = data[4] & 31;
	format.sample_id_all = data[4] & 32;
	size -= 5;
	bytes = malloc(size + !size);
	must(bytes);
	memcpy(bytes, data + 5, size);
	one_by_one(bytes, size, &format);
	in_a_ring(bytes, size, 0, &format);
	in_a_ring(bytes, size, PMCGRP_MAP_BACKWARD, &format);
	free(bytes);
	return 0;
}
