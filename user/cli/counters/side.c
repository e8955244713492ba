// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpus.h"
#include "side.h"

/* A compiler's job maps some files for each of its processes: as large as perf's own. */
#define SIDE_PAGES 128

static int event_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	/* Build-ids in maps: from Linux 5.12 on. */
	if (fd < 0 && errno == EINVAL && attr->build_id) {
		attr->build_id = 0;
		return event_open(attr, pid, cpu);
	}
	return fd < 0 ? -errno : fd;
}

/* The ring has the descriptor from then on. */
static int ring_open(struct side_rings *side, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct pmcgrp_ring **rings;
	int fd, ret;

	rings = reallocarray(side->rings, side->nr + 1, sizeof(struct pmcgrp_ring *));
	if (!rings)
		return -ENOMEM;
	side->rings = rings;
	fd = event_open(attr, pid, cpu);
	if (fd < 0)
		return fd;
	ret = pmcgrp_ring_map(&rings[side->nr], fd, 0, SIDE_PAGES, 0);
	if (ret < 0) {
		close(fd);
		return ret;
	}
	side->nr++;
	return 0;
}

int side_open(struct side_rings *side, struct perf_event_attr *attr, pid_t pid)
{
	struct pmcgrp_cpus cpus;
	int cpu, ret;

	if (!attr->wakeup_events) {
		attr->watermark = 1;
		attr->wakeup_watermark = (uint32_t)(SIDE_PAGES * sysconf(_SC_PAGESIZE) / 4);
	}
	ret = cpus_present(&cpus, CPU_FOLDER);
	for (cpu = pmcgrp_cpus_next(&cpus, 0); cpu >= 0 && !ret;
	     cpu = pmcgrp_cpus_next(&cpus, cpu + 1)) {
		ret = ring_open(side, attr, pid ? pid : -1, cpu);
		if (ret == -ENODEV)
			ret = 0;	/* it is offline */
	}
	if (ret)
		side_close(side);
	return ret;
}

static int drain_ring(struct side_rings *side, struct pmcgrp_ring *ring, side_put_fn put, void *arg)
{
	const struct perf_event_header *header;
	uint64_t lost;
	int ret;

	while ((ret = pmcgrp_ring_next(ring, &header)) > 0) {
		if (header->type == PERF_RECORD_LOST) {
			memcpy(&lost, (const unsigned char *)header + 16, sizeof(lost));
			side->lost += lost;
			continue;
		}
		ret = put(arg, header);
		if (ret < 0)
			return ret;
	}
	side->broken += ret < 0;
	pmcgrp_ring_consume(ring);
	return 0;
}

int side_drain(struct side_rings *side, side_put_fn put, void *arg)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < side->nr && !ret; i++)
		ret = drain_ring(side, side->rings[i], put, arg);
	return ret;
}

void side_close(struct side_rings *side)
{
	while (side->nr) {
		int fd = pmcgrp_ring_fd(side->rings[--side->nr]);

		pmcgrp_ring_close(side->rings[side->nr]);
		close(fd);
	}
	free(side->rings);
	side->rings = NULL;
}
