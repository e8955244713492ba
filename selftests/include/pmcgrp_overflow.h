/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overflows of perf's own events, and whether the machine's PMU loses some of them.
 */
#ifndef PMCGRP_OVERFLOW_H
#define PMCGRP_OVERFLOW_H

#include "pmcgrp_ring.h"

/* Opens a sampling perf event of cycles on the last free counter. */
static inline int perf_samples(uint64_t period, pid_t pid, int cpu, unsigned int pages,
			       struct ring *ring)
{
	struct perf_event_attr attr = every(period, cycles_copy(COUNTERS_MOST));
	int fd;

	attr.pinned = 1;
	attr.disabled = 1;
	attr.sample_type = PERF_SAMPLE_TIME;
	fd = perf_open(&attr, pid, cpu, -1);
	if (fd < 0 || ring_map(fd, pages, ring))
		return -1;
	return fd;
}

/*
 * Whether perf alone gets every overflow while other events of its own come and go: not from
 * QEMU's Arm, which forgets most of them when counters are stopped and started again.
 */
static inline bool all_overflows_come(uint64_t period)
{
	struct perf_event_attr other;
	struct ring_sum sum = {};
	struct ring ring;
	int fd, k, i, beside[3];
	uint64_t value;
	bool ok;

	fd = perf_samples(period, -1, 0, 1, &ring);
	if (fd < 0)
		return false;
	ok = !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (k = 0; k < 50; k++) {
		for (i = 0; i < 3; i++) {
			other = cycles_copy(i);
			beside[i] = perf_open(&other, 0, -1, i ? beside[0] : -1);
		}
		loop(period / 4);
		while (i)
			close(beside[--i]);
	}
	ok = ok && !ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) &&
	     read(fd, &value, sizeof(value)) == sizeof(value);
	ring_drain(&ring, &sum, NULL, NULL);
	ring_unmap(&ring);
	close(fd);
	return ok && value / period > 10 && sum.samples + 1 >= value / period;
}

#endif /* PMCGRP_OVERFLOW_H */
