/* SPDX-License-Identifier: GPL-2.0-only */
/* Rings: setting up, mapping and reading them, and what their records look like. */
#ifndef PMCGRP_RING_TEST_H
#define PMCGRP_RING_TEST_H

#include "pmcgrp_test.h"
#include <poll.h>
#include <stddef.h>

/* What the samples of these tests have: struct sample. */
#define SAMPLE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ)

/* A PERF_RECORD_SAMPLE with SAMPLE_TYPE and FORMAT. */
struct sample {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t addr;
	uint32_t cpu, cpu_reserved;
	uint64_t period;
	struct group_values read;
};

/* The sample_id of other records with SAMPLE_TYPE. */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, cpu_reserved;
	uint64_t id;
};

struct lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
	struct sample_id sample_id;
};

struct lost_samples {
	struct perf_event_header header;
	uint64_t lost;
	struct sample_id sample_id;
};

struct throttle {
	struct perf_event_header header;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
	struct sample_id sample_id;
};

#define RECORD_MAX	4096

/* A record taken out of a ring. */
union record {
	struct perf_event_header header;
	struct sample sample;
	struct lost lost;
	struct lost_samples missed;
	struct throttle throttle;
	struct pmcgrp_compact compact;
	uint64_t words[RECORD_MAX / 8];
};

/* The size of a struct sample with that many members. */
static inline size_t sample_size(unsigned int nr)
{
	return offsetof(struct sample, read.m) + nr * sizeof(((struct sample *)0)->read.m[0]);
}

/* Samples the group now: returns how many records were written, or -errno. */
static inline int sample_now(int fd, unsigned long addr)
{
	int n = ioctl(fd, PMCGRP_IOC_SAMPLE, addr);

	return n < 0 ? -errno : n;
}

struct ring {
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size;
};

static inline int setup_ring(int fd, uint32_t flags, uint64_t sample_type, uint32_t wakeup,
			     struct pmcgrp_ring_setup *setup)
{
	*setup = (struct pmcgrp_ring_setup){
		.size = sizeof(*setup), .flags = flags, .sample_type = sample_type,
		.wakeup = wakeup,
	};
	return ioctl(fd, PMCGRP_IOC_RING, setup) ? -errno : 0;
}

/* Maps 2^n pages of records at an offset; returns 0 or -errno. */
static inline int ring_map_at(int fd, uint64_t offset, unsigned int pages, int prot,
			      struct ring *ring)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *mem = mmap(NULL, (1 + pages) * page, prot, MAP_SHARED, fd, offset);

	*ring = (struct ring){};
	if (mem == MAP_FAILED)
		return -errno;
	ring->page = mem;
	ring->data = (char *)mem + page;
	ring->size = pages * page;
	return 0;
}

static inline int ring_map(int fd, unsigned int pages, struct ring *ring)
{
	return ring_map_at(fd, 0, pages, PROT_READ | PROT_WRITE, ring);
}

static inline void ring_unmap(struct ring *ring)
{
	munmap(ring->page, sysconf(_SC_PAGESIZE) + ring->size);
}

/* Setting up and mapping with what most tests want. */
static inline bool ring_ready(int fd, unsigned int pages, struct ring *ring)
{
	struct pmcgrp_ring_setup setup;

	*ring = (struct ring){};
	return !setup_ring(fd, 0, SAMPLE_TYPE, 0, &setup) && !ring_map(fd, pages, ring);
}

static inline void ring_copy(const struct ring *ring, uint64_t at, void *to, size_t size)
{
	size_t begin = at & (ring->size - 1), n = ring->size - begin;

	if (n > size)
		n = size;
	memcpy(to, ring->data + begin, n);
	memcpy((char *)to + n, ring->data, size - n);
}

static inline uint64_t ring_head(const struct ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/* The record at a place in a ring, up to an end: 1; 0 if there is none, -1 if it is none. */
static inline int ring_record(const struct ring *ring, uint64_t at, uint64_t end,
			      union record *record)
{
	if (at == end)
		return 0;
	ring_copy(ring, at, &record->header, sizeof(record->header));
	if (record->header.size < sizeof(record->header) || record->header.size % 8 ||
	    record->header.size > sizeof(*record) || record->header.size > end - at)
		return -1;
	ring_copy(ring, at, record, record->header.size);
	return 1;
}

/* The next record of a ring that is read while it is written; as ring_record(). */
static inline int ring_next(struct ring *ring, union record *record)
{
	uint64_t tail = ring->page->data_tail;
	int got = ring_record(ring, tail, ring_head(ring), record);

	if (got > 0)
		__atomic_store_n(&ring->page->data_tail, tail + record->header.size,
				 __ATOMIC_RELEASE);
	return got;
}

static inline int add_trigger(int fd, const struct perf_event_attr *attr,
			      struct pmcgrp_trigger_add *add)
{
	*add = (struct pmcgrp_trigger_add){ .size = sizeof(*add), .attr = (uintptr_t)attr };
	return ioctl(fd, PMCGRP_IOC_TRIGGER, add) ? -errno : 0;
}

static inline struct perf_event_attr every(uint64_t period, struct perf_event_attr attr)
{
	attr.sample_period = period;
	return attr;
}

/* A group of this task with a ring and one trigger; the descriptor, or -errno. */
static inline int triggered(int dev, const struct perf_event_attr *members, unsigned int nr,
			    uint64_t flags, struct perf_event_attr by, unsigned int pages,
			    struct ring *ring)
{
	struct pmcgrp_trigger_add add;
	int fd, err;

	*ring = (struct ring){};
	fd = group_of(dev, nr, members, flags);
	if (fd < 0)
		return fd;
	err = ring_ready(fd, pages, ring) ? add_trigger(fd, &by, &add) : -EIO;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* What has been read from a ring. */
struct ring_sum {
	unsigned long samples;
	unsigned long lost;
	unsigned long missed;
	unsigned long throttles;
	unsigned long unthrottles;
	unsigned long others;
	bool broken;
};

/* Reads all that there is; tells each sample to a function, if there is one. */
static inline void ring_drain(struct ring *ring, struct ring_sum *sum,
			      void (*see)(const struct sample *, void *), void *arg)
{
	union record record;
	int got;

	while ((got = ring_next(ring, &record)) > 0) {
		switch (record.header.type) {
		case PERF_RECORD_SAMPLE:
			sum->samples++;
			if (see)
				see(&record.sample, arg);
			break;
		case PMCGRP_RECORD_COMPACT:
			sum->samples++;
			break;
		case PERF_RECORD_LOST:
			sum->lost += record.lost.lost;
			break;
		case PERF_RECORD_LOST_SAMPLES:
			sum->missed += record.missed.lost;
			break;
		case PERF_RECORD_THROTTLE:
			sum->throttles++;
			break;
		case PERF_RECORD_UNTHROTTLE:
			sum->unthrottles++;
			break;
		default:
			sum->others++;
		}
	}
	sum->broken |= got < 0;
}

static inline int poll_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

#endif /* PMCGRP_RING_TEST_H */
