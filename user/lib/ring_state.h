/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A mapped ring, as ring.c reads it and rings.c merges several. */
#ifndef PMCGRP_RING_STATE_H
#define PMCGRP_RING_STATE_H

#include "internal.h"

/* perf_event_header.size has 16 bits. */
#define RECORD_MAX 65536

/* The kernel writes records in steps of so many bytes (perf_prepare_header()). */
#define RECORD_STEP 8

/*
 * Positions are those of data_head: they never wrap, and their lower bits are offsets in
 * the buffer.
 */
struct pmcgrp_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	uint64_t size;			/* of the records' part: a power of two */
	size_t mapped;			/* bytes that are ours to unmap, or 0 */
	int fd;				/* the caller's; -1: none */
	bool backward;
	bool loaded;			/* backward: the index was made */
	int bad;			/* negative errno, until it is skipped */
	uint64_t head;			/* data_head, when it was looked at last */
	uint64_t at;			/* forward: the next record */
	uint64_t done;			/* backward: from here on all has been consumed */
	uint64_t overwritten;		/* backward: bytes, before what was consumed */
	uint64_t gap;			/* backward: the same behind the oldest of the index */
	uint32_t *index;		/* backward: records as steps from head, newest first */
	size_t nr_index;		/* those that are still to be read */
	size_t index_max;
	unsigned char *copy;		/* RECORD_MAX bytes, for one over the end */
};

/* ring_load - look at data_head: from now on there is to be read what there is now */
int ring_load(struct pmcgrp_ring *ring);

/*
 * ring_peek - the next record of those, without going on
 *
 * Returns 1, 0 if there is none, or -EBADMSG.
 */
int ring_peek(struct pmcgrp_ring *ring, const struct perf_event_header **record);

/* Goes on behind the record that ring_peek() has just given. */
void ring_advance(struct pmcgrp_ring *ring, const struct perf_event_header *record);

/*
 * ring_last_time - time of the newest record that ring_load() has found
 * @from: where to look from: 0, then what the last call has left there
 *
 * False: there is none with a time behind @from.
 */
bool ring_last_time(struct pmcgrp_ring *ring, const struct pmcgrp_record_format *format,
		    uint64_t *from, uint64_t *time);

/* The time of a record, without decoding it; false: it has none. */
bool record_time(const struct perf_event_header *record, const struct pmcgrp_record_format *format,
		 uint64_t *time);

#endif
