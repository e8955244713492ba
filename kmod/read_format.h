/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Views: what a group shows, in perf's read_format, byte for byte as perf_event_open(2)
 * documents it and kernel/events/core.c (perf_read_group(), perf_read_one()) writes it.
 *
 * Inline, for each record in a ring has one.
 */
#ifndef PMCGRP_READ_FORMAT_H
#define PMCGRP_READ_FORMAT_H

#include <linux/atomic.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "group.h"
#include "evset.h"
#include "ring_map.h"

/**
 * struct pmcgrp_read_values - what a read shows: a snapshot less what it was at the last reset
 * @group: whose
 * @at: the snapshot
 * @zero: that of the last reset
 */
struct pmcgrp_read_values {
	const struct pmcgrp_group *group;
	const struct pmcgrp_values *at;
	const struct pmcgrp_values *zero;
};

/**
 * pmcgrp_evset_zero - what a set showed at the last reset
 * @set: the set: a CPU's has its own, for a CPU is shown by itself as well
 */
static inline const struct pmcgrp_values *pmcgrp_evset_zero(const struct pmcgrp_evset *set)
{
	return set->zero ?: &set->group->zero;
}

/**
 * pmcgrp_read_count - a member's count
 * @view: of a group without a leader
 * @member: which
 *
 * Context: any.
 */
static inline u64 pmcgrp_read_count(const struct pmcgrp_read_values *view,
				    const struct pmcgrp_member_state *member)
{
	return view->at->count[member->event] - view->zero->count[member->event];
}

/* Each of these returns where the next word goes. */

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

/* Members take no samples of their own: what the rings have lost stands with member 0. */
static inline u64 pmcgrp_lost_of(const struct pmcgrp_group *group, u64 format)
{
	const struct pmcgrp_rings *rings;

	if (likely(!(format & PERF_FORMAT_LOST)))
		return 0;
	rings = pmcgrp_group_rings(group);
	return rings ? atomic64_read(&rings->lost) : 0;
}

/**
 * pmcgrp_read_put - a group in its read_format
 * @out: as many words as pmcgrp_read_size() says
 * @view: of a group without a leader
 *
 * Context: any.
 * Return: where the next word goes.
 */
static __always_inline u64 *pmcgrp_read_put(u64 *out, const struct pmcgrp_read_values *view)
{
	/* A copy: for all that the compiler knows, what is written could lie in @view. */
	const struct pmcgrp_read_values mine = *view;
	const struct pmcgrp_member_state *member = mine.group->member;
	const struct pmcgrp_member_state *end = member + mine.group->nr;
	u64 enabled = mine.at->enabled - mine.zero->enabled;
	u64 running = mine.at->running - mine.zero->running;
	u64 format = mine.group->read_format;

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
