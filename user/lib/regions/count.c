// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * How a thread counts a region: the group is read last in a begin and first in an end, so that few
 * instructions of ours are in between, and the same number each time.
 */
#include <string.h>

#include "regions/process.h"

/* Where the times and the members' values are in a read of the full format. */
#define WORD_ENABLED 1
#define WORD_RUNNING 2
#define WORD_MEMBER(i) (3 + 2 * (i))

static inline bool read_group(struct region_thread *t, uint64_t *words)
{
	return t->group &&
	       pmcgrp_group_read_user(t->group, words, (size_t)t->read_size) == t->read_size;
}

/*
 * A page that has expired is renewed by a system call. What comes after that is not what comes
 * after a direct read, so at a begin the group is read once more, and what follows is the same.
 */
static inline bool read_begin(struct region_thread *t, uint64_t *words)
{
	bool ok, again = false;
	unsigned int seq;

	if (!t->page)
		return read_group(t, words);
	for (;;) {
		seq = REGION_READ_ONCE(t->page->seq);
		ok = read_group(t, words);
		if (!region_unlikely(REGION_READ_ONCE(t->page->seq) != seq) || again)
			return ok;
		again = true;
	}
}

/*
 * At an end nothing can be done about that, but say so. It is not yet known which region is to end:
 * to look for its name first would be counted.
 */
void region_count_read(struct region_thread *t)
{
	unsigned int seq;

	if (!t->depth || t->beyond || region_frame(t, t->depth - 1)->level != 1)
		return;
	t->renewed = false;
	if (!t->page) {
		t->read_ok = read_group(t, t->end_words);
		return;
	}
	seq = REGION_READ_ONCE(t->page->seq);
	t->read_ok = read_group(t, t->end_words);
	t->renewed = REGION_READ_ONCE(t->page->seq) != seq;
}

void region_count_begin(struct region_thread *t, struct region_stats *stats)
{
	struct region_frame *frame = NULL;
	uint64_t *inner, *last;

	stats->calls++;
	if (t->depth)
		frame = region_frame(t, t->depth - 1);
	if (frame && frame->stats == stats && !t->beyond) {
		frame->level++;
		return;
	}
	if (region_unlikely(t->depth == PMCGRP_REGION_DEPTH_MAX)) {
		stats->missed[PMCGRP_REGION_TOO_DEEP]++;
		frame->self_bad = true;
		t->beyond++;
		t->beyond_xor ^= (uintptr_t)stats;
		return;
	}
	frame = region_frame(t, t->depth++);
	frame->stats = stats;
	frame->level = 1;
	frame->self_bad = false;
	frame->drop = 0;
	stats->depth++;
	if (region_unlikely(stats->depth > 1))
		stats->recursed = true;
	inner = region_frame_inner(t, frame);
	for (last = inner + t->nr_members; inner <= last; inner++)
		*inner = 0;
	if (region_unlikely(!read_begin(t, frame->words)))
		frame->drop = 1 + PMCGRP_REGION_UNCOUNTED;
}

/* How much of value @i lies between both reads: 0 is the time. */
static inline uint64_t delta_of(const uint64_t *end, const uint64_t *begin, unsigned int i)
{
	unsigned int word = i ? WORD_MEMBER(i - 1) : WORD_ENABLED;

	return end[word] - begin[word];
}

static inline void add_value(struct region_value *value, uint64_t delta)
{
	value->sum += delta;
	if (delta < value->min)
		value->min = delta;
	if (delta > value->max)
		value->max = delta;
}

static inline void add_count(struct region_count *count, uint64_t delta, uint64_t inner,
			     uint64_t *around)
{
	add_value(&count->value, delta);
	count->value.self += delta - inner;
	*around += delta;
}

/* Its self is kept until the outermost call of the region ends, and is counted or not. */
static void pend(struct region_thread *t, struct region_frame *frame, bool bad)
{
	struct region_stats *stats = frame->stats;
	const uint64_t *inner = region_frame_inner(t, frame);
	unsigned int i;

	stats->pending_bad |= bad;
	for (i = 0; i <= t->nr_members; i++)
		stats->counts[i].pending += delta_of(t->end_words, frame->words, i) - inner[i];
}

static void pending_clear(struct region_thread *t, struct region_stats *stats)
{
	unsigned int i;

	stats->recursed = false;
	stats->pending_bad = false;
	for (i = 0; i <= t->nr_members; i++)
		stats->counts[i].pending = 0;
}

/*
 * The frame above has ended and is not counted: what is around it does not know how much that
 * was.
 */
static void drop(struct region_thread *t, struct region_frame *frame,
		 enum pmcgrp_region_missed reason)
{
	struct region_stats *stats = frame->stats;

	stats->missed[reason]++;
	if (t->depth)
		region_frame(t, t->depth - 1)->self_bad = true;
	if (stats->depth)
		stats->pending_bad = true;
	else if (stats->recursed)
		pending_clear(t, stats);
}

