// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of any kind: what record.c has no short way for, and what must be told beside a
 * snapshot.  In the same contexts.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "group.h"
#include "pace.h"
#include "quiet.h"
#include "record.h"
#include "ride.h"
#include "ring.h"
#include "rings.h"
#include "shot.h"
#include "view.h"

/* Each of these returns where the next word goes. */

/* Behind a record that is not a sample. */
static u64 *put_sample_id(u64 *out, const struct pmcgrp_shot *shot)
{
	u64 type = shot->rings->sample_type;

	if (type & PERF_SAMPLE_TID)
		*out++ = pmcgrp_tid_word(shot->rings);
	if (type & PERF_SAMPLE_TIME)
		*out++ = shot->now;
	if (type & PERF_SAMPLE_ID)
		*out++ = shot->cause->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*out++ = shot->cause->id;
	if (type & PERF_SAMPLE_CPU)
		*out++ = pmcgrp_word(smp_processor_id(), 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*out++ = shot->cause->id;
	return out;
}

/* A record of some words and a sample_id. */
static u64 *put_other(u64 *out, const struct pmcgrp_shot *shot, u32 type, const u64 *words,
		      unsigned int nr)
{
	*out++ = pmcgrp_header_word(type, 0, (1 + nr + shot->rings->id_words) * sizeof(u64));
	memcpy(out, words, nr * sizeof(u64));
	return put_sample_id(out + nr, shot);
}

static u64 *put_lost(u64 *out, const struct pmcgrp_shot *shot, u64 lost)
{
	const u64 words[] = { shot->cause->id, lost };

	return put_other(out, shot, PERF_RECORD_LOST, words, ARRAY_SIZE(words));
}

static u64 *put_missed(u64 *out, const struct pmcgrp_shot *shot, u64 missed)
{
	return put_other(out, shot, PERF_RECORD_LOST_SAMPLES, &missed, 1);
}

static u64 *put_throttle(u64 *out, const struct pmcgrp_shot *shot, u32 type)
{
	const u64 words[] = { shot->now, shot->cause->id, shot->cause->id };

	return put_other(out, shot, type, words, ARRAY_SIZE(words));
}

static u64 *put_sample(u64 *out, const struct pmcgrp_shot *shot)
{
	out = pmcgrp_put_head(out, shot);
	if (shot->rings->sample_type & PERF_SAMPLE_READ)
		out = pmcgrp_view_put(out, &shot->view);
	return out;
}

/* As pmcgrp_tid_word(), of the thread alone. */
static u32 tid_here(const struct pmcgrp_rings *rings)
{
	return likely(pid_alive(current)) ? pmcgrp_number_here(rings, PIDTYPE_PID) : -1;
}

static u64 *put_compact(u64 *out, const struct pmcgrp_shot *shot, struct pmcgrp_ring *ring)
{
	const struct pmcgrp_view *view = &shot->view;
	const struct pmcgrp_member_state *member = view->group->member;
	const struct pmcgrp_member_state *end = member + view->group->nr;
	u64 gap = view->at->enabled - view->at->running;
	struct pmcgrp_compact head = {
		.type		= PMCGRP_RECORD_COMPACT,
		.misc		= pmcgrp_misc_of(shot->regs),
		.size		= shot->rings->sample_size,
		.time		= shot->now,
		.tid		= tid_here(shot->rings),
		.trigger	= shot->cause->index,
		.flags		= gap == ring->gap ? 0 : PMCGRP_COMPACT_GAP,
	};

	ring->gap = gap;
	memcpy(out, &head, sizeof(head));
	out += sizeof(head) / sizeof(u64);
	for (; member < end; member++)
		*out++ = pmcgrp_view_count(view, member);
	return out;
}

/**
 * pmcgrp_record_size - how large a group's samples or compact records are, in bytes
 * @group: the group, complete
 * @rings: what they look like
 */
size_t pmcgrp_record_size(const struct pmcgrp_group *group, const struct pmcgrp_rings *rings)
{
	size_t size = sizeof(struct perf_event_header);

	if (rings->flags & PMCGRP_RING_COMPACT)
		return sizeof(struct pmcgrp_compact) + group->nr * sizeof(u64);
	size += hweight64(rings->sample_type & ~(u64)PERF_SAMPLE_READ) * sizeof(u64);
	if (rings->sample_type & PERF_SAMPLE_READ)
		size += pmcgrp_read_size(group->read_format, group->nr);
	return size;
}

/**
 * struct beside - what has to be told beside a sample
 * @lost: samples that found no room
 * @missed: snapshots that were not taken
 * @unthrottle: perf core has let the trigger go on
 * @throttle: perf core has stopped it
 */
struct beside {
	u64	lost;
	u64	missed;
	bool	unthrottle;
	bool	throttle;
};

static inline unsigned int beside_words(const struct beside *beside,
					const struct pmcgrp_rings *rings)
{
	unsigned int id = rings->id_words, n = 0;

	if (beside->lost)
		n += 3 + id;
	if (beside->missed)
		n += 2 + id;
	if (beside->unthrottle)
		n += 4 + id;
	if (beside->throttle)
		n += 4 + id;
	return n;
}

static u64 *put_gaps(u64 *out, const struct pmcgrp_shot *shot, const struct beside *beside)
{
	if (beside->lost)
		out = put_lost(out, shot, beside->lost);
	if (beside->missed)
		out = put_missed(out, shot, beside->missed);
	return out;
}

/* What has been told of @ring is over. */
static void gaps_are_told(struct pmcgrp_ring *ring, const struct beside *beside)
{
	ring->lost = 0;
	if (beside->missed)
		atomic_long_sub(beside->missed, &ring->missed);
}

/* A snapshot of any kind, and what there is to be told beside it. */
static bool write_beside(struct pmcgrp_ring *ring, const struct pmcgrp_shot *shot)
{
	struct pmcgrp_pace *pace = shot->event ? &shot->cause->pace : NULL;
	const struct beside beside = {
		.lost		= ring->lost,
		.missed		= atomic_long_read(&ring->missed),
		.unthrottle	= pace && pace->told,
		.throttle	= pace && pmcgrp_is_throttled(shot->event),
	};
	size_t size = shot->rings->sample_size + beside_words(&beside, shot->rings) * sizeof(u64);
	u64 *spare = this_cpu_ptr(pmcgrp_scratch)->out;
	u64 *out = pmcgrp_ring_reserve(ring, size, spare), *end;

	if (!out) {
		pmcgrp_ring_lose(ring);
		return false;
	}
	end = put_gaps(out, shot, &beside);
	if (beside.unthrottle)
		end = put_throttle(end, shot, PERF_RECORD_UNTHROTTLE);
	end = shot->rings->flags & PMCGRP_RING_COMPACT ? put_compact(end, shot, ring) :
							  put_sample(end, shot);
	if (beside.throttle)
		end = put_throttle(end, shot, PERF_RECORD_THROTTLE);
	WARN_ON_ONCE((void *)end - (void *)out != size);
	pmcgrp_ring_commit(ring, size, out, spare);
	gaps_are_told(ring, &beside);
	if (pace)
		pace->told = beside.throttle;
	return true;
}

/**
 * pmcgrp_shoot_any - take a snapshot of a ride that is joined here
 * @ride: the ride
 * @ring: into which
 * @cause: why
 * @event: the trigger's event; NULL by hand
 * @data: of its overflow
 * @regs: where the CPU was, or NULL
 *
 * Context: interrupts off, in a section of pmcgrp_quiet_try(); NMI included.
 * Return: whether there is a record of it.
 */
bool pmcgrp_shoot_any(struct pmcgrp_ride *ride, struct pmcgrp_ring *ring,
		      struct pmcgrp_cause *cause, struct perf_event *event,
		      const struct perf_sample_data *data, struct pt_regs *regs)
{
	struct pmcgrp_group *group = cause->group;
	struct pmcgrp_scratch *mine = this_cpu_ptr(pmcgrp_scratch);
	struct pmcgrp_pace *pace = &cause->pace;
	u64 missed;

	pmcgrp_assert_quiet();
	mine->shot = (struct pmcgrp_shot){
		.rings	= ring->rings,
		.cause	= cause,
		.event	= event,
		.data	= data,
		.regs	= regs,
		.view	= { group, &mine->at, pmcgrp_ride_zero(ride) },
		.now	= pmcgrp_ride_peek(ride, &mine->at, true),
	};
	if (event && pace->period) {
		missed = pmcgrp_pace_hit(pace, ride->stays, pmcgrp_due_of(event), mine->shot.now,
					 mine->at.enabled);
		if (missed)
			atomic_long_add(missed, &ring->missed);
		pace->throttled = pmcgrp_is_throttled(event);
	}
	return write_beside(ring, &mine->shot);
}

static bool ring_has_gaps(const struct pmcgrp_ring *ring)
{
	return ring && (ring->lost || atomic_long_read(&ring->missed));
}

/* Where there is no room, the next sample or the next call tells. */
static void write_gaps_here(void *info)
{
	struct pmcgrp_group *group = info;
	struct pmcgrp_ring *ring = pmcgrp_ring_here(pmcgrp_row_here(group));
	struct pmcgrp_cause cause = { .id = group->leader.id };
	const struct pmcgrp_shot shot = {
		.rings	= group->rings,
		.cause	= &cause,
		.now	= local_clock(),
	};
	struct beside beside = {};
	u64 *spare, *out;
	size_t size;

	if (!ring_has_gaps(ring))
		return;
	pmcgrp_quiet_enter();
	beside.lost = ring->lost;
	beside.missed = atomic_long_read(&ring->missed);
	size = beside_words(&beside, shot.rings) * sizeof(u64);
	spare = this_cpu_ptr(pmcgrp_scratch)->out;
	out = pmcgrp_ring_reserve(ring, size, spare);
	if (out) {
		put_gaps(out, &shot, &beside);
		pmcgrp_ring_commit(ring, size, out, spare);
		gaps_are_told(ring, &beside);
	}
	pmcgrp_quiet_leave();
}

/**
 * pmcgrp_record_gaps - tell what has been lost and missed since the last sample
 * @group: the group, which has rings and is frozen: so nobody else writes to them
 *
 * Context: may sleep; the group's mutex held.
 */
void pmcgrp_record_gaps(struct pmcgrp_group *group)
{
	int cpu;

	lockdep_assert_held(&group->mutex);
	if (!pmcgrp_group_counts_cpus(group)) {
		local_irq_disable();
		write_gaps_here(group);
		local_irq_enable();
		return;
	}
	cpumask_clear(group->where);
	rcu_read_lock();
	for_each_cpu(cpu, group->cpus)
		if (ring_has_gaps(rcu_dereference(pmcgrp_row_of(group, cpu)->ring)))
			cpumask_set_cpu(cpu, group->where);
	rcu_read_unlock();
	on_each_cpu_mask(group->where, write_gaps_here, group, true);
}
