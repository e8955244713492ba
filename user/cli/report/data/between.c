// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "between.h"
#include "grow.h"

/* Of a thread and a group, over all CPUs. */
struct rep_thread_sums {
	unsigned int nr;
	uint64_t *counts;
};

/* Of a thread: at what time calls began, and what the thread had counted by then. */
struct rep_thread_calls {
	size_t row;
	unsigned int depth;
	size_t room;
	uint64_t *frames;	/* of each: the time, then the counts */
};

/* ---- What is there, or new ---- */

static struct rep_thread_sums *thread_of(struct rep_between *between, uint32_t tid,
					 const struct rep_stream *stream)
{
	size_t at = rep_map_find(&between->thread_map, tid, stream->events[0]);
	struct rep_thread_sums *thread;

	if (at != REP_MAP_NONE)
		return &between->threads[at];
	at = between->nr_threads;
	if (!rep_grow(&between->threads, &between->room_threads, at, sizeof(*between->threads)))
		return NULL;
	thread = &between->threads[at];
	*thread = (struct rep_thread_sums){
		.nr = stream->nr, .counts = calloc(stream->nr, sizeof(*thread->counts)) };
	if (!thread->counts ||
	    rep_map_add(&between->thread_map, tid, stream->events[0], at) < 0) {
		free(thread->counts);
		return NULL;
	}
	between->nr_threads++;
	return thread;
}

static void calls_free(struct rep_calls *row)
{
	unsigned int i;

	for (i = 0; row->counts && i < row->nr; i++)
		rep_sketch_free(&row->counts[i].sketch);
	rep_sketch_free(&row->time.sketch);
	free(row->counts);
	free(row->events);
}

static size_t row_of(struct rep_between *between, unsigned int pair,
		     const struct rep_stream *stream)
{
	size_t at = rep_map_find(&between->map, pair, stream->events[0]);
	struct rep_calls *row;

	if (at != REP_MAP_NONE)
		return at;
	at = between->nr;
	if (!rep_grow(&between->rows, &between->room, at, sizeof(*between->rows)))
		return SIZE_MAX;
	row = &between->rows[at];
	*row = (struct rep_calls){
		.pair = pair, .nr = stream->nr,
		.events = calloc(stream->nr, sizeof(*row->events)),
		.counts = calloc(stream->nr, sizeof(*row->counts)),
	};
	if (!row->events || !row->counts ||
	    rep_map_add(&between->map, pair, stream->events[0], at) < 0) {
		calls_free(row);
		return SIZE_MAX;
	}
	memcpy(row->events, stream->events, stream->nr * sizeof(*row->events));
	between->nr++;
	return at;
}

static struct rep_thread_calls *stack_of(struct rep_between *between, size_t row, uint32_t tid)
{
	size_t at = rep_map_find(&between->stack_map, row, tid);

	if (at != REP_MAP_NONE)
		return &between->stacks[at];
	at = between->nr_stacks;
	if (!rep_grow(&between->stacks, &between->room_stacks, at, sizeof(*between->stacks)) ||
	    rep_map_add(&between->stack_map, row, tid, at) < 0)
		return NULL;
	between->stacks[at] = (struct rep_thread_calls){ .row = row };
	between->nr_stacks++;
	return &between->stacks[at];
}

/* ---- Calls ---- */

static int entered(struct rep_calls *row, struct rep_thread_calls *stack,
		   const struct rep_thread_sums *thread, uint64_t time)
{
	size_t size = (1 + row->nr) * sizeof(uint64_t);
	uint64_t *frame;

	/* Returns are lost, or not recorded at all: the oldest call is given up. */
	if (stack->depth == REP_DEPTH_MAX) {
		stack->depth--;
		memmove(stack->frames, stack->frames + 1 + row->nr, stack->depth * size);
		row->without_return++;
	}
	if (!rep_grow(&stack->frames, &stack->room, stack->depth, size))
		return -ENOMEM;
	frame = stack->frames + (size_t)stack->depth++ * (1 + row->nr);
	frame[0] = time;
	memcpy(frame + 1, thread->counts, row->nr * sizeof(*frame));
	return 0;
}

