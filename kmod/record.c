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
#include "view.h"

/* header, and what PMCGRP_SAMPLE_TYPES has besides READ; then the others with a sample_id */
#define SAMPLE_WORDS	(1 + 9 + PMCGRP_READ_WORDS_MAX)
#define OTHER_WORDS	(4 + 6)
/* A sample, and one of LOST, LOST_SAMPLES, UNTHROTTLE and THROTTLE. */
#define WORDS_MAX	(SAMPLE_WORDS + 4 * OTHER_WORDS)

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

/**
 * struct scratch - what one snapshot takes; this CPU's, while it is quiet
 * @shot: the snapshot
 * @at: what the ride shows
 * @out: records that go over the end of the ring
 */
struct scratch {
	struct shot		shot;
	struct pmcgrp_snapshot	at;
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

/* A task's number where the rings were made; there may be none any more. */
static __always_inline u32 number_here(const struct pmcgrp_rings *rings, enum pid_type type)
{
	/* What the kernel itself calls it, which is there without looking it up. */
	if (likely(rings->ns == &init_pid_ns))
		return type == PIDTYPE_PID ? task_pid_nr(current) : task_tgid_nr(current);
	return __task_pid_nr_ns(current, type, rings->ns);
}

/* As perf_event_pid_type(): -1 for a task that has none any more. */
static u32 tid_here(const struct pmcgrp_rings *rings)
{
	return likely(pid_alive(current)) ? number_here(rings, PIDTYPE_PID) : -1;
}

static __always_inline u64 tid_word(const struct pmcgrp_rings *rings)
{
	if (unlikely(!pid_alive(current)))
		return -1;
	return word_of(number_here(rings, PIDTYPE_TGID), number_here(rings, PIDTYPE_PID));
}

/* Each of these returns where the next word goes. */

/* Behind a record that is not a sample. */
static u64 *put_sample_id(u64 *out, const struct shot *shot)
{
	u64 type = shot->rings->sample_type;

	if (type & PERF_SAMPLE_TID)
		*out++ = tid_word(shot->rings);
	if (type & PERF_SAMPLE_TIME)
		*out++ = shot->now;
	if (type & PERF_SAMPLE_ID)
		*out++ = shot->cause->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*out++ = shot->cause->id;
	if (type & PERF_SAMPLE_CPU)
		*out++ = word_of(smp_processor_id(), 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*out++ = shot->cause->id;
	return out;
}

/* A record of some words and a sample_id. */
static u64 *put_other(u64 *out, const struct shot *shot, u32 type, const u64 *words,
		      unsigned int nr)
{
	*out++ = header_word(type, 0, (1 + nr + shot->rings->id_words) * sizeof(u64));
	memcpy(out, words, nr * sizeof(u64));
	return put_sample_id(out + nr, shot);
}

static u64 *put_lost(u64 *out, const struct shot *shot, u64 lost)
{
	const u64 words[] = { shot->cause->id, lost };

	return put_other(out, shot, PERF_RECORD_LOST, words, ARRAY_SIZE(words));
}

static u64 *put_missed(u64 *out, const struct shot *shot, u64 missed)
{
	return put_other(out, shot, PERF_RECORD_LOST_SAMPLES, &missed, 1);
}

static u64 *put_throttle(u64 *out, const struct shot *shot, u32 type)
{
	const u64 words[] = { shot->now, shot->cause->id, shot->cause->id };

	return put_other(out, shot, type, words, ARRAY_SIZE(words));
}

static u16 misc_of(const struct pmcgrp_cause *cause)
{
	return cause->regs && user_mode((struct pt_regs *)cause->regs) ? PERF_RECORD_MISC_USER :
									 PERF_RECORD_MISC_KERNEL;
}

static __always_inline u64 *put_sample(u64 *out, const struct shot *shot)
{
	const struct pmcgrp_rings *rings = shot->rings;
	const struct pmcgrp_cause *cause = shot->cause;
	u64 type = rings->sample_type;

	*out++ = header_word(PERF_RECORD_SAMPLE, misc_of(cause), rings->sample_size);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*out++ = cause->id;
	if (type & PERF_SAMPLE_IP)
		*out++ = cause->regs ? instruction_pointer((struct pt_regs *)cause->regs) : 0;
	if (type & PERF_SAMPLE_TID)
		*out++ = tid_word(rings);
	if (type & PERF_SAMPLE_TIME)
		*out++ = shot->now;
	if (type & PERF_SAMPLE_ADDR)
		*out++ = cause->addr;
	if (type & PERF_SAMPLE_ID)
		*out++ = cause->id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*out++ = cause->id;
	if (type & PERF_SAMPLE_CPU)
		*out++ = word_of(smp_processor_id(), 0);
	if (type & PERF_SAMPLE_PERIOD)
		*out++ = cause->period;
	if (type & PERF_SAMPLE_READ)
		out = pmcgrp_view_put(out, &shot->view);
	return out;
}

static u64 *put_compact(u64 *out, const struct shot *shot, struct pmcgrp_ring *ring)
{
	const struct pmcgrp_view *view = &shot->view;
	const struct pmcgrp_member_state *member = view->group->member;
	const struct pmcgrp_member_state *end = member + view->group->nr;
	u64 gap = view->at->enabled - view->at->running;
	struct pmcgrp_compact head = {
		.type		= PMCGRP_RECORD_COMPACT,
		.misc		= misc_of(shot->cause),
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

static u64 *put_gaps(u64 *out, const struct shot *shot, const struct beside *beside)
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
static noinline bool write_beside(struct pmcgrp_ring *ring, const struct shot *shot)
{
	struct pmcgrp_pace *pace = shot->cause->pace;
	const struct beside beside = {
		.lost		= ring->lost,
		.missed		= atomic_long_read(&ring->missed),
		.unthrottle	= pace && pace->told,
		.throttle	= shot->cause->throttled,
	};
	size_t size = shot->rings->sample_size + beside_words(&beside, shot->rings) * sizeof(u64);
	u64 *spare = this_cpu_ptr(scratch)->out;
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

static __always_inline bool write_sample(struct pmcgrp_ring *ring, const struct shot *shot)
{
	size_t size = shot->rings->sample_size;
	u64 *spare = this_cpu_ptr(scratch)->out;
	u64 *out = pmcgrp_ring_reserve(ring, size, spare), *end;

	if (unlikely(!out)) {
		pmcgrp_ring_lose(ring);
		return false;
	}
	end = put_sample(out, shot);
	WARN_ON_ONCE((void *)end - (void *)out != size);
	pmcgrp_ring_commit(ring, size, out, spare);
	return true;
}

static bool is_plain(const struct pmcgrp_ring *ring, const struct shot *shot)
{
	const struct pmcgrp_pace *pace = shot->cause->pace;

	return !(shot->rings->flags & PMCGRP_RING_COMPACT || ring->lost ||
		 atomic_long_read(&ring->missed) || shot->cause->throttled ||
		 (pace && pace->told));
}

/* Nearly always it is a sample with nothing beside it, which then is made in registers. */
static __always_inline bool shoot(struct pmcgrp_group *group, struct pmcgrp_ride *ride,
				  struct pmcgrp_ring *ring, const struct pmcgrp_cause *cause)
{
	struct scratch *mine = this_cpu_ptr(scratch);
	struct pmcgrp_pace *pace = cause->pace;
	u64 now = pmcgrp_ride_peek(ride, &mine->at), missed;
	const struct shot shot = {
		.rings	= ring->rings,
		.cause	= cause,
		.view	= { group, &mine->at, ride->zero ?: &group->zero },
		.now	= now,
	};

	if (pace && pace->period) {
		missed = pmcgrp_pace_hit(pace, ride->stays, cause->due, now, mine->at.enabled);
		if (unlikely(missed))
			atomic_long_add(missed, &ring->missed);
		pace->throttled = cause->throttled;
	}
	if (likely(is_plain(ring, &shot)))
		return write_sample(ring, &shot);
	mine->shot = shot;
	return write_beside(ring, &mine->shot);
}

/* A trigger that could not be served; a late request by hand is none. */
static bool miss(struct pmcgrp_ring *ring, const struct pmcgrp_cause *cause)
{
	if (cause->pace)
		atomic_long_inc(&ring->missed);
	return false;
}

/* Where what a group does in this row is recorded, or NULL; interrupts are off meanwhile. */
static struct pmcgrp_ring *ring_of(const struct pmcgrp_row *row)
{
	lockdep_assert_irqs_disabled();
	return rcu_dereference_check(row->ring, irqs_disabled());
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
	const struct pmcgrp_row *row = pmcgrp_row_here(group);
	struct pmcgrp_ring *ring = ring_of(row);
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
	ride = row->in;
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
	struct pmcgrp_ring *ring = ring_of(pmcgrp_row_here(group));
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
