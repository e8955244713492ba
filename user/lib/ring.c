// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * One ring of perf's mmap ABI, its records in the order in which they were written.
 *
 * Forward the kernel writes towards greater positions and stops at data_tail:
 *
 *	... | read | at: to be read ..... | head
 *
 * Backward (attr.write_backward) it writes towards smaller ones, over the oldest: the
 * newest record begins at head, and the others follow up to where all was consumed the
 * last time, or to one whose end has been overwritten. As only the newer record tells
 * where the older begins, an index is made of them, to be gone through from its end.
 *
 * Nothing outside of the ring is read whatever the records say of their sizes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring_state.h"
#include "ring_barrier.h"

#define INDEX_MIN 1024

/* What the index can tell apart. */
#define RING_MAX ((uint64_t)RECORD_STEP << 32)

/* ---- Life ---- */

static bool power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

/* Of 0 are a kernel's before 4.1: then all behind the first page is records. */
static int ring_place(struct pmcgrp_ring *ring, size_t len)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t offset = ring->page->data_offset, size = ring->page->data_size;

	if (!offset && !size && len > page) {
		offset = page;
		size = len - page;
	}
	if (!power_of_two(size) || size < RECORD_STEP || size > RING_MAX || offset < sizeof(*ring->page) ||
	    offset % RECORD_STEP || offset > len || size > len - offset)
		return -EBADMSG;
	ring->data = (const unsigned char *)ring->page + offset;
	ring->size = size;
	ring->at = ring->page->data_tail;
	ring->head = ring->at;
	return 0;
}

int pmcgrp_ring_open(struct pmcgrp_ring **out, void *memory, size_t len, unsigned int flags)
{
	struct pmcgrp_ring *ring;
	int ret;

	if (!out)
		return -EINVAL;
	*out = NULL;
	if (!memory || len < sizeof(*ring->page) || (flags & ~PMCGRP_MAP_BACKWARD))
		return -EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ring->page = memory;
	ring->fd = -1;
	ring->backward = flags & PMCGRP_MAP_BACKWARD;
	ret = ring_place(ring, len);
	if (!ret) {
		ring->copy = malloc(RECORD_MAX);
		ret = ring->copy ? 0 : -ENOMEM;
	}
	if (ret) {
		free(ring);
		return ret;
	}
	*out = ring;
	return 0;
}

int pmcgrp_ring_map(struct pmcgrp_ring **out, int fd, uint64_t offset, size_t pages,
		    unsigned int flags)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len;
	int prot = PROT_READ, ret;
	void *memory;

	if (!out)
		return -EINVAL;
	*out = NULL;
	if (!power_of_two(pages) || pages > SIZE_MAX / page / 2 || offset > INT64_MAX)
		return -EINVAL;
	/* Without PROT_WRITE the kernel knows no reader, and overwrites. */
	if (!(flags & PMCGRP_MAP_BACKWARD))
		prot |= PROT_WRITE;
	len = (1 + pages) * page;
	memory = mmap(NULL, len, prot, MAP_SHARED, fd, (off_t)offset);
	if (memory == MAP_FAILED)
		return -errno;
	ret = pmcgrp_ring_open(out, memory, len, flags);
	if (ret < 0) {
		munmap(memory, len);
		return ret;
	}
	(*out)->mapped = len;
	(*out)->fd = fd;
	return 0;
}

void pmcgrp_ring_close(struct pmcgrp_ring *ring)
{
	if (!ring)
		return;
	if (ring->mapped)
		munmap(ring->page, ring->mapped);
	free(ring->index);
	free(ring->copy);
	free(ring);
}

int pmcgrp_ring_fd(const struct pmcgrp_ring *ring)
{
	return ring->fd;
}

/* ---- Records ---- */

static int bad(struct pmcgrp_ring *ring)
{
	ring->bad = -EBADMSG;
	return ring->bad;
}

/* The size of the record at @at, of which @left bytes are there; 0: it cannot be. */
static size_t record_size(const struct pmcgrp_ring *ring, uint64_t at, uint64_t left)
{
	const struct perf_event_header *header;
	size_t size;

	/* Positions go by steps of a header's size, so that it is in one piece. */
	header = (const void *)(ring->data + (at & (ring->size - 1)));
	size = __atomic_load_n(&header->size, __ATOMIC_RELAXED);
	return size < sizeof(*header) || size % RECORD_STEP || size > left ? 0 : size;
}

/*
 * In one piece: only one record can lie over the end of the buffer, for there is not more
 * than one round of it to be read. So its copy lasts as long as the others.
 */
static const struct perf_event_header *record_at(struct pmcgrp_ring *ring, uint64_t at,
						 size_t size)
{
	size_t offset = (size_t)(at & (ring->size - 1)), first = (size_t)ring->size - offset;

	if (size <= first)
		return (const void *)(ring->data + offset);
	memcpy(ring->copy, ring->data + offset, first);
	memcpy(ring->copy + first, ring->data, size - first);
	/* As it was checked. */
	((struct perf_event_header *)ring->copy)->size = (uint16_t)size;
	return (const void *)ring->copy;
}

