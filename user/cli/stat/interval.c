// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The intervals of -I from rings.
 *
 * Each group has a clock on each CPU, which writes the counts there into a ring at each interval.
 * The clocks were started one after the other, so samples of one interval are some microseconds
 * apart: an interval has all that come within half of its length after its first one. Where a ring
 * has none (its clock is late or throttled, its CPU offline), and where one was lost or a CPU has
 * come, the rings are of no more use. Nothing is lost by that: counts go on, and a read has them.
 *
 * Samples have the time of sched_clock(), which may run slower or faster than CLOCK_MONOTONIC: a
 * sample on request tells now and then how they differ.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/workload.h"
#include "interval.h"

#define SAMPLE_TYPE (PERF_SAMPLE_ID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ)

/* So long there may be nothing new on the screen; and so often clocks are looked at. */
#define BATCH_NS 50000000
#define CHECK_NS 1000000000

/*
 * A clock takes some 3,700 instructions for each sample and wakes an idle CPU. A read takes some
 * 15,000 for all CPUs and 2,100 for each, and wakes them, too. (selftests/bench: interval.1ms)
 */
#define RINGS_MAX 8

/* A ring has room for so many batches: for how long this process may be kept from running. */
#define BATCHES 8

/* A clock that was compared with the other over a longer time says less than the last one. */
#define CHECK_EXACT_NS 100000

struct interval_ring {
	struct pmcgrp_ring *ring;
	unsigned int group;
	int cpu;
	bool pending;			/* @next is a sample, not taken yet */
	struct pmcgrp_record next;
	struct pmcgrp_view last;	/* of the last that was taken; without members: none */
	unsigned char *kept[2];		/* bytes of both, once the ring's room is given back */
	size_t size;			/* of each */
};

/* ---- Life ---- */

static size_t pages_for(const struct pmcgrp_group *group, int64_t interval)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = 1, size;

	size = sizeof(struct perf_event_header) + 2 * sizeof(uint64_t) +
	       pmcgrp_read_size(pmcgrp_group_read_format(group), pmcgrp_group_nr(group));
	size *= (size_t)(BATCH_NS / interval + 1) * BATCHES;
	while (pages * page < size)
		pages *= 2;
	return pages;
}

static int group_start(struct interval_rings *r, unsigned int i, struct pmcgrp *h)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(clock),
		.sample_period = (uint64_t)r->interval,
	};
	struct pmcgrp_group *group = r->set->groups[i].group;
	int ret;

	ret = pmcgrp_group_set_ring(h, group, 0, SAMPLE_TYPE, 0);
	if (ret >= 0)
		ret = pmcgrp_rings_map(&r->maps[i], group, pages_for(group, r->interval));
	/* Last, for it stays as long as the group. */
	if (ret >= 0)
		ret = pmcgrp_group_add_trigger(h, group, &clock, NULL);
	return ret;
}

static int ring_add(struct interval_rings *r, unsigned int group, unsigned int i)
{
	struct interval_ring *rings, *ring;

	rings = reallocarray(r->rings, r->nr + 1, sizeof(*rings));
	if (!rings)
		return -ENOMEM;
	r->rings = rings;
	ring = &rings[r->nr++];
	*ring = (struct interval_ring){
		.ring = pmcgrp_rings_ring(r->maps[group], i),
		.group = group,
		.cpu = pmcgrp_rings_cpu(r->maps[group], i),
		.size = pmcgrp_read_size(pmcgrp_group_read_format(r->set->groups[group].group),
					 pmcgrp_group_nr(r->set->groups[group].group)),
	};
	for (i = 0; i < 2; i++) {
		ring->kept[i] = malloc(ring->size);
		if (!ring->kept[i])
			return -ENOMEM;
	}
	return 0;
}

int interval_rings_open(struct interval_rings *r, struct counter_set *set, struct pmcgrp *h,
			const struct pmcgrp_cpus *cpus, int64_t interval)
{
	unsigned int i, k;
	int ret = 0;

	*r = (struct interval_rings){ .set = set, .interval = interval };
	if (2 * interval > BATCH_NS || set->nr_groups * pmcgrp_cpus_nr(cpus) > RINGS_MAX)
		return -ERANGE;
	r->maps = calloc(set->nr_groups, sizeof(struct pmcgrp_rings *));
	if (!r->maps)
		return -ENOMEM;
	for (i = 0; i < set->nr_groups && ret >= 0; i++) {
		if (!set->groups[i].group)
			continue;
		ret = group_start(r, i, h);
		for (k = 0; ret >= 0 && k < pmcgrp_rings_nr(r->maps[i]); k++)
			ret = ring_add(r, i, k);
	}
	if (ret < 0)
		interval_rings_free(r);
	return ret < 0 ? ret : 0;
}

void interval_rings_free(struct interval_rings *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		free(r->rings[i].kept[0]);
		free(r->rings[i].kept[1]);
	}
	for (i = 0; r->maps && i < r->set->nr_groups; i++)
		pmcgrp_rings_free(r->maps[i]);
	free(r->rings);
	free(r->maps);
	*r = (struct interval_rings){ .lost = r->lost };
}

int64_t interval_rings_next(const struct interval_rings *r, int64_t start)
{
	int64_t batch = BATCH_NS / r->interval * r->interval, late = r->interval * 3 / 4;

	return start + ((clock_now() - start - late) / batch + 1) * batch + late;
}

/* ---- Now and then ---- */

/*
 * Whether there is a CPU without a ring, or it cannot be told. How many CPUs count is known at little
 * cost, and asked for in each batch: what a new CPU counts until then is all in the next interval.
 */