void region_count_drop(struct region_thread *t, enum pmcgrp_region_missed reason)
{
	struct region_frame *frame;
	bool forked;

	while (t->depth) {
		frame = region_frame(t, --t->depth);
		frame->stats->depth--;
		forked = frame->drop == 1 + PMCGRP_REGION_FORKED;
		drop(t, frame, forked ? PMCGRP_REGION_FORKED : reason);
	}
	t->beyond = 0;
	t->beyond_xor = 0;
}

/* An end that does not belong to the innermost frame. */
static void mismatch(struct region_thread *t, struct pmcgrp_region *region)
{
	struct region_stats *stats = region_stats_of(t, region);
	struct region_frame *frame;

	if (!stats)
		return;
	/*
	 * Which of them was wrong nobody knows: neither it nor what is open within it is counted.
	 */
	if (!stats->depth) {
		stats->missed[PMCGRP_REGION_NO_BEGIN]++;
		return;
	}
	do {
		frame = region_frame(t, --t->depth);
		frame->stats->depth--;
		drop(t, frame, PMCGRP_REGION_MISMATCHED);
	} while (frame->stats != stats);
}

/* An end while there are regions without a frame. */
static void end_beyond(struct region_thread *t, struct pmcgrp_region *region)
{
	struct region_stats *stats = region_stats_of(t, region);

	if (!stats)
		return;
	t->beyond--;
	t->beyond_xor ^= (uintptr_t)stats;
	if (!t->beyond && t->beyond_xor)
		region_count_drop(t, PMCGRP_REGION_MISMATCHED);
}

/* All that is not the usual case. The frame is off the stack. */
static void end_slow(struct region_thread *t, struct region_frame *frame)
{
	struct region_stats *stats = frame->stats;
	uint64_t enabled, running;
	unsigned int i;

	if (frame->drop) {
		drop(t, frame, frame->drop - 1);
		return;
	}
	enabled = t->end_words[WORD_ENABLED] - frame->words[WORD_ENABLED];
	running = t->end_words[WORD_RUNNING] - frame->words[WORD_RUNNING];
	if (enabled != running) {
		stats->enabled += enabled;
		stats->running += running;
		drop(t, frame, PMCGRP_REGION_PARTLY);
		return;
	}
	pend(t, frame, frame->self_bad);
	if (t->depth) {
		uint64_t *around = region_frame_inner(t, region_frame(t, t->depth - 1));

		for (i = 0; i <= t->nr_members; i++)
			around[i] += delta_of(t->end_words, frame->words, i);
	}
	if (stats->depth)
		return;
	stats->counted++;
	stats->renewed += t->renewed;
	for (i = 0; i <= t->nr_members; i++) {
		struct region_count *count = &stats->counts[i];

		add_value(&count->value, delta_of(t->end_words, frame->words, i));
		if (!stats->pending_bad)
			count->value.self += count->pending;
	}
	stats->self_missed += stats->pending_bad;
	pending_clear(t, stats);
}

void region_count_end(struct region_thread *t, struct pmcgrp_region *region)
{
	struct region_frame *frame = t->depth ? region_frame(t, t->depth - 1) : NULL;
	const uint64_t *begin, *inner, *end = t->end_words;
	struct region_count *count, *last;
	struct region_stats *stats;
	uint64_t *around;

	if (region_unlikely(t->beyond)) {
		end_beyond(t, region);
		return;
	}
	if (region_unlikely(!frame || frame->stats->region != region)) {
		mismatch(t, region);
		return;
	}
	if (--frame->level)
		return;
	if (region_unlikely(!t->read_ok && !frame->drop))
		frame->drop = 1 + PMCGRP_REGION_UNCOUNTED;
	stats = frame->stats;
	stats->depth--;
	t->depth--;
	begin = frame->words;
	if (region_unlikely(frame->drop | frame->self_bad | stats->recursed) ||
	    end[WORD_ENABLED] - begin[WORD_ENABLED] != end[WORD_RUNNING] - begin[WORD_RUNNING]) {
		end_slow(t, frame);
		return;
	}
	/* Where there is none around it, it is added to itself, which is over. */
	around = region_frame_inner(t, t->depth ? region_frame(t, t->depth - 1) : frame);
	inner = region_frame_inner(t, frame);
	stats->counted++;
	stats->renewed += t->renewed;
	count = stats->counts;
	last = count + t->nr_members;
	add_count(count, end[WORD_ENABLED] - begin[WORD_ENABLED], *inner, around);
	end += WORD_MEMBER(0);
	begin += WORD_MEMBER(0);
	while (count++ != last) {
		add_count(count, *end - *begin, *++inner, ++around);
		end += WORD_MEMBER(1) - WORD_MEMBER(0);
		begin += WORD_MEMBER(1) - WORD_MEMBER(0);
	}
}
