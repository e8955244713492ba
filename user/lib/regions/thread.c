// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The life of a thread that counts itself: its group is made at its first region, and closed at its
 * end. What it has counted is kept for the report.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regions/process.h"

/* So many threads that have ended are kept apart; what others have counted is summed up. */
#define ENDED_MAX 1024

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool key_made;

/* ---- Its end ---- */

void region_thread_close(struct region_thread *t)
{
	pmcgrp_group_close(t->group);
	t->group = NULL;
	t->page = NULL;
}

void region_thread_forget(struct region_thread *t)
{
	unsigned int i;

	region_thread_close(t);
	for (i = 0; i < t->nr_stats; i++)
		free(t->stats[i]);
	free(t->stats);
	free(t->frames);
	free(t->end_words);
	t->stats = NULL;
	t->nr_stats = 0;
	t->frames = NULL;
	t->end_words = NULL;
	t->depth = 0;
	t->beyond = 0;
	t->beyond_xor = 0;
	t->nr_members = 0;
	t->direct = false;
	t->why[0] = '\0';
}

/* Takes the struct of an ended thread out of the list, its counts to those of others. */
static void fold(struct region_thread *t)
{
	struct region_thread **at = &regions.threads;
	unsigned int i, from;

	if (!regions.others.values && region_set_name_values(&regions.others)) {
		region_set_free(&regions.others);
		return;
	}
	from = regions.others.nr_rows;
	if (region_stats_copy(t, &regions.others))
		region_refuse(REGION_REFUSED_MEMORY);
	for (i = from; i < regions.others.nr_rows; i++)
		regions.others.rows[i].tid = REGION_TID_OTHERS;
	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	region_thread_forget(t);
	free(t);
}

/* Rows of the same region that are next to each other are no use: one is enough. */
static void fold_rows(void)
{
	struct region_set sum;

	if (region_set_like(&sum, &regions.others) || region_set_sum(&sum, &regions.others)) {
		region_set_free(&sum);
		return;
	}
	region_set_free(&regions.others);
	regions.others = sum;
}

static void thread_end(void *arg)
{
	struct region_thread *t = arg;
	int state;

	region_self = NULL;
	if (!regions_lock(&state))
		return;
	if (t->frames)
		region_count_drop(t, PMCGRP_REGION_OPEN);
	region_thread_close(t);
	t->ended = true;
	if (++regions.nr_ended > ENDED_MAX) {
		fold(t);
		regions.nr_ended--;
		fold_rows();
	}
	regions_unlock(state);
}

static void make_key(void)
{
	key_made = !pthread_key_create(&key, thread_end);
}

/* ---- Its beginning ---- */

struct region_thread *region_thread_new(void)
{
	struct region_thread *t;
	int state;

	if (!regions_lock(&state)) {
		region_refuse(REGION_REFUSED_INTERRUPTED);
		return NULL;
	}
	pthread_once(&key_once, make_key);
	t = key_made ? calloc(1, sizeof(*t)) : NULL;
	if (t && pthread_setspecific(key, t)) {
		free(t);
		t = NULL;
	}
	if (t) {
		t->tid = gettid();
		t->generation = regions.generation - 1;
		t->next = regions.threads;
		regions.threads = t;
		region_self = t;
	} else {
		region_refuse(REGION_REFUSED_MEMORY);
	}
	regions_unlock(state);
	return t;
}

/* ---- Its group ---- */

static bool alloc(struct region_thread *t)
{
	size_t words;

	t->nr_members = regions.nr_members;
	words = region_read_words(t->nr_members) + 1 + t->nr_members;
	t->read_size = (ssize_t)(region_read_words(t->nr_members) * sizeof(uint64_t));
	t->stride = sizeof(struct region_frame) + words * sizeof(uint64_t);
	t->frames = calloc(PMCGRP_REGION_DEPTH_MAX, t->stride);
	t->end_words = calloc(region_read_words(t->nr_members), sizeof(uint64_t));
	return t->frames && t->end_words;
}

static void open_group(struct region_thread *t)
{
	const char *why;

	if (!regions.h) {
		snprintf(t->why, sizeof(t->why), REGION_NOT_COUNTED "%.230s", regions.failure);
		return;
	}
	if (pmcgrp_group_create(regions.h, regions.spec, &t->group) < 0) {
		why = pmcgrp_strerror(regions.h);
		snprintf(t->why, sizeof(t->why), REGION_NOT_COUNTED "%.230s", why);
		return;
	}
	t->page = t->group->page;
}

/* What was open in the process that forked this one is open here, too, and not counted. */
static void push_forked(struct region_thread *t)
{
	struct region_stats *stats;
	struct region_frame *frame;
	unsigned int i;

	for (i = 0; i < t->nr_forked; i++) {
		stats = region_stats_make(t, t->forked[i].region);
		if (!stats)
			break;
		frame = region_frame(t, t->depth++);
		frame->stats = stats;
		frame->level = t->forked[i].level;
		frame->drop = 1 + PMCGRP_REGION_FORKED;
		stats->depth++;
		stats->recursed |= stats->depth > 1;
	}
	free(t->forked);
	t->forked = NULL;
	t->nr_forked = 0;
}

void region_thread_forked(struct region_thread *t)
{
	unsigned int i, nr = t->depth;

	t->forked = nr ? calloc(nr, sizeof(*t->forked)) : NULL;
	for (i = 0; t->forked && i < nr; i++) {
		t->forked[i].region = region_frame(t, i)->stats->region;
		t->forked[i].level = region_frame(t, i)->level;
	}
	t->nr_forked = t->forked ? nr : 0;
	region_thread_forget(t);
	t->tid = gettid();
	t->generation = regions.generation - 1;
}

/*
 * fork() was called by a signal handler that has interrupted a begin or end, which goes on with what
 * it has: that is never freed.
 */
void region_thread_abandon(struct region_thread *t)
{
	pthread_setspecific(key, NULL);
	region_self = NULL;
	/* Its begin or end finds that nothing is as it was. */
	t->generation = regions.generation - 1;
}

static void find_out_how(struct region_thread *t)
{
	enum pmcgrp_why why;

	if (!t->group)
		return;
	why = pmcgrp_group_user_read_why(t->group);
	t->direct = t->page && why == PMCGRP_WHY_NONE;
	if (t->direct)
		return;
	t->page = NULL;
	snprintf(t->why, sizeof(t->why), "counters are read by system calls: %.200s",
		 pmcgrp_why_text(why));
}

/* Under the lock. */
static bool renew(struct region_thread *t)
{
	region_thread_forget(t);
	region_session_prepare();
	region_append_start();
	if (!alloc(t)) {
		region_thread_forget(t);
		region_refuse(REGION_REFUSED_MEMORY);
		return false;
	}
	open_group(t);
	find_out_how(t);
	push_forked(t);
	t->generation = regions.generation;
	return true;
}

enum region_renewed region_thread_renew(struct region_thread *t)
{
	enum region_renewed how = REGION_RENEWED_NOT;
	int state;

	if (!regions_lock_in_call(t, &state))
		return how;
	if (t->generation == regions.generation)
		how = REGION_RENEWED_WAITED;
	else if (pmcgrp_regions_on && renew(t))
		how = REGION_RENEWED_ALL;
	regions_unlock(state);
	return how;
}
