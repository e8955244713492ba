// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Records of tasks: PERF_RECORD_COMM, _MMAP2, _FORK and _EXIT. The rings of groups have none of
 * these. They come from an event of perf that counts nothing, as those of `perf record` do: of
 * the command and what it creates, else of all tasks, on each CPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cli.h"
#include "record.h"
#include "side.h"

/* A compiler's job maps some files for each of its processes: as large as perf's own. */
#define SIDE_PAGES 128

static void attr_init(struct perf_event_attr *attr, const struct record_options *o, bool child)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.comm = 1,
		.comm_exec = 1,
		.mmap = 1,
		.mmap2 = 1,
		.task = 1,
		.build_id = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(SIDE_PAGES * sysconf(_SC_PAGESIZE) / 4),
		.disabled = child,
		.enable_on_exec = child,
		.inherit = child && !o->no_inherit,
	};
}

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
static int ring_open(struct record_side *side, struct perf_event_attr *attr, pid_t pid, int cpu)
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

void record_side_open(struct record_run *r, pid_t child)
{
	struct perf_event_attr attr;
	struct pmcgrp_cpus cpus;
	int cpu, ret;

	if (!r->sink->put_task)
		return;
	attr_init(&attr, &r->options, child);
	ret = pmcgrp_cpus_online(&cpus);
	for (cpu = pmcgrp_cpus_next(&cpus, 0); cpu >= 0 && !ret;
	     cpu = pmcgrp_cpus_next(&cpus, cpu + 1))
		ret = ring_open(&r->side, &attr, child ? child : -1, cpu);
	if (!ret)
		return;
	record_side_close(&r->side);
	if (r->options.verbose)
		cli_say("names and maps of tasks are read from /proc: perf events refused to tell "
			"them: %s", strerror(-ret));
}

static int drain_ring(struct record_run *r, struct pmcgrp_ring *ring)
{
	const struct perf_event_header *header;
	uint64_t lost;
	int ret;

	while ((ret = pmcgrp_ring_next(ring, &header)) > 0) {
		if (header->type == PERF_RECORD_LOST) {
			memcpy(&lost, (const unsigned char *)header + 16, sizeof(lost));
			r->side.lost += lost;
			continue;
		}
		ret = r->sink->put_task(r->sink, header);
		if (ret < 0)
			return ret;
	}
	r->counts.broken += ret < 0;
	pmcgrp_ring_consume(ring);
	return 0;
}

int record_side_drain(struct record_run *r)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < r->side.nr && !ret; i++)
		ret = drain_ring(r, r->side.rings[i]);
	return ret;
}

void record_side_close(struct record_side *side)
{
	while (side->nr) {
		int fd = pmcgrp_ring_fd(side->rings[--side->nr]);

		pmcgrp_ring_close(side->rings[side->nr]);
		close(fd);
	}
	free(side->rings);
	side->rings = NULL;
}