static int index_add(struct pmcgrp_ring *ring, uint64_t offset)
{
	size_t max = ring->index_max ? 2 * ring->index_max : INDEX_MIN;
	uint32_t *index;

	if (ring->nr_index == ring->index_max) {
		index = reallocarray(ring->index, max, sizeof(*index));
		if (!index)
			return -ENOMEM;
		ring->index = index;
		ring->index_max = max;
	}
	ring->index[ring->nr_index++] = (uint32_t)(offset / RECORD_STEP);
	return 0;
}

/* From the newest to the oldest that is whole. */
static int index_make(struct pmcgrp_ring *ring)
{
	uint64_t all = ring->done - ring->head, window = all, offset = 0;
	bool overwritten = window > ring->size;
	size_t size;
	int ret;

	if (overwritten)
		window = ring->size;
	ring->nr_index = 0;
	while (offset < window) {
		size = record_size(ring, ring->head + offset, UINT16_MAX);
		if (size && size > window - offset && overwritten)
			break;
		if (!size || size > window - offset)
			return bad(ring);
		ret = index_add(ring, offset);
		if (ret < 0)
			return ret;
		offset += size;
	}
	ring->gap = all - offset;
	return 0;
}

int ring_load(struct pmcgrp_ring *ring)
{
	if (ring->bad)
		return ring->bad;
	/* What has come meanwhile stands before what was read: consuming begins anew. */
	if (ring->backward && ring->loaded)
		return 0;
	ring->loaded = true;
	ring->head = ring_head_acquire(ring->page);
	if (ring->head % RECORD_STEP)
		return bad(ring);
	if (ring->backward)
		return index_make(ring);
	if (ring->at % RECORD_STEP || ring->head - ring->at > ring->size)
		return bad(ring);
	return 0;
}

/* Where the next record is, and how many bytes there are from it on; false: nowhere. */
static bool next_at(const struct pmcgrp_ring *ring, uint64_t *at, uint64_t *left)
{
	uint64_t offset;

	if (!ring->backward) {
		*at = ring->at;
		*left = ring->head - ring->at;
		return *left > 0;
	}
	if (!ring->nr_index)
		return false;
	offset = (uint64_t)ring->index[ring->nr_index - 1] * RECORD_STEP;
	*at = ring->head + offset;
	*left = ring->size - offset;
	return true;
}

int ring_peek(struct pmcgrp_ring *ring, const struct perf_event_header **record)
{
	uint64_t at, left;
	size_t size;

	if (ring->bad)
		return ring->bad;
	if (!next_at(ring, &at, &left))
		return 0;
	size = record_size(ring, at, left);
	if (!size)
		return bad(ring);
	*record = record_at(ring, at, size);
	return 1;
}

void ring_advance(struct pmcgrp_ring *ring, const struct perf_event_header *record)
{
	if (ring->backward)
		ring->nr_index--;
	else
		ring->at += record->size;
}

bool ring_last_time(struct pmcgrp_ring *ring, const struct pmcgrp_record_format *format,
		    uint64_t *from, uint64_t *time)
{
	/* Unless that is behind, or the ring was found broken and skipped. */
	uint64_t at = *from - ring->at <= ring->head - ring->at ? *from : ring->at;
	bool found = false;
	size_t size;

	for (; at != ring->head; at += size) {
		size = record_size(ring, at, ring->head - at);
		if (!size)
			break;		/* reading will come to it */
		found |= record_time(record_at(ring, at, size), format, time);
	}
	*from = at;
	return found;
}

int pmcgrp_ring_next(struct pmcgrp_ring *ring, const struct perf_event_header **record)
{
	int ret = ring_peek(ring, record);

	if (!ret) {
		ret = ring_load(ring);
		if (!ret)
			ret = ring_peek(ring, record);
	}
	if (ret > 0)
		ring_advance(ring, *record);
	return ret;
}

void pmcgrp_ring_consume(struct pmcgrp_ring *ring)
{
	/* What cannot be read is given up. */
	if (ring->bad) {
		ring->bad = 0;
		ring->head = ring_head_acquire(ring->page);
		ring->at = ring->head & ~(uint64_t)(RECORD_STEP - 1);
	}
	ring->done = ring->head;
	ring->overwritten += ring->gap;
	ring->gap = 0;
	ring->nr_index = 0;
	ring->loaded = false;
	if (!ring->backward)
		ring_tail_release(ring->page, ring->at);
}

uint64_t pmcgrp_ring_overwritten(const struct pmcgrp_ring *ring)
{
	return ring->overwritten + ring->gap;
}
