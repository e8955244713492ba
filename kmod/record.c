// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records: a snapshot of a group, and what must be told beside it, in a ring.
 *
 * The layout is that of perf_event_open(2) (kernel/events/core.c: perf_output_sample(),
 * __perf_event__output_id_sample(), perf_log_throttle()), so that whoever reads perf's
 * rings reads these.
 *
 * This is the hot path of triggers: interrupts off, in any context that a trigger may come in,
 * NMI included, with any lock held.  It changes nothing but the ring: a
 * snapshot is computed beside what its ride has accounted (pmcgrp_ride_peek()).  One
 * that comes in the midst of another, or of a change of this CPU's rides, is dropped and
 * counted; so whatever is seen is whole, and a ring has one writer.
 */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "group.h"
#include "pace.h"
#include "quiet.h"
#include "read.h"
#include "record.h"
#include "ride.h"
#include "ring.h"
#include "rings.h"

/* header, and what PMCGRP_SAMPLE_TYPES has besides READ; then the others with a sample_id */
#define SAMPLE_WORDS	(1 + 9 + PMCGRP_READ_WORDS_MAX)
#define OTHER_WORDS	(4 + 6)
/* A sample, and one of LOST, LOST_SAMPLES, UNTHROTTLE and THROTTLE. */
#define WORDS_MAX	(SAMPLE_WORDS + 4 * OTHER_WORDS)

/**
 * struct scratch - what one snapshot takes; this CPU's, while it is quiet
 * @look: the ride
 * @out: records that go over the end of the ring
 */
struct scratch {
	struct pmcgrp_look	look;
	u64			out[WORDS_MAX];
};

static struct scratch __percpu *scratch;

/**
 * pmcgrp_record_init - once, before there is any group
 *
 * Return: 0, or -ENOMEM.
 */
int pmcgrp_record_init(void)
{
	scratch = alloc_percpu(struct scratch);
	return scratch ? 0 : -ENOMEM;
}

/**
 * pmcgrp_record_exit - no group is left
 */
void pmcgrp_record_exit(void)
{
	free_percpu(scratch);
}

/**
 * struct shot - a snapshot on its way into the ring
 * @rings: what its records look like
 * @cause: why
 * @view: what it shows
 * @now: when
 */
struct shot {
	const struct pmcgrp_rings	*rings;
	const struct pmcgrp_cause	*cause;
	struct pmcgrp_view		view;
	u64				now;
};

static u64 word_of(u32 low, u32 high)
{
	const u32 pair[2] = { low, high };
	u64 word;

	memcpy(&word, pair, sizeof(word));
	return word;
}

static u64 header_word(u32 type, u16 misc, size_t size)
{
	const struct perf_event_header header = { .type = type, .misc = misc, .size = size };
	u64 word;

	memcpy(&word, &header, sizeof(word));
	return word;
}

/* As perf_event_pid_type(): -1 for a task that has none any more. */
static u32 pid_here(const struct pmcgrp_rings *rings, enum pid_type type)
{
	u32 nr;

	/* What the kernel itself calls it, which is there without looking it up. */
	if (likely(rings->ns == &init_pid_ns))
		nr = type == PIDTYPE_PID ? task_pid_nr(current) : task_tgid_nr(current);
	else
		nr = __task_pid_nr_ns(current, type, rings->ns);
	return pid_alive(current) ? nr : -1;
}

static u64 tid_word(const struct pmcgrp_rings *rings)
{
	return word_of(pid_here(rings, PIDTYPE_TGID), pid_here(rings, PIDTYPE_PID));
}

