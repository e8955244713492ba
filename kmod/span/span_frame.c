// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls in flight of a program's function, found by their frames.
 *
 * A call is known by its task and the stack pointer at its beginning, which is the same again at
 * each of its exits.  So calls that nest are distinguished, and an exit ends the right one.
 *
 * A call can end without an exit: an exception or a panic unwinds it, longjmp() leaves it, or a
 * runtime moves its stack.  No one reports it.  But stacks grow down: where a call begins or ends,
 * what its task has further down, or at the same place as a new call, has gone
 * (%PMCGRP_MISSED_GONE).
 *
 * A task that runs on several stacks, as coroutines or a handler of signals do, has calls of all of
 * them in one order.  One on a stack further down is then taken for gone as one further up begins
 * or ends, and its own exit finds nothing.  It is missed, not wrong.
 *
 * A task that exits takes nothing out.  Where there is no room the oldest call goes
 * (%PMCGRP_MISSED_LIMIT).
 *
 * Calls are kept in shards, by task.  A shard has a list of them, the youngest first: an exit most
 * often ends the first one of its task.
 *
 * Locks: a shard has a raw spinlock, under which interrupts are off and the counters are read once
 * at a beginning.  No other lock of ours is taken in it; a tracepoint in there may have a span,
 * whose lock (span_tracepoint.c) is then inside.  Handlers of uprobes do not interrupt each other.
 *
 * Context: the task on its way to or from user mode, which may be preempted.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <uapi/linux/pmcgrp.h>
#include "include/linux/pmcgrp.h"
#include "platform/charge.h"
#include "span/section.h"
#include "span/span.h"

#define CALLS_OF_SHARD 64
#define SHARDS_MAX 256U
#define GONE_AT_ONCE 32 /* calls that are taken out before interrupts are let in */
#define SPARE 2 /* places for each call, where tasks may spread unevenly */

/**
 * struct frame - a call in flight
 * @node: in frame_shard.used or .free; frame_shard.lock
 * @task: whose; as @node
 * @sp: stack pointer at its beginning; as @node
 * @mark: the counts at its beginning, of as many events as there are; as @node
 */
struct frame {
	struct list_head node;
	u64 task;
	unsigned long sp;
	struct pmcgrp_section_mark mark;
};

/**
 * struct frame_shard - calls of some tasks
 * @lock: all below
 * @used: calls in flight, the youngest first
 * @free: places for others
 */
struct frame_shard {
	raw_spinlock_t lock;
	struct list_head used;
	struct list_head free;
} ____cacheline_aligned_in_smp;

/**
 * struct pmcgrp_frames - the calls in flight of a span
 * @span: the span.  Constant.
 * @mark_size: bytes of a mark.  Constant.
 * @bits: logarithm of the number of shards.  Constant.
 * @shard: the shards, and behind them all places
 */
struct pmcgrp_frames {
	const struct pmcgrp_span *span;
	size_t mark_size;
	unsigned int bits;
	struct frame_shard shard[];
};

/* One task needs one shard. */
static unsigned int nr_shards(const struct pmcgrp_span *span, unsigned int max_active)
{
	if (span->whose == PMCGRP_SPAN_OF_TASK)
		return 1;
	return rounddown_pow_of_two(clamp(max_active / CALLS_OF_SHARD, 1U, SHARDS_MAX));
}

static size_t frame_size(size_t mark_size)
{
	return ALIGN(offsetof(struct frame, mark) + mark_size, __alignof__(struct frame));
}

static void places_share(struct pmcgrp_frames *frames, unsigned int nr, unsigned int of_shard)
{
	size_t size = frame_size(frames->mark_size);
	void *place = &frames->shard[nr];
	struct frame_shard *shard;
	struct frame *frame;
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		shard = &frames->shard[i];
		raw_spin_lock_init(&shard->lock);
		INIT_LIST_HEAD(&shard->used);
		INIT_LIST_HEAD(&shard->free);
		for (k = 0; k < of_shard; k++, place += size) {
			frame = place;
			list_add(&frame->node, &shard->free);
		}
	}
}

/**
 * pmcgrp_frames_alloc - make room for calls in flight
 * @span: whose; it stays where it is
 * @max_active: how many calls are to have room, 1 or more
 * @why: out: enum pmcgrp_why of a failure
 *
 * Context: may sleep.
 * Return: the room, for kvfree(), or an ERR_PTR as of pmcgrp_charge_alloc_in_flight().
 */
struct pmcgrp_frames *pmcgrp_frames_alloc(const struct pmcgrp_span *span, unsigned int max_active,
					  u32 *why)
{
	unsigned int nr = nr_shards(span, max_active);
	unsigned int of_shard = DIV_ROUND_UP(max_active * (nr > 1 ? SPARE : 1), nr);
	size_t places = (size_t)nr * of_shard * frame_size(pmcgrp_span_mark_size(span));
	struct pmcgrp_frames *frames;

	frames = pmcgrp_charge_alloc_in_flight(&span->section->charge,
					       struct_size(frames, shard, nr) + places, why);
	if (IS_ERR(frames))
		return frames;
	frames->span = span;
	frames->mark_size = pmcgrp_span_mark_size(span);
	frames->bits = ilog2(nr);
	places_share(frames, nr, of_shard);
	return frames;
}

/* A pid is used again, but by a task that has begun later. */
static u64 task_here(void)
{
	u32 since = current->start_time >> 10; /* about microseconds */

	return (u64)current->pid << 32 | since;
}

static struct frame_shard *shard_of(struct pmcgrp_frames *frames, u64 task)
{
	/* Of so many bits, which may be none: hash_64() wants one or more. */
	return &frames->shard[hash_64(task, frames->bits + 1) >> 1];
}

