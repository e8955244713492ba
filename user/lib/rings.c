// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Several rings as one stream in the order of time.
 *
 * Of each ring the records are in order, so the next of all is the earliest of the rings'
 * next ones. But they do not become visible in order: when the rings are looked at, one
 * after the other, a record may be on its way into a ring already looked at that is older
 * than one found in the next. So a round gives what is not newer than the newest of the
 * round before, when that record must have been written long since: perf's rule, too
 * (PERF_RECORD_FINISHED_ROUND). What is held back stays in its ring.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "ring_state.h"

struct one {
	struct pmcgrp_ring *ring;
	int cpu;				/* or -1 */
	const struct perf_event_header *next;	/* NULL: nothing more in this round */
	uint64_t time;				/* of it; that of the last if it has none */
	uint64_t looked;			/* for ring_last_time() */
	struct pmcgrp_delta delta;
};

struct pmcgrp_rings {
	struct pmcgrp_record_format format;
	struct one **ones;
	unsigned int nr;
	bool in_round;
	bool flush;
	uint64_t newest;			/* time of all that was ever visible */
	uint64_t limit;				/* of this round */
	bool from_zero;				/* pmcgrp_rings_from_zero() */
	/* Of a group's rings, for CPUs to come. */
	const struct pmcgrp_group *group;
	size_t pages;
};

/* ---- Life ---- */

int pmcgrp_rings_new(struct pmcgrp_rings **out, const struct pmcgrp_record_format *format)
{
	if (!out)
		return -EINVAL;
	*out = NULL;
	if (!format)
		return -EINVAL;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->format = *format;
	return 0;
}

void pmcgrp_rings_free(struct pmcgrp_rings *rings)
{
	unsigned int i;

	if (!rings)
		return;
	for (i = 0; i < rings->nr; i++) {
		pmcgrp_ring_close(rings->ones[i]->ring);
		free(rings->ones[i]);
	}
	free(rings->ones);
	free(rings);
}

