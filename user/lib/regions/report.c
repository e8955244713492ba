// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Reports of regions. Threads that begin or end a region meanwhile wait (regions.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regions/process.h"

/* ---- What was counted ---- */

static int copy_thread(const struct region_thread *t, struct region_set *set)
{
	struct region_set_thread *thread;

	if (!region_thread_rests(t)) {
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
	return region_stats_copy(t, set);
}

/* The list has the newest thread first. */
static int copy_threads(struct region_set *set)
{
	const struct region_thread *t;
	unsigned int nr = 0, i;
	int ret = 0;

	region_threads_hold();
	region_threads_rest();
	for (t = regions.threads; t; t = t->next)
		nr++;
	while (nr-- && !ret) {
		t = regions.threads;
		for (i = 0; i < nr; i++)
			t = t->next;
		/* Of another session, or one that could not begin. */
		if (t->frames || t->ended)
			ret = copy_thread(t, set);
	}
	region_threads_release();
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
