/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write the values of a group in perf's read_format.
 *
 * The layout is the one documented in perf_event_open(2) and written by perf_read_group() and
 * perf_read_one() (kernel/events/core.c).
 *
 * The functions are inline because each sample in a ring can contain a read_format.
 */
#ifndef PMCGRP_READ_FORMAT_H
#define PMCGRP_READ_FORMAT_H

#include <linux/atomic.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "group/group.h"
#include "sample/ring_map.h"
#include "set/evset.h"

#define PMCGRP_READ_FORMATS                                      \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST | \
	 PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The read_format with a fast path in samples (sample.c); the tools use it. */
#define PMCGRP_READ_DEFAULT                                                    \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The most words of a read: nr, time_enabled, time_running, and { value, id, lost } per member. */
#define PMCGRP_READ_WORDS_MAX (3 + 3 * PMCGRP_MEMBERS_MAX)

/**
 * struct pmcgrp_read_values - values of a read: @at minus @zero
 * @group: the group
 * @at: values now
 * @zero: values at the last reset
 */
struct pmcgrp_read_values {
	const struct pmcgrp_group *group;
	const struct pmcgrp_values *at;
	const struct pmcgrp_values *zero;
};

/* Bytes of a read of @nr members. */
static inline size_t pmcgrp_read_format_size(u64 read_format, unsigned int nr)
{
	unsigned int each = 1, n = 0;

	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		n++;
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		n++;
	if (read_format & PERF_FORMAT_ID)
		each++;
	if (read_format & PERF_FORMAT_LOST)
		each++;
	if (read_format & PERF_FORMAT_GROUP)
		n += 1 + each * nr;
	else
		n += each;
	return n * sizeof(u64);
}

/**
 * pmcgrp_evset_zero - find the values of a set at a group's last reset
 * @set: the set
 * @group: the group, enabled
 *
 * There are some for each CPU, as PMCGRP_IOC_READ_CPUS and samples show single CPUs.
 *
 * Context: any.
 * Return: the values.
 */
static inline const struct pmcgrp_values *pmcgrp_evset_zero(const struct pmcgrp_evset *set,
							    const struct pmcgrp_group *group)
{
	return group->cpu_zero ? pmcgrp_group_cpu_zero(group, set->home) : &group->zero;
}

/* The count of a member since the last reset, in a group without a leader. */
static inline u64 pmcgrp_read_count(const struct pmcgrp_read_values *view,
				    const struct pmcgrp_member_state *member)
{
	return view->at->count[member->event] - view->zero->count[member->event];
}

/* The put functions return the position of the next word. */

static __always_inline u64 *pmcgrp_put_times(u64 *out, u64 format, u64 enabled, u64 running)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*out++ = enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*out++ = running;
	return out;
}

static __always_inline u64 *pmcgrp_put_id_lost(u64 *out, u64 format, u64 id, u64 lost)
{
	if (format & PERF_FORMAT_ID)
		*out++ = id;
	if (format & PERF_FORMAT_LOST)
		*out++ = lost;
	return out;
}

/* Value of PERF_FORMAT_LOST for member 0: samples that the group's rings have lost.  Others: 0. */
static inline u64 pmcgrp_lost_of(const struct pmcgrp_group *group, u64 format)
{
	const struct pmcgrp_ring_buffers *rings;

	if (likely(!(format & PERF_FORMAT_LOST)))
		return 0;
	rings = pmcgrp_group_rings(group);
	return rings ? atomic64_read(&rings->lost) : 0;
}

/**
 * pmcgrp_read_put - write a group in its read_format
 * @out: buffer of pmcgrp_read_format_size() bytes
 * @view: values of a group without a leader
 *
 * Context: any.
 * Return: the position of the next word.
 */
static __always_inline u64 *pmcgrp_read_put(u64 *out, const struct pmcgrp_read_values *view)
{
	/* A copy, as the compiler must assume that @out aliases @view. */
	const struct pmcgrp_read_values mine = *view;
	const struct pmcgrp_member_state *member = mine.group->member;
	const struct pmcgrp_member_state *end = member + mine.group->nr;
	u64 enabled = mine.at->enabled - mine.zero->enabled;
	u64 running = mine.at->running - mine.zero->running;
	u64 format = mine.group->read_format;

	if (likely(format == PMCGRP_READ_DEFAULT)) {
		*out++ = mine.group->nr;
		*out++ = enabled;
		*out++ = running;
		do {
			*out++ = pmcgrp_read_count(&mine, member);
			*out++ = member->id;
		} while (++member < end);
		return out;
	}
	if (!(format & PERF_FORMAT_GROUP)) {
		*out++ = pmcgrp_read_count(&mine, member);
		out = pmcgrp_put_times(out, format, enabled, running);
		return pmcgrp_put_id_lost(out, format, member->id,
					  pmcgrp_lost_of(mine.group, format));
	}
	*out++ = mine.group->nr;
	out = pmcgrp_put_times(out, format, enabled, running);
	*out++ = pmcgrp_read_count(&mine, member);
	out = pmcgrp_put_id_lost(out, format, member->id, pmcgrp_lost_of(mine.group, format));
	while (++member < end) {
		*out++ = pmcgrp_read_count(&mine, member);
		out = pmcgrp_put_id_lost(out, format, member->id, 0);
	}
	return out;
}

#endif /* PMCGRP_READ_FORMAT_H */