int pmcgrp_rings_add(struct pmcgrp_rings *rings, struct pmcgrp_ring *ring, int cpu)
{
	struct one **ones, *one;

	if (!rings || !ring)
		return -EINVAL;
	ones = reallocarray(rings->ones, rings->nr + 1, sizeof(struct one *));
	if (!ones)
		return -ENOMEM;
	rings->ones = ones;
	one = calloc(1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	one->ring = ring;
	one->delta.from_zero = rings->from_zero;
	one->cpu = cpu;
	rings->ones[rings->nr] = one;
	return (int)rings->nr++;
}

static int add_mapped(struct pmcgrp_rings *rings, int cpu)
{
	const struct pmcgrp_group *group = rings->group;
	unsigned int flags = group->ring_flags & PMCGRP_RING_BACKWARD ? PMCGRP_MAP_BACKWARD : 0;
	struct pmcgrp_ring *ring;
	int ret;

	ret = pmcgrp_ring_map(&ring, group->fd, cpu < 0 ? 0 : PMCGRP_RING_OFFSET(cpu),
			      rings->pages, flags);
	if (ret < 0)
		return ret;
	ret = pmcgrp_rings_add(rings, ring, cpu);
	if (ret < 0)
		pmcgrp_ring_close(ring);
	return ret;
}

static bool has_cpu(const struct pmcgrp_rings *rings, int cpu)
{
	unsigned int i;

	for (i = 0; i < rings->nr; i++) {
		if (rings->ones[i]->cpu == cpu)
			return true;
	}
	return false;
}

/*
 * Where the module counts now. Of tasks it does so wherever they run, and on a CPU that comes online
 * from its first instruction on.
 */
static int counted_cpus(const struct pmcgrp_group *group, struct pmcgrp_cpus *cpus)
{
	const struct pmcgrp_info_cpu *cpu;
	struct pmcgrp_info *info;
	uint32_t i;

	if (counts_tasks(group))
		return cpus_present(cpus, CPU_FOLDER);
	if (pmcgrp_group_info(group, &info) < 0)
		return pmcgrp_cpus_online(cpus);
	memset(cpus, 0, sizeof(*cpus));
	for (i = 0; (cpu = pmcgrp_info_cpu(info, i)); i++) {
		if (cpu->why != PMCGRP_WHY_CPU_OFFLINE)
			pmcgrp_cpus_set(cpus, cpu->cpu);
	}
	pmcgrp_info_free(info);
	return pmcgrp_cpus_nr(cpus) ? 0 : pmcgrp_cpus_online(cpus);
}

int pmcgrp_rings_update(struct pmcgrp_rings *rings)
{
	const struct pmcgrp_group *group = rings ? rings->group : NULL;
	struct pmcgrp_cpus cpus;
	int cpu, ret = 0, nr = 0;

	if (!group)
		return -EINVAL;
	if (!targets_cpus(group->target_type) && !counts_tasks(group)) {
		ret = rings->nr ? 0 : add_mapped(rings, -1);
		return ret < 0 ? ret : 0;
	}
	cpus = group->cpus;
	if (group->target_type == PMCGRP_TARGET_ALL_CPUS || counts_tasks(group))
		ret = counted_cpus(group, &cpus);
	for (cpu = pmcgrp_cpus_next(&cpus, 0); cpu >= 0 && ret >= 0;
	     cpu = pmcgrp_cpus_next(&cpus, cpu + 1)) {
		if (has_cpu(rings, cpu))
			continue;
		ret = add_mapped(rings, cpu);
		nr += ret >= 0;
		/* One that lacks the events has no ring. */
		if (ret == -EINVAL && group->target_type == PMCGRP_TARGET_ALL_CPUS && rings->nr)
			ret = 0;
	}
	return ret < 0 ? ret : nr;
}

int pmcgrp_rings_map(struct pmcgrp_rings **out, const struct pmcgrp_group *group, size_t pages)
{
	struct pmcgrp_record_format format;
	int ret;

	if (!out)
		return -EINVAL;
	*out = NULL;
	if (!group)
		return -EINVAL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return -EOPNOTSUPP;
	pmcgrp_group_record_format(group, &format);
	ret = pmcgrp_rings_new(out, &format);
	if (ret < 0)
		return ret;
	(*out)->group = group;
	(*out)->pages = pages;
	ret = pmcgrp_rings_update(*out);
	if (ret < 0) {
		pmcgrp_rings_free(*out);
		*out = NULL;
	}
	return ret < 0 ? ret : 0;
}

void pmcgrp_rings_from_zero(struct pmcgrp_rings *rings)
{
	unsigned int i;

	rings->from_zero = true;
	for (i = 0; i < rings->nr; i++)
		rings->ones[i]->delta.from_zero = true;
}

unsigned int pmcgrp_rings_nr(const struct pmcgrp_rings *rings)
{
	return rings->nr;
}

struct pmcgrp_ring *pmcgrp_rings_ring(const struct pmcgrp_rings *rings, unsigned int i)
{
	return i < rings->nr ? rings->ones[i]->ring : NULL;
}

int pmcgrp_rings_cpu(const struct pmcgrp_rings *rings, unsigned int i)
{
	return i < rings->nr ? rings->ones[i]->cpu : -1;
}

const struct pmcgrp_delta *pmcgrp_rings_delta(const struct pmcgrp_rings *rings, unsigned int i)
{
	return i < rings->nr ? &rings->ones[i]->delta : NULL;
}

/* ---- Waiting ---- */

int pmcgrp_rings_wait(const struct pmcgrp_rings *rings, int timeout)
{
	unsigned int i, nr = 0;
	struct pollfd *fds;
	int ret, events = 0;

	if (!rings || !rings->nr)
		return -EINVAL;
	fds = calloc(rings->nr, sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	/* The rings of a group have one descriptor. */
	for (i = 0; i < rings->nr; i++) {
		int fd = rings->ones[i]->ring->fd;

		if (fd >= 0 && (!nr || fds[nr - 1].fd != fd))
			fds[nr++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	ret = poll(fds, nr, timeout);
	if (ret < 0)
		ret = -errno;
	for (i = 0; i < nr && ret > 0; i++)
		events |= fds[i].revents & (POLLIN | POLLHUP | POLLERR);
	free(fds);
	return ret < 0 ? ret : events;
}

/* ---- Merging ---- */

/* The ring's next record, if the round has one. */
static int one_peek(struct pmcgrp_rings *rings, struct one *one)
{
	int ret = ring_peek(one->ring, &one->next);

	if (ret <= 0)
		one->next = NULL;
	else
		record_time(one->next, &rings->format, &one->time);
	return ret;
}

/* One ring is in order by itself; and those that are paused are as they are. */
static bool holds_back(const struct pmcgrp_rings *rings)
{
	return rings->nr > 1 && !rings->flush && !rings->ones[0]->ring->backward;
}

static int round_begin(struct pmcgrp_rings *rings)
{
	bool hold = holds_back(rings);
	unsigned int i;
	uint64_t time;
	int ret;

	rings->limit = hold ? rings->newest : UINT64_MAX;
	for (i = 0; i < rings->nr; i++) {
		struct one *one = rings->ones[i];

		ret = ring_load(one->ring);
		if (!ret)
			ret = one_peek(rings, one);
		if (ret < 0)
			return ret;
		if (hold && ring_last_time(one->ring, &rings->format, &one->looked, &time) &&
		    time > rings->newest)
			rings->newest = time;
	}
	rings->in_round = true;
	return 0;
}

static int decode(struct pmcgrp_rings *rings, unsigned int i, struct pmcgrp_record *record)
{
	struct one *one = rings->ones[i];
	int ret;

	ret = pmcgrp_record_decode(record, one->next, one->next->size, &rings->format);
	if (ret < 0)
		return ret;
	record->ring = i;
	if (!(record->has & PERF_SAMPLE_CPU) && one->cpu >= 0)
		record->cpu = (uint32_t)one->cpu;
	pmcgrp_delta_update(&one->delta, record);
	return 0;
}

int pmcgrp_rings_next(struct pmcgrp_rings *rings, struct pmcgrp_record *record)
{
	unsigned int i, first = 0;
	struct one *one;
	int ret;

	if (!rings || !rings->nr || !record)
		return -EINVAL;
	if (rings->nr > 1 && !(rings->format.sample_type & PERF_SAMPLE_TIME))
		return -EINVAL;
	if (!rings->in_round) {
		ret = round_begin(rings);
		if (ret < 0)
			return ret;
	}
	one = NULL;
	for (i = 0; i < rings->nr; i++) {
		if (rings->ones[i]->next && (!one || rings->ones[i]->time < one->time)) {
			one = rings->ones[i];
			first = i;
		}
	}
	if (!one || one->time > rings->limit) {
		rings->in_round = false;
		return 0;
	}
	ret = decode(rings, first, record);
	if (ret < 0)
		return ret;
	ring_advance(one->ring, one->next);
	ret = one_peek(rings, one);
	/* A ring that is broken behind this record says so at the next call. */
	if (ret < 0)
		rings->in_round = false;
	return 1;
}

void pmcgrp_rings_consume(struct pmcgrp_rings *rings)
{
	unsigned int i;

	for (i = 0; i < rings->nr; i++)
		pmcgrp_ring_consume(rings->ones[i]->ring);
	rings->in_round = false;
}

void pmcgrp_rings_flush(struct pmcgrp_rings *rings)
{
	rings->flush = true;
	rings->in_round = false;
}