static int sum_up(struct rep_call_sums *sums, uint64_t value)
{
	sums->total += (double)value;
	return rep_sketch_add(&sums->sketch, (double)value);
}

static int returned(struct rep_calls *row, struct rep_thread_calls *stack,
		    const struct rep_thread_sums *thread, uint64_t time)
{
	const uint64_t *frame;
	unsigned int i;

	if (!stack->depth) {
		row->without_entry++;
		return 0;
	}
	frame = stack->frames + (size_t)--stack->depth * (1 + row->nr);
	row->returned++;
	if (sum_up(&row->time, time - frame[0]) < 0)
		return -ENOMEM;
	for (i = 0; i < row->nr; i++) {
		if (sum_up(&row->counts[i], thread->counts[i] - frame[1 + i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int pass(struct rep_between *between, const struct perfdata_sample *sample,
		const struct rep_stream *stream, const struct rep_thread_sums *thread,
		unsigned int pair)
{
	size_t row = row_of(between, pair, stream);
	struct rep_thread_calls *stack = row == SIZE_MAX ? NULL :
							   stack_of(between, row, sample->tid);

	/* Members came or went: what one has counted is not known of all. */
	if (row != SIZE_MAX && (between->rows[row].nr != thread->nr || thread->nr != stream->nr))
		return 0;
	if (!stack)
		return -ENOMEM;
	if (between->pairs->rows[pair].entry == (unsigned int)sample->event)
		return entered(&between->rows[row], stack, thread, sample->time);
	return returned(&between->rows[row], stack, thread, sample->time);
}

int rep_between_add(struct rep_between *between, const struct perfdata_sample *sample,
		    const struct rep_stream *stream, bool interval)
{
	struct rep_thread_sums *thread;
	unsigned int i;

	if (!between->pairs || !between->pairs->nr || !(sample->has & PERF_SAMPLE_TID))
		return 0;
	thread = thread_of(between, sample->tid, stream);
	if (!thread)
		return -ENOMEM;
	for (i = 0; interval && i < stream->nr && i < thread->nr; i++)
		thread->counts[i] += stream->interval->delta[i];
	for (i = 0; !sample->switched && i < between->pairs->nr; i++) {
		const struct rep_pair *pair = &between->pairs->rows[i];

		if ((pair->entry == (unsigned int)sample->event ||
		     pair->ret == (unsigned int)sample->event) &&
		    pass(between, sample, stream, thread, i) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* A pair of which there is no sample has a row all the same. */
static int row_of_none(struct rep_between *between, unsigned int pair)
{
	size_t i;

	for (i = 0; i < between->nr && between->rows[i].pair != pair; i++)
		;
	if (i < between->nr)
		return 0;
	if (!rep_grow(&between->rows, &between->room, between->nr, sizeof(*between->rows)))
		return -ENOMEM;
	between->rows[between->nr++] = (struct rep_calls){ .pair = pair };
	return 0;
}

int rep_between_end(struct rep_between *between)
{
	size_t i;

	for (i = 0; i < between->nr_stacks; i++) {
		const struct rep_thread_calls *stack = &between->stacks[i];

		between->rows[stack->row].without_return += stack->depth;
	}
	for (i = 0; between->pairs && i < between->pairs->nr; i++) {
		if (row_of_none(between, (unsigned int)i) < 0)
			return -ENOMEM;
	}
	return 0;
}

void rep_between_free(struct rep_between *between)
{
	size_t i;

	for (i = 0; i < between->nr; i++)
		calls_free(&between->rows[i]);
	for (i = 0; i < between->nr_threads; i++)
		free(between->threads[i].counts);
	for (i = 0; i < between->nr_stacks; i++)
		free(between->stacks[i].frames);
	free(between->rows);
	free(between->threads);
	free(between->stacks);
	rep_map_free(&between->map);
	rep_map_free(&between->thread_map);
	rep_map_free(&between->stack_map);
	memset(between, 0, sizeof(*between));
}