static void lose(struct pmcgrp_frames *frames, struct frame_shard *shard, struct frame *frame,
		 enum pmcgrp_missed why)
{
	lockdep_assert_held(&shard->lock);
	list_move(&frame->node, &shard->free);
	pmcgrp_section_miss(frames->span->section, why);
	this_cpu_inc(frames->span->section->cpu->ended);
}

/* It is this task's. */
static void lose_gone(struct pmcgrp_frames *frames, struct frame_shard *shard, struct frame *frame)
{
	pmcgrp_span_section_drop(frames->span->section, &frame->mark);
	lose(frames, shard, frame, PMCGRP_MISSED_GONE);
}

/*
 * Take out calls of @task further down than @below, which have gone: GONE_AT_ONCE of them at most.
 * Return: its youngest call that is left, or NULL.
 */
static struct frame *lose_below(struct pmcgrp_frames *frames, struct frame_shard *shard, u64 task,
				unsigned long below)
{
	unsigned int most = GONE_AT_ONCE;
	struct frame *frame, *next;

	lockdep_assert_held(&shard->lock);
	list_for_each_entry_safe(frame, next, &shard->used, node) {
		if (frame->task != task)
			continue;
		/* Those behind it are further up: a new one is in front, and furthest down. */
		if (frame->sp >= below || !most--)
			return frame;
		lose_gone(frames, shard, frame);
	}
	return NULL;
}

static struct frame *take_place(struct pmcgrp_frames *frames, struct frame_shard *shard)
{
	struct frame *frame;

	lockdep_assert_held(&shard->lock);
	if (unlikely(list_empty(&shard->free))) {
		frame = list_last_entry(&shard->used, struct frame, node);
		lose(frames, shard, frame, PMCGRP_MISSED_LIMIT);
	}
	return list_first_entry(&shard->free, struct frame, node);
}

/* Return: whether it has to be called again, as many calls have gone. */
static bool frame_begin_in(struct pmcgrp_frames *frames, struct frame_shard *shard, u64 task,
			   unsigned long sp)
{
	struct pmcgrp_section *section = frames->span->section;
	struct pmcgrp_section_mark mark;
	struct frame *frame;

	lockdep_assert_held(&shard->lock);
	frame = lose_below(frames, shard, task, sp + 1);
	if (frame && frame->sp <= sp)
		return true;
	/* Before another call's place is taken: there may be nothing to count. */
	if (unlikely(pmcgrp_span_section_begin(section, &mark)))
		return false;
	frame = take_place(frames, shard);
	pmcgrp_section_mark_copy(&frame->mark, &mark, frames->mark_size);
	frame->task = task;
	frame->sp = sp;
	list_move(&frame->node, &shard->used);
	this_cpu_inc(section->cpu->begun);
	return false;
}

/**
 * pmcgrp_frame_begin - the running task begins a call: note it, if it concerns the group
 * @frames: those of the span
 * @sp: its stack pointer
 *
 * Context: a handler of a uprobe.
 * Return: whether it concerns the group.
 */
bool pmcgrp_frame_begin(struct pmcgrp_frames *frames, unsigned long sp)
{
	u64 task = task_here();
	struct frame_shard *shard = shard_of(frames, task);
	bool concerns, again = false;
	unsigned long flags;

	do {
		local_irq_save(flags);
		concerns = pmcgrp_span_concerns(frames->span);
		if (concerns) {
			raw_spin_lock(&shard->lock);
			again = frame_begin_in(frames, shard, task, sp);
			raw_spin_unlock(&shard->lock);
		}
		local_irq_restore(flags);
	} while (concerns && again);
	return concerns;
}

/*
 * Take out the call that began at @sp, and those of the same task further down, which have gone.
 * Return: whether it was known.  @again: out: as frame_begin_in().
 */
static bool frame_take_out(struct pmcgrp_frames *frames, struct frame_shard *shard, u64 task,
			   unsigned long sp, struct pmcgrp_section_mark *mark, bool *again)
{
	struct frame *frame;

	lockdep_assert_held(&shard->lock);
	frame = lose_below(frames, shard, task, sp);
	*again = frame && frame->sp < sp;
	if (!frame || frame->sp != sp)
		return false;
	pmcgrp_section_mark_copy(mark, &frame->mark, frames->mark_size);
	list_move(&frame->node, &shard->free);
	return true;
}

/**
 * pmcgrp_frame_end - the running task is at an exit of a call: count it, if it is known
 * @frames: those of the span
 * @sp: its stack pointer, that of the call's beginning
 *
 * The section ends without the lock: who listens to its trace event may take locks.
 *
 * Context: a handler of a uprobe.
 * Return: whether it was known.
 */
bool pmcgrp_frame_end(struct pmcgrp_frames *frames, unsigned long sp)
{
	struct pmcgrp_section *section = frames->span->section;
	u64 task = task_here();
	struct frame_shard *shard = shard_of(frames, task);
	struct pmcgrp_section_mark mark;
	unsigned long flags;
	bool known, again;

	/* What this task has put there it sees. */
	if (list_empty_careful(&shard->used))
		return false;
	do {
		local_irq_save(flags);
		raw_spin_lock(&shard->lock);
		known = frame_take_out(frames, shard, task, sp, &mark, &again);
		raw_spin_unlock(&shard->lock);
		if (likely(known)) {
			pmcgrp_span_section_end(section, &mark);
			this_cpu_inc(section->cpu->ended);
		}
		local_irq_restore(flags);
	} while (again);
	return known;
}
