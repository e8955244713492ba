// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records: a snapshot of a group, in a ring.
 *
 * This is the hot path of triggers: interrupts off, in any context that a trigger may come in,
 * NMI included, with any lock held.  It changes nothing but the ring: a
 * snapshot is computed beside what its set has accounted.  One
 * that comes in the midst of another, or of a change of this CPU's sets, is dropped and
 * counted; so whatever is seen is whole, and a ring has one writer.
 *
 * Nearly always it is a usual sample with nothing beside it, whose words go straight into the
 * ring (struct pmcgrp_rings: usual).  Whatever else there may be is in sample_side.c.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include "group.h"
#include "period.h"
#include "recursion.h"
#include "sample.h"
#include "evset.h"
#include "ring.h"
#include "ring_map.h"
#include "sample_put.h"
#include "read_format.h"

struct pmcgrp_scratch __percpu *pmcgrp_scratch;

/**
 * pmcgrp_sample_init - once, before there is any group
 *
 * Return: 0, or -ENOMEM.
 */
int pmcgrp_sample_init(void)
{
	pmcgrp_scratch = alloc_percpu(struct pmcgrp_scratch);
	return pmcgrp_scratch ? 0 : -ENOMEM;
}

/**
 * pmcgrp_sample_exit - no group is left
 */
void pmcgrp_sample_exit(void)
{
	free_percpu(pmcgrp_scratch);
}

/*
 * What pmcgrp_read_put() makes of pmcgrp_evset_values() in PMCGRP_READ_DEFAULT, in one go.
 * @value: the counters', @delta nanoseconds after @set was accounted
 */
static __always_inline u64 *put_default(u64 *out, const struct pmcgrp_evset *set, const u64 *value,
					u64 delta)
{
	const struct pmcgrp_group *group = set->group;
	const struct pmcgrp_values *zero = pmcgrp_evset_zero(set);
	const struct pmcgrp_member_state *member = group->member;
	const struct pmcgrp_member_state *end = member + group->nr;
	const u64 *base = set->base, *sum = set->sum, *from = zero->count;
	unsigned int e;

	*out++ = group->nr;
	*out++ = set->enabled + delta - zero->enabled;
	*out++ = set->running + delta - zero->running;
	do {
		e = member->event;
		*out++ = value[e] - base[e] + sum[e] - from[e];
		*out++ = member->id;
	} while (++member < end);
	return out;
}

/* A usual sample whose words go straight into the ring; where it cannot, nothing changes. */
static __always_inline bool sample_default(struct pmcgrp_evset *set, struct pmcgrp_ring *ring,
					   struct pmcgrp_sample_source *source,
					   struct perf_event *event,
					   const struct perf_sample_data *data,
					   struct pt_regs *regs)
{
	u64 *value = this_cpu_ptr(pmcgrp_scratch)->at.count;
	u64 now = pmcgrp_counters_read(set->counter, set->nr, value);
	u64 delta = pmcgrp_evset_since(set, now), enabled = set->enabled + delta;
	const struct pmcgrp_sample sample = {
		.rings = ring->rings,
		.source = source,
		.event = event,
		.data = data,
		.regs = regs,
		.now = now,
	};
	struct pmcgrp_period_check *period_check = &source->period_check;
	size_t size = sample.rings->sample_size;
	u64 *out = pmcgrp_ring_reserve_ahead(ring, size), *end;
	u64 expected;

	pmcgrp_evset_sync(set, now);
	if (unlikely(!out))
		return false;
	expected = pmcgrp_expected_time(event);
	if (period_check->period &&
	    unlikely(!pmcgrp_period_is_on_time(period_check, set->nr_sched_in, expected, enabled)))
		return false;
	end = put_default(pmcgrp_put_head(out, &sample), set, value, delta);
	WARN_ON_ONCE((void *)end - (void *)out != size);
	if (period_check->period)
		pmcgrp_period_go_on(period_check, expected, enabled);
	pmcgrp_ring_commit_ahead(ring, size);
	return true;
}

static __always_inline bool is_default(const struct pmcgrp_evset *set,
				       const struct pmcgrp_ring *ring,
				       const struct pmcgrp_sample_source *source,
				       const struct perf_event *event)
{
	return event && ring->default_forward && set->on && !source->period_check.reported &&
	       !(ring->lost | atomic_long_read(&ring->not_taken)) && !pmcgrp_is_throttled(event);
}

static __always_inline bool take_sample(struct pmcgrp_evset *set, struct pmcgrp_ring *ring,
					struct pmcgrp_sample_source *source,
					struct perf_event *event,
					const struct perf_sample_data *data, struct pt_regs *regs)
{
	if (likely(is_default(set, ring, source, event)) &&
	    likely(sample_default(set, ring, source, event, data, regs)))
		return true;
	return pmcgrp_sample_any(set, ring, source, event, data, regs);
}

/* A trigger that could not be served; a late request by hand is none. */
static bool count_not_taken(struct pmcgrp_ring *ring, const struct perf_event *event)
{
	if (event)
		atomic_long_inc(&ring->not_taken);
	return false;
}

/* Nothing happens where the group is not enabled or not mapped. */
static __always_inline bool record(struct pmcgrp_sample_source *source, struct perf_event *event,
				   const struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct pmcgrp_row *row = pmcgrp_row_here(source->group);
	struct pmcgrp_ring *ring = pmcgrp_ring_here(row);
	struct pmcgrp_evset *set;
	bool done = false;

	if (!ring) {
		/* What there was before a mapping is not missed in it. */
		if (event)
			source->period_check.seen = 0;
		return false;
	}
	if (!pmcgrp_recursion_try())
		return count_not_taken(ring, event);
	set = row->in;
	if (set && set->is_in &&
	    !(set->on && set->nr_hw && pmcgrp_counters_may_move(set->counter, set->nr_hw)))
		done = take_sample(set, ring, source, event, data, regs);
	else if (READ_ONCE(source->group->active))
		count_not_taken(ring, event);
	pmcgrp_recursion_end();
	return done;
}

/**
 * pmcgrp_sample_overflow - a trigger's event takes a snapshot of what its group does here
 * @event: the event, whose context is its struct pmcgrp_sample_source, of a group with rings
 * @data: of its overflow
 * @regs: where the CPU was
 *
 * Context: preemption off, anything else; NMI included.
 */
void pmcgrp_sample_overflow(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	record(event->overflow_handler_context, event, data, regs);
	local_irq_restore(flags);
}

/**
 * pmcgrp_sample_on_request - the same because somebody asks for it
 * @source: of a group with rings; several CPUs may have the same
 *
 * Context: interrupts off.
 * Return: whether there is a record of it.
 */
bool pmcgrp_sample_on_request(struct pmcgrp_sample_source *source)
{
	return record(source, NULL, NULL, NULL);
}
