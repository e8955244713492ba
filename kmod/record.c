// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records: a snapshot of a group, in a ring.
 *
 * This is the hot path of triggers: interrupts off, in any context that a trigger may come in,
 * NMI included, with any lock held.  It changes nothing but the ring: a
 * snapshot is computed beside what its ride has accounted.  One
 * that comes in the midst of another, or of a change of this CPU's rides, is dropped and
 * counted; so whatever is seen is whole, and a ring has one writer.
 *
 * Nearly always it is a usual sample with nothing beside it, whose words go straight into the
 * ring (struct pmcgrp_rings: usual).  Whatever else there may be is in beside.c.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include "group.h"
#include "pace.h"
#include "quiet.h"
#include "record.h"
#include "ride.h"
#include "ring.h"
#include "rings.h"
#include "shot.h"
#include "view.h"

struct pmcgrp_scratch __percpu *pmcgrp_scratch;

/**
 * pmcgrp_record_init - once, before there is any group
 *
 * Return: 0, or -ENOMEM.
 */
int pmcgrp_record_init(void)
{
	pmcgrp_scratch = alloc_percpu(struct pmcgrp_scratch);
	return pmcgrp_scratch ? 0 : -ENOMEM;
}

/**
 * pmcgrp_record_exit - no group is left
 */
void pmcgrp_record_exit(void)
{
	free_percpu(pmcgrp_scratch);
}

/*
 * What pmcgrp_view_put() makes of pmcgrp_ride_peek() in PMCGRP_READ_USUAL, in one go.
 * @value: the slots', @delta nanoseconds after @ride was accounted
 */
static __always_inline u64 *put_usual(u64 *out, const struct pmcgrp_ride *ride, const u64 *value,
				      u64 delta)
{
	const struct pmcgrp_group *group = ride->group;
	const struct pmcgrp_snapshot *zero = pmcgrp_ride_zero(ride);
	const struct pmcgrp_member_state *member = group->member;
	const struct pmcgrp_member_state *end = member + group->nr;
	const u64 *base = ride->base, *sum = ride->sum, *from = zero->count;
	unsigned int e;

	*out++ = group->nr;
	*out++ = ride->enabled + delta - zero->enabled;
	*out++ = ride->running + delta - zero->running;
	do {
		e = member->event;
		*out++ = value[e] - base[e] + sum[e] - from[e];
		*out++ = member->id;
	} while (++member < end);
	return out;
}

/* A usual sample whose words go straight into the ring; where it cannot, nothing changes. */
static __always_inline bool shoot_usual(struct pmcgrp_ride *ride, struct pmcgrp_ring *ring,
					struct pmcgrp_cause *cause, struct perf_event *event,
					const struct perf_sample_data *data, struct pt_regs *regs)
{
	u64 *value = this_cpu_ptr(pmcgrp_scratch)->at.count;
	u64 now = pmcgrp_slots_read(ride->slot, ride->nr, value);
	u64 delta = pmcgrp_ride_since(ride, now), enabled = ride->enabled + delta;
	const struct pmcgrp_shot shot = {
		.rings	= ring->rings,
		.cause	= cause,
		.event	= event,
		.data	= data,
		.regs	= regs,
		.now	= now,
	};
	struct pmcgrp_pace *pace = &cause->pace;
	size_t size = shot.rings->sample_size;
	u64 *out = pmcgrp_ring_reserve_ahead(ring, size), *end;
	u64 due;

	pmcgrp_ride_take_over(ride, now);
	if (unlikely(!out))
		return false;
	due = pmcgrp_due_of(event);
	if (pace->period && unlikely(!pmcgrp_pace_is_even(pace, ride->stays, due, enabled)))
		return false;
	end = put_usual(pmcgrp_put_head(out, &shot), ride, value, delta);
	WARN_ON_ONCE((void *)end - (void *)out != size);
	if (pace->period)
		pmcgrp_pace_go_on(pace, due, enabled);
	pmcgrp_ring_commit_ahead(ring, size);
	return true;
}

static __always_inline bool is_usual(const struct pmcgrp_ride *ride,
				     const struct pmcgrp_ring *ring,
				     const struct pmcgrp_cause *cause,
				     const struct perf_event *event)
{
	return event && ring->plain && ride->on && !cause->pace.told &&
	       !(ring->lost | atomic_long_read(&ring->missed)) && !pmcgrp_is_throttled(event);
}

static __always_inline bool shoot(struct pmcgrp_ride *ride, struct pmcgrp_ring *ring,
				  struct pmcgrp_cause *cause, struct perf_event *event,
				  const struct perf_sample_data *data, struct pt_regs *regs)
{
	if (likely(is_usual(ride, ring, cause, event)) &&
	    likely(shoot_usual(ride, ring, cause, event, data, regs)))
		return true;
	return pmcgrp_shoot_any(ride, ring, cause, event, data, regs);
}

/* A trigger that could not be served; a late request by hand is none. */
static bool miss(struct pmcgrp_ring *ring, const struct perf_event *event)
{
	if (event)
		atomic_long_inc(&ring->missed);
	return false;
}

/* Nothing happens where the group is not enabled or not mapped. */
static __always_inline bool record(struct pmcgrp_cause *cause, struct perf_event *event,
				   const struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct pmcgrp_row *row = pmcgrp_row_here(cause->group);
	struct pmcgrp_ring *ring = pmcgrp_ring_here(row);
	struct pmcgrp_ride *ride;
	bool done = false;

	if (!ring) {
		/* What there was before a mapping is not missed in it. */
		if (event)
			cause->pace.seen = 0;
		return false;
	}
	if (!pmcgrp_quiet_try())
		return miss(ring, event);
	ride = row->in;
	if (ride && ride->joined &&
	    !(ride->on && ride->nr_hw && pmcgrp_slots_may_move(ride->slot, ride->nr_hw)))
		done = shoot(ride, ring, cause, event, data, regs);
	else if (READ_ONCE(cause->group->active))
		miss(ring, event);
	pmcgrp_quiet_end();
	return done;
}

/**
 * pmcgrp_record_overflow - a trigger's event takes a snapshot of what its group does here
 * @event: the event, whose context is its struct pmcgrp_cause, of a group with rings
 * @data: of its overflow
 * @regs: where the CPU was
 *
 * Context: preemption off, anything else; NMI included.
 */
void pmcgrp_record_overflow(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	record(event->overflow_handler_context, event, data, regs);
	local_irq_restore(flags);
}

/**
 * pmcgrp_record_by_hand - the same because somebody asks for it
 * @cause: of a group with rings; several CPUs may have the same
 *
 * Context: interrupts off.
 * Return: whether there is a record of it.
 */
bool pmcgrp_record_by_hand(struct pmcgrp_cause *cause)
{
	return record(cause, NULL, NULL, NULL);
}