static bool cpu_has_come(struct interval_rings *r)
{
	struct pmcgrp_group *group = r->set->groups[r->rings[0].group].group;
	ssize_t size = pmcgrp_group_read_cpus(group, NULL, 0);
	bool same = size >= 0 && size == r->read_size;

	r->read_size = size;
	return !same && pmcgrp_rings_update(r->maps[r->rings[0].group]) != 0;
}

static void compare_clocks(struct interval_rings *r)
{
	unsigned int i = r->rings[0].group;
	int64_t before = clock_now();

	if (pmcgrp_group_sample(r->set->groups[i].group, 0) > 0 &&
	    (!r->offset || clock_now() - before < CHECK_EXACT_NS))
		r->asked = before;
	r->checked = before;
}

void interval_rings_start(struct interval_rings *r)
{
	compare_clocks(r);
}

/* ---- Samples ---- */

/* Goes on to the ring's next sample of its clock. */
static int ring_step(struct interval_rings *r, struct interval_ring *ring)
{
	const struct pmcgrp_group *group = r->set->groups[ring->group].group;
	const struct perf_event_header *header;
	struct pmcgrp_record_format format;
	int ret;

	ring->pending = false;
	pmcgrp_group_record_format(group, &format);
	while ((ret = pmcgrp_ring_next(ring->ring, &header)) > 0) {
		ret = pmcgrp_record_decode(&ring->next, header, header->size, &format);
		if (ret < 0)
			break;
		r->lost += ring->next.lost;
		r->useless |= ring->next.lost > 0;
		if (!pmcgrp_record_is_sample(&ring->next))
			continue;
		ring->pending = pmcgrp_group_trigger(group, &ring->next) > 0;
		if (ring->pending)
			break;
		if (r->asked)
			r->offset = r->asked - (int64_t)ring->next.time;
		r->asked = 0;
	}
	return ret < 0 ? ret : 0;
}

int interval_rings_begin(struct interval_rings *r, int64_t now)
{
	unsigned int i;
	int ret = 0;

	r->useless |= cpu_has_come(r);
	if (now - r->checked >= CHECK_NS)
		compare_clocks(r);
	for (i = 0; i < r->nr && ret >= 0; i++) {
		if (!r->rings[i].pending)
			ret = ring_step(r, &r->rings[i]);
	}
	return ret;
}

/* The earliest sample of all; sets @all if no ring can get an earlier one. NULL: none. */
static const struct interval_ring *first_of(const struct interval_rings *r, bool *all)
{
	const struct interval_ring *first = NULL;
	unsigned int i;

	*all = true;
	for (i = 0; i < r->nr; i++) {
		const struct interval_ring *ring = &r->rings[i];

		*all &= ring->pending;
		if (ring->pending && (!first || ring->next.time < first->next.time))
			first = ring;
	}
	return first;
}

/* How many rings have no sample up to then. */
static unsigned int without(const struct interval_rings *r, uint64_t until)
{
	unsigned int i, nr = 0;

	for (i = 0; i < r->nr; i++)
		nr += !r->rings[i].pending || r->rings[i].next.time > until;
	return nr;
}

static int take(struct interval_rings *r, uint64_t until)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < r->nr && ret >= 0; i++) {
		struct interval_ring *ring = &r->rings[i];

		while (ring->pending && ring->next.time <= until && ret >= 0) {
			ring->last = ring->next.read;
			ret = ring_step(r, ring);
		}
	}
	return ret;
}

int interval_rings_take(struct interval_rings *r, int64_t now, int64_t limit, int64_t *end)
{
	const struct interval_ring *first;
	unsigned int i, missing;
	uint64_t until;
	bool all;
	int ret;

	first = r->useless ? NULL : first_of(r, &all);
	if (!first)
		return 0;
	/* No sample on request was that fast: the first one of a clock is as good. */
	if (!r->offset)
		r->offset = r->checked + r->interval - (int64_t)first->next.time;
	*end = (int64_t)first->next.time + r->offset;
	if (*end > limit || (!all && *end + r->interval / 2 > now))
		return 0;
	until = first->next.time + (uint64_t)r->interval / 2;
	missing = without(r, until);
	if (missing) {
		r->lost += missing;
		r->useless = true;
		return 0;
	}
	ret = take(r, until);
	if (ret < 0)
		return ret;
	counter_set_begin(r->set);
	for (i = 0; i < r->nr && ret >= 0; i++) {
		if (pmcgrp_view_nr(&r->rings[i].last))
			ret = counter_set_add(r->set, r->rings[i].group, r->rings[i].cpu,
					      &r->rings[i].last);
	}
	counter_set_end(r->set);
	return ret < 0 ? ret : 1;
}

static void keep(const struct interval_rings *r, struct interval_ring *ring,
		 struct pmcgrp_view *view, unsigned int i)
{
	uint64_t format = pmcgrp_group_read_format(r->set->groups[ring->group].group);

	if (!pmcgrp_view_nr(view) || view->bytes == ring->kept[i] ||
	    pmcgrp_view_size(view) > ring->size)
		return;
	memcpy(ring->kept[i], view->bytes, pmcgrp_view_size(view));
	pmcgrp_view_init(view, ring->kept[i], ring->size, format);
}

void interval_rings_end(struct interval_rings *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		struct interval_ring *ring = &r->rings[i];

		/* What was kept as the next one may have become the last one. */
		if (ring->last.bytes == ring->kept[1]) {
			memcpy(ring->kept[0], ring->kept[1], ring->size);
			ring->last.bytes = ring->kept[0];
		}
		keep(r, ring, &ring->last, 0);
		if (ring->pending)
			keep(r, ring, &ring->next.read, 1);
		pmcgrp_ring_consume(ring->ring);
	}
}
