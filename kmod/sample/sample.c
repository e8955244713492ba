// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a sample of a group into its ring.
 *
 * This is the hot path of triggers.  It runs with interrupts off in any context in which an event
 * overflows, NMI included, with any lock held.
 *
 * A sample changes no count of its set.  Its values are computed from the counters and from what
 * the set has accounted so far.
 *
 * A sample is dropped and counted if it interrupts another one, or a change of this CPU's sets
 * (recursion.h).  Therefore the values are consistent, and a ring has one writer.
 *
 * Most samples have the default format (pmcgrp_ring_buffers.default_format) and no other record
 * beside them.  This file writes them directly into the ring.  sample_side.c writes the others.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include "group/group.h"
#include "platform/recursion.h"
#include "sample/period.h"
#include "sample/read_format.h"
#include "sample/ring.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "sample/sample_put.h"
#include "set/evset.h"

/*
 * Write a read_format of PMCGRP_READ_DEFAULT.  The result equals pmcgrp_evset_values() followed by
 * pmcgrp_read_put(), but takes one pass.
 * @value: values of the counters, read @delta ns after @set->since
 */
static __always_inline u64 *put_default(u64 *out, const struct pmcgrp_group *group,
					const struct pmcgrp_evset *set, const u64 *value, u64 delta)
{
	const struct pmcgrp_values *zero = pmcgrp_evset_zero(set, group);
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

/*
 * Write a sample in the default format directly into the ring.  Return false, with the ring
 * unchanged, if the sample does not fit in one piece or the clock is not on time.
 */
static __always_inline bool
sample_default(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
	       struct pmcgrp_sample_source *source, struct perf_event *event,
	       const struct perf_sample_data *data, struct pt_regs *regs)
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
	u64 *out = pmcgrp_ring_reserve(ring, size), *end;
	u64 expected;

	pmcgrp_evset_sync(set, now);
	if (unlikely(!out))
		return false;
	expected = pmcgrp_expected_time(event);
	if (period_check->period &&
	    unlikely(!pmcgrp_period_is_on_time(period_check, set->nr_sched_in, expected, enabled)))
		return false;
	end = put_default(pmcgrp_put_head(out, &sample), source->group, set, value, delta);
	WARN_ON_ONCE((void *)end - (void *)out != size);
	if (period_check->period)
		pmcgrp_period_go_on(period_check, expected, enabled);
	pmcgrp_ring_commit(ring, size);
	return true;
}

static __always_inline bool is_default(const struct pmcgrp_evset *set,
				       const struct pmcgrp_ring_buffer *ring,
				       const struct pmcgrp_sample_source *source,
				       const struct perf_event *event)
{
	return event && ring->default_forward && set->on && !source->period_check.reported &&
	       !(ring->lost | ring->floor | atomic_long_read(&ring->not_taken)) &&
	       !pmcgrp_is_throttled(event);
}

static __always_inline bool take_sample(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
					struct pmcgrp_sample_source *source,
					struct perf_event *event,
					const struct perf_sample_data *data, struct pt_regs *regs)
{
	if (likely(is_default(set, ring, source, event)) &&
	    likely(sample_default(set, ring, source, event, data, regs)))
		return true;
	return pmcgrp_sample_any(set, ring, source, event, data, regs);
}

/* Count an overflow without a sample.  A request (no @event) is not counted: its caller sees it. */
static bool count_not_taken(struct pmcgrp_ring_buffer *ring, const struct perf_event *event)
{
	if (event)
		atomic_long_inc(&ring->not_taken);
	return false;
}

/* Take a sample, unless the group is disabled or its ring is not mapped. */
static __always_inline bool record(struct pmcgrp_sample_source *source, struct perf_event *event,
				   const struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct pmcgrp_group *group = source->group;
	struct pmcgrp_ring_buffer *ring = pmcgrp_ring_here(group->rings);
	bool enabled, done = false;
	struct pmcgrp_evset *set;

	if (!ring) {
		/* Restart the period check: do not report periods before mmap() as missed. */
		if (event)
			source->period_check.seen = 0;
		return false;
	}
	if (!pmcgrp_recursion_try())
		return count_not_taken(ring, event);
	enabled = pmcgrp_group_is_enabled(group);
	set = pmcgrp_evcpu_here(group->evlist)->in;
	if (enabled && set && set->is_in &&
	    !(set->on && set->nr_hw && pmcgrp_counters_may_move(set->counter, set->nr_hw)))
		done = take_sample(set, ring, source, event, data, regs);
	else if (enabled && !source->of_any_task)
		count_not_taken(ring, event);
	pmcgrp_recursion_end();
	return done;
}

/**
 * pmcgrp_sample_overflow - take a sample when a trigger's event overflows (overflow handler)
 * @event: the trigger's event; its overflow_handler_context is a struct pmcgrp_sample_source
 * @data: sample data of the overflow
 * @regs: registers at the overflow
 *
 * The group of the source has rings.
 *
 * Context: any with preemption off, NMI included.
 */
void pmcgrp_sample_overflow(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	record(event->overflow_handler_context, event, data, regs);
	local_irq_restore(flags);
}

/*
 * The clocks of two tasks cannot be compared, nor can those of one that has been out meanwhile: the
 * group's time went on without it.
 */
static void check_anew(struct pmcgrp_sample_source *source, const struct perf_event *event)
{
	const struct pmcgrp_ring_buffer *ring = pmcgrp_ring_here(source->group->rings);

	if (!ring || (source->event == event && source->ring == ring &&
		      source->stay == ring->stays))
		return;
	source->event = event;
	source->ring = ring;
	source->stay = ring->stays;
	source->period_check.seen = 0;
}

/**
 * pmcgrp_sample_overflow_of_tasks - do pmcgrp_sample_overflow() for a group of several tasks
 * @event: event of a trigger, of any of its tasks; its overflow_handler_context points to that
 *	trigger's entry of pmcgrp_ring_buffers.sources
 * @data: as there
 * @regs: as there
 *
 * Context: as there.
 */
void pmcgrp_sample_overflow_of_tasks(struct perf_event *event, struct perf_sample_data *data,
				     struct pt_regs *regs)
{
	struct pmcgrp_sample_source __percpu **sources = event->overflow_handler_context;
	struct pmcgrp_sample_source *source;
	unsigned long flags;

	local_irq_save(flags);
	source = this_cpu_ptr(*sources);
	/* Not before the trigger is complete: user space would not know it. */
	if (source->index <= READ_ONCE(source->group->rings->nr_triggers)) {
		check_anew(source, event);
		record(source, event, data, regs);
	}
	local_irq_restore(flags);
}

/**
 * pmcgrp_sample_on_request - take a sample on request of user space
 * @source: source of a group with rings; several CPUs may use it at the same time
 *
 * Context: interrupts off.
 * Return: whether a record was written.
 */
bool pmcgrp_sample_on_request(struct pmcgrp_sample_source *source)
{
	return record(source, NULL, NULL, NULL);
}

/* Whether a perf event is a trigger of this module.  Any context. */
bool pmcgrp_sample_is_trigger(const struct perf_event *event)
{
	return event->overflow_handler == pmcgrp_sample_overflow ||
	       event->overflow_handler == pmcgrp_sample_overflow_of_tasks;
}
