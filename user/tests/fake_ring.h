/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A ring in memory, written as the kernel writes one. */
#ifndef FAKE_RING_H
#define FAKE_RING_H

#include <stdlib.h>
#include <string.h>

#include "pmcgrp.h"

#define FAKE_PAGE 4096
#define FAKE_RECORD_MAX 65536

struct fake_ring {
	struct perf_event_mmap_page *page;
	unsigned char *data;
	uint64_t size;
	size_t len;			/* of it all */
};

/* The records' part may be smaller than a page: then wrapping takes fewer of them. */
static inline void fake_ring_init(struct fake_ring *fake, uint64_t size)
{
	fake->len = FAKE_PAGE + size;
	/* Of just this length, so that reading past its end is seen. */
	fake->page = calloc(1, fake->len);
	fake->data = (unsigned char *)fake->page + FAKE_PAGE;
	fake->size = size;
	fake->page->data_offset = FAKE_PAGE;
	fake->page->data_size = size;
}

static inline void fake_ring_free(struct fake_ring *fake)
{
	free(fake->page);
}

static inline void fake_ring_store(struct fake_ring *fake, uint64_t at, const void *bytes,
				   size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		fake->data[(at + i) % fake->size] = ((const unsigned char *)bytes)[i];
}

/* As __perf_output_begin(): false where there is no room before data_tail. */
static inline bool fake_ring_write(struct fake_ring *fake, const void *record, size_t len)
{
	uint64_t head = fake->page->data_head;

	if (len > fake->size - (head - fake->page->data_tail))
		return false;
	fake_ring_store(fake, head, record, len);
	fake->page->data_head = head + len;
	return true;
}

/* The same with attr.write_backward, over the oldest. */
static inline void fake_ring_write_backward(struct fake_ring *fake, const void *record, size_t len)
{
	fake->page->data_head -= len;
	fake_ring_store(fake, fake->page->data_head, record, len);
}

/* ---- Records ---- */

struct fake_record {
	size_t len;
	union {
		struct perf_event_header header;
		uint64_t words[FAKE_RECORD_MAX / 8];
		unsigned char bytes[FAKE_RECORD_MAX];
	};
};

static inline struct fake_record *fake_begin(struct fake_record *r, uint32_t type, uint16_t misc)
{
	r->header.type = type;
	r->header.misc = misc;
	r->header.size = sizeof(r->header);
	r->len = sizeof(r->header);
	return r;
}

static inline void fake_add(struct fake_record *r, uint64_t word)
{
	r->words[r->len / sizeof(word)] = word;
	r->len += sizeof(word);
	r->header.size = (uint16_t)r->len;
}

static inline void fake_add_two(struct fake_record *r, uint32_t first, uint32_t second)
{
	uint32_t two[] = { first, second };
	uint64_t word;

	memcpy(&word, two, sizeof(word));
	fake_add(r, word);
}

#endif