/* Behind a record that is not a sample. */
static unsigned int put_sample_id(u64 *out, const struct shot *shot)
{
	u64 type = shot->rings->sample_type;
	unsigned int n = 0;

	if (type & PERF_SAMPLE_TID)
		out[n++] = tid_word(shot->rings);
	if (type & PERF_SAMPLE_TIME)
		out[n++] = shot->now;
	if (type & PERF_SAMPLE_ID)
		out[n++] = shot->cause->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		out[n++] = shot->cause->id;
	if (type & PERF_SAMPLE_CPU)
		out[n++] = word_of(smp_processor_id(), 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		out[n++] = shot->cause->id;
	return n;
}

/* A record of some words and a sample_id. */
static unsigned int put_other(u64 *out, const struct shot *shot, u32 type, const u64 *words,
			      unsigned int nr)
{
	size_t size = (1 + nr + shot->rings->id_words) * sizeof(u64);

	out[0] = header_word(type, 0, size);
	memcpy(out + 1, words, nr * sizeof(u64));
	return 1 + nr + put_sample_id(out + 1 + nr, shot);
}

static unsigned int put_lost(u64 *out, const struct shot *shot, u64 lost)
{
	const u64 words[] = { shot->cause->id, lost };

	return put_other(out, shot, PERF_RECORD_LOST, words, ARRAY_SIZE(words));
}

static unsigned int put_missed(u64 *out, const struct shot *shot, u64 missed)
{
	return put_other(out, shot, PERF_RECORD_LOST_SAMPLES, &missed, 1);
}

static unsigned int put_throttle(u64 *out, const struct shot *shot, u32 type)
{
	const u64 words[] = { shot->now, shot->cause->id, shot->cause->id };

	return put_other(out, shot, type, words, ARRAY_SIZE(words));
}

static u16 misc_of(const struct pmcgrp_cause *cause)
{
	return cause->regs && user_mode((struct pt_regs *)cause->regs) ? PERF_RECORD_MISC_USER :
									 PERF_RECORD_MISC_KERNEL;
}

static unsigned int put_sample(u64 *out, const struct shot *shot)
{
	const struct pmcgrp_rings *rings = shot->rings;
	const struct pmcgrp_cause *cause = shot->cause;
	u64 type = rings->sample_type;
	unsigned int n = 0;

	out[n++] = header_word(PERF_RECORD_SAMPLE, misc_of(cause), rings->sample_size);
	if (type & PERF_SAMPLE_IDENTIFIER)
		out[n++] = cause->id;
	if (type & PERF_SAMPLE_IP)
		out[n++] = cause->regs ? instruction_pointer((struct pt_regs *)cause->regs) : 0;
	if (type & PERF_SAMPLE_TID)
		out[n++] = tid_word(rings);
	if (type & PERF_SAMPLE_TIME)
		out[n++] = shot->now;
	if (type & PERF_SAMPLE_ADDR)
		out[n++] = cause->addr;
	if (type & PERF_SAMPLE_ID)
		out[n++] = cause->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		out[n++] = cause->id;
	if (type & PERF_SAMPLE_CPU)
		out[n++] = word_of(smp_processor_id(), 0);
	if (type & PERF_SAMPLE_PERIOD)
		out[n++] = cause->period;
	if (type & PERF_SAMPLE_READ)
		n += pmcgrp_view_put(out + n, &shot->view);
	return n;
}

static unsigned int put_compact(u64 *out, const struct shot *shot, u16 flags)
{
	const struct pmcgrp_view *view = &shot->view;
	struct pmcgrp_compact head = {
		.type		= PMCGRP_RECORD_COMPACT,
		.misc		= misc_of(shot->cause),
		.size		= shot->rings->sample_size,
		.time		= shot->now,
		.tid		= pid_here(shot->rings, PIDTYPE_PID),
		.trigger	= shot->cause->index,
		.flags		= flags,
	};
	unsigned int i, n = sizeof(head) / sizeof(u64);

	memcpy(out, &head, sizeof(head));
	for (i = 0; i < view->group->nr; i++)
		out[n++] = pmcgrp_view_count(view, i);
	return n;
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

static inline unsigned int put_gaps(u64 *out, const struct shot *shot, const struct beside *beside)
{
	unsigned int n = 0;

	if (beside->lost)
		n += put_lost(out, shot, beside->lost);
	if (beside->missed)
		n += put_missed(out + n, shot, beside->missed);
	return n;
}

static unsigned int put_all(u64 *out, const struct shot *shot, const struct beside *beside,
			    u16 flags)
{
	unsigned int n = put_gaps(out, shot, beside);

	if (beside->unthrottle)
		n += put_throttle(out + n, shot, PERF_RECORD_UNTHROTTLE);
	if (shot->rings->flags & PMCGRP_RING_COMPACT)
		n += put_compact(out + n, shot, flags);
	else
		n += put_sample(out + n, shot);
	if (beside->throttle)
		n += put_throttle(out + n, shot, PERF_RECORD_THROTTLE);
	return n;
}

/* What has been told of @ring is over. */
static void gaps_are_told(struct pmcgrp_ring *ring, const struct beside *beside)
{
	ring->lost = 0;
	if (beside->missed)
		atomic_long_sub(beside->missed, &ring->missed);
}

static bool write_shot(struct pmcgrp_ring *ring, const struct shot *shot)
{
	u64 gap = shot->view.at->enabled - shot->view.at->running;
	struct pmcgrp_pace *pace = shot->cause->pace;
	struct beside beside = {
		.lost		= ring->lost,
		.missed		= atomic_long_read(&ring->missed),
		.unthrottle	= pace && pace->told,
		.throttle	= shot->cause->throttled,
	};
	u64 *spare = this_cpu_ptr(scratch)->out, *out;
	size_t size;

	size = shot->rings->sample_size + beside_words(&beside, shot->rings) * sizeof(u64);
	out = pmcgrp_ring_reserve(ring, size, spare);
	if (!out) {
		pmcgrp_ring_lose(ring);
		return false;
	}
	WARN_ON_ONCE(put_all(out, shot, &beside, gap == ring->gap ? 0 : PMCGRP_COMPACT_GAP) *
			     sizeof(u64) !=
		     size);
	pmcgrp_ring_commit(ring, size, spare);
	gaps_are_told(ring, &beside);
	ring->gap = gap;
	if (pace)
		pace->told = beside.throttle;
	return true;
}

static bool shoot(struct pmcgrp_group *group, struct pmcgrp_ride *ride, struct pmcgrp_ring *ring,
		  const struct pmcgrp_cause *cause)
{
	struct scratch *mine = this_cpu_ptr(scratch);
	struct pmcgrp_snapshot *at = &mine->look.at;
	struct shot shot = {
		.rings	= ring->rings,
		.cause	= cause,
		.view	= { .group = group, .at = at, .zero = ride->zero ?: &group->zero },
	};
	struct pmcgrp_pace *pace = cause->pace;
	u64 missed;

	pmcgrp_ride_peek(ride, &mine->look);
	shot.now = mine->look.here.now;
	if (pace && pace->period) {
		missed = pmcgrp_pace_hit(pace, ride->stays, cause->due, shot.now, at->enabled);
		if (missed)
			atomic_long_add(missed, &ring->missed);
		pace->throttled = cause->throttled;
	}
	return write_shot(ring, &shot);
}

/* A trigger that could not be served; a late request by hand is none. */
static bool miss(struct pmcgrp_ring *ring, const struct pmcgrp_cause *cause)
{
	if (cause->pace)
		atomic_long_inc(&ring->missed);
	return false;
}

/**
 * pmcgrp_record - take a snapshot of what a group does here, into its ring
 * @group: the group, which has rings
 * @cause: why
 *
 * Nothing happens where it is not enabled or not mapped.
 *
 * Context: interrupts off, anything else; NMI included.
 * Return: whether there is a record of it.
 */
bool pmcgrp_record(struct pmcgrp_group *group, const struct pmcgrp_cause *cause)
{
	struct pmcgrp_ring *ring = pmcgrp_ring_here(group);
	struct pmcgrp_ride *ride;
	bool done = false;

	if (!ring) {
		/* What there was before a mapping is not missed in it. */
		if (cause->pace)
			cause->pace->seen = 0;
		return false;
	}
	if (!pmcgrp_quiet_try())
		return miss(ring, cause);
	ride = pmcgrp_row_here(group)->in;
	if (ride && ride->joined)
		done = shoot(group, ride, ring, cause);
	else if (READ_ONCE(group->active))
		miss(ring, cause);
	pmcgrp_quiet_leave();
	return done;
}

static bool ring_has_gaps(const struct pmcgrp_ring *ring)
{
	return ring && (ring->lost || atomic_long_read(&ring->missed));
}

/* Where there is no room, the next sample or the next call tells. */
static void write_gaps_here(void *info)
{
	struct pmcgrp_group *group = info;
	struct pmcgrp_ring *ring = pmcgrp_ring_here(group);
	const struct pmcgrp_cause cause = { .id = group->leader.id };
	const struct shot shot = {
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
	spare = this_cpu_ptr(scratch)->out;
	out = pmcgrp_ring_reserve(ring, size, spare);
	if (out) {
		put_gaps(out, &shot, &beside);
		pmcgrp_ring_commit(ring, size, spare);
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
