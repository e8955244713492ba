// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counters/workload.h"
#include "rings.h"

#define SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ)

static int grow(struct top_ring_group *g)
{
	unsigned int nr = pmcgrp_rings_nr(g->rings);
	struct pmcgrp_delta *deltas;

	if (nr == g->nr)
		return 0;
	deltas = reallocarray(g->deltas, nr, sizeof(*deltas));
	if (!deltas)
		return -ENOMEM;
	g->deltas = deltas;
	/* The groups are enabled after their rings are there, and a CPU that comes starts at 0. */
	for (; g->nr < nr; g->nr++)
		deltas[g->nr] = (struct pmcgrp_delta){ .from_zero = true };
	return 0;
}

static int group_open(struct top_ring_group *g, struct pmcgrp_group *group, struct pmcgrp *h,
		      int pages)
{
	uint32_t wakeup = (uint32_t)(pages * sysconf(_SC_PAGESIZE) / 4);
	int ret;

	ret = pmcgrp_group_set_ring(h, group, PMCGRP_RING_BY_TASK | PMCGRP_RING_WATERMARK,
				    SAMPLE_TYPE, wakeup);
	if (ret >= 0)
		ret = pmcgrp_rings_map(&g->rings, group, (size_t)pages);
	return ret < 0 ? ret : grow(g);
}

static void side_init(struct top_rings *r)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	/* Without, /proc has the names of those that live long enough. */
	side_open(&r->side, &attr, 0);
}

int top_rings_open(struct top_rings *r, struct counter_set *set, struct pmcgrp *h, int pages)
{
	unsigned int i;
	int ret = 0;

	*r = (struct top_rings){ .set = set };
	r->groups = calloc(set->nr_groups, sizeof(*r->groups));
	if (!r->groups)
		return -ENOMEM;
	for (i = 0; i < set->nr_groups && ret >= 0; i++) {
		if (set->groups[i].group)
			ret = group_open(&r->groups[i], set->groups[i].group, h, pages);
	}
	if (ret < 0) {
		top_rings_close(r);
		return ret;
	}
	side_init(r);
	return 0;
}

void top_rings_close(struct top_rings *r)
{
	unsigned int i;

	for (i = 0; r->groups && i < r->set->nr_groups; i++) {
		pmcgrp_rings_free(r->groups[i].rings);
		free(r->groups[i].deltas);
	}
	free(r->groups);
	side_close(&r->side);
	top_order_free(&r->order);
	*r = (struct top_rings){ 0 };
}

int top_rings_take(struct top_rings *r, unsigned int group, struct pmcgrp_delta *delta,
		   const struct pmcgrp_record *record, struct top_tasks *tasks)
{
	const struct counter_group *g = &r->set->groups[group];
	struct reading *sums;
	size_t i;

	r->lost += record->lost;
	if (!pmcgrp_delta_update(delta, record))
		return 0;
	sums = top_tasks_sums(tasks, (int)record->pid, (int)record->tid);
	if (!sums)
		return -ENOMEM;
	for (i = 0; i < delta->nr && i < g->nr; i++) {
		struct reading *sum = &sums[g->counter_of[i]];

		sum->value += delta->value[i];
		sum->enabled += delta->enabled;
		sum->running += delta->running;
	}
	return 0;
}

static int ring_drain(struct top_rings *r, unsigned int group, unsigned int i,
		      struct top_tasks *tasks)
{
	struct pmcgrp_ring *ring = pmcgrp_rings_ring(r->groups[group].rings, i);
	const struct perf_event_header *header;
	struct pmcgrp_record_format format;
	struct pmcgrp_record record;
	int ret;

	pmcgrp_group_record_format(r->set->groups[group].group, &format);
	while ((ret = pmcgrp_ring_next(ring, &header)) > 0) {
		ret = pmcgrp_record_decode(&record, header, header->size, &format);
		if (ret < 0)
			break;
		ret = top_rings_take(r, group, &r->groups[group].deltas[i], &record, tasks);
		if (ret < 0)
			break;
	}
	/* Consuming gives up what makes no sense; how many records that were is not known. */
	r->lost += ret == -EBADMSG;
	pmcgrp_ring_consume(ring);
	return ret == -EBADMSG ? 0 : ret;
}

/*
 * Records that are not older than the beginning of a look at all rings are for the next look: those
 * of a ring that was read first can be missing.
 */
static int side_take(struct top_rings *r, struct top_tasks *tasks)
{
	uint64_t now = (uint64_t)clock_now();
	int ret;

	ret = side_drain(&r->side, top_order_put, &r->order);
	r->lost_names += r->side.lost + r->side.broken;
	r->side.lost = r->side.broken = 0;
	return ret < 0 ? ret : top_order_flush(&r->order, now, top_tasks_put, tasks);
}

/* Who has counted anything was created before: names come after the counts. */
int top_rings_drain(struct top_rings *r, struct top_tasks *tasks)
{
	unsigned int g, i;
	int ret = 0;

	for (g = 0; g < r->set->nr_groups && ret >= 0; g++) {
		for (i = 0; i < r->groups[g].nr && ret >= 0; i++)
			ret = ring_drain(r, g, i, tasks);
	}
	return ret < 0 ? ret : side_take(r, tasks);
}

int top_rings_end(struct top_rings *r, struct top_tasks *tasks)
{
	unsigned int g;
	int ret = 0;

	for (g = 0; g < r->set->nr_groups && ret >= 0; g++) {
		struct top_ring_group *group = &r->groups[g];

		if (!group->rings)
			continue;
		ret = pmcgrp_rings_update(group->rings);
		if (ret >= 0)
			ret = grow(group);
		if (ret >= 0)
			ret = pmcgrp_group_sample(r->set->groups[g].group, 0);
	}
	return ret < 0 ? ret : top_rings_drain(r, tasks);
}
