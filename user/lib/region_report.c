// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Reports of regions: a thread may go on while it is read (regions.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "regions.h"

#define TRIES 1000

/* ---- What was counted ---- */

static void rows_drop(struct region_set *set, unsigned int nr)
{
	while (set->nr_rows > nr)
		free(set->rows[--set->nr_rows].values);
}

/* Returns 1, 0 if the thread was at work meanwhile, or -ENOMEM. */
static int copy_once(const struct region_thread *t, struct region_set *set)
{
	unsigned int nr = set->nr_rows, before, after;
	int ret;

	if (t->ended || t == region_self)
		return region_stats_copy(t, set) ? -ENOMEM : 1;
	if (!region_thread_rests(t, &before) || !region_barrier_all())
		return 0;
	ret = region_stats_copy(t, set);
	if (ret)
		return ret;
	if (region_barrier_all() && region_thread_rests(t, &after) && before == after)
		return 1;
	rows_drop(set, nr);
	return 0;
}

static int copy_thread(const struct region_thread *t, struct region_set *set)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	struct region_set_thread *thread;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < TRIES && !ret; i++) {
		ret = copy_once(t, set);
		/* One that begins and ends all the time is met between these after some tries. */
		if (!ret && i % 16 == 15)
			nanosleep(&ms, NULL);
	}
	if (ret < 0)
		return ret;
	if (!ret) {
		set->refused[REGION_REFUSED_THREADS]++;
		return 0;
	}
	thread = region_set_add_thread(set);
	if (!thread)
		return -ENOMEM;
	thread->pid = getpid();
	thread->tid = t->tid;
	thread->direct = t->direct;
	memcpy(thread->why, t->why, sizeof(thread->why));
	return 0;
}

/* The list has the newest thread first. */
static int copy_threads(struct region_set *set)
{
	const struct region_thread *t;
	unsigned int nr = 0, i;
	int ret = 0;

	for (t = regions.threads; t; t = t->next)
		nr++;
	while (nr-- && !ret) {
		t = regions.threads;
		for (i = 0; i < nr; i++)
			t = t->next;
		/* Of another session, or one that could not begin. */
		if (t->frames)
			ret = copy_thread(t, set);
	}
	return ret;
}

int region_report_collect(struct region_set *set)
{
	const struct region_thread *t;
	unsigned int i;
	int ret = region_set_name_values(set);

	if (ret)
		return ret;
	set->pid = getpid();
	snprintf(set->comm, sizeof(set->comm), "%s", program_invocation_short_name);
	memcpy(set->failure, regions.failure, sizeof(set->failure));
	if (regions.h)
		snprintf(set->backend, sizeof(set->backend), "%s", pmcgrp_backend_name(regions.h));
	ret = copy_threads(set);
	if (!ret && regions.others.values)
		ret = region_set_sum(set, &regions.others);
	for (i = 0; i < REGION_REFUSED_REASONS; i++)
		set->refused[i] += __atomic_load_n(&regions.refused[i], __ATOMIC_RELAXED);
	for (t = regions.threads; t; t = t->next)
		set->refused[REGION_REFUSED_INTERRUPTED] += REGION_READ_ONCE(t->interrupted);
	return ret;
}

/* ---- For people ---- */

static int print_sums(FILE *file, const struct region_set *set)
{
	struct region_set sum;
	int ret = region_set_like(&sum, set);

	if (!ret)
		ret = region_set_sum(&sum, set);
	if (!ret) {
		fprintf(file, "\n Regions of '%s':\n\n", set->comm);
		region_set_table(file, &sum, false);
	}
	region_set_free(&sum);
	return ret;
}

/* Under the lock. */
static int report(FILE *file)
{
	struct region_set set = { 0 };
	int ret;

	if (!regions.started)
		return -ENODATA;
	ret = region_report_collect(&set);
	if (!ret)
		ret = print_sums(file, &set);
	region_set_free(&set);
	return ret;
}

int pmcgrp_regions_report(FILE *file)
{
	int state, ret;

	if (!file)
		file = stderr;
	if (!regions_lock(&state))
		return -EBUSY;
	ret = report(file);
	regions_unlock(state);
	errno = 0;
	if (!ret && (fflush(file) || ferror(file)))
		ret = errno ? -errno : -EIO;
	return ret;
}

/* ---- The end ---- */

static void write_text(const struct region_set *set)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (!file)
		return;
	region_set_write(file, set);
	if (!fclose(file))
		region_append(text, len);
	free(text);
}

/* Whether anything was begun in this process, or was to be. */
static bool anything(void)
{
	unsigned int i;
	bool any = regions.announced;

	for (i = 0; i < REGION_REFUSED_REASONS; i++)
		any |= regions.refused[i] != 0;
	return any;
}

void region_report_exit(void)
{
	struct region_set set = { 0 };
	int state;

	if (!regions_lock(&state))
		return;
	REGION_WRITE_ONCE(pmcgrp_regions_on, 0);
	if (anything() && !region_report_collect(&set)) {
		region_append_start();
		if (regions.file)
			write_text(&set);
		else
			print_sums(stderr, &set);
	}
	region_set_free(&set);
	regions_unlock(state);
}
