// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "observe.h"

#define FIXED_INDEX	(1U << 30)	/* in perf_event_mmap_page.index - 1: a fixed counter */
#define PASSES_BETWEEN	20000

/* An event that is open. */
struct opened_event {
	int fd;
	struct perf_event_mmap_page *page;	/* or NULL */
	struct plan_observed *observed;
	bool leads;
	bool pinned;
	bool incomplete;	/* an event of its group was refused */
};

struct opened_events {
	struct opened_event *at;
	unsigned int nr;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void plan_busy(unsigned int ms, void (*look)(void *arg), void *arg)
{
	double end = now() + ms;
	unsigned int i;

	do {
		for (i = 0; i < PASSES_BETWEEN; i++)
			__asm__ volatile("" : : : "memory");
		if (look)
			look(arg);
	} while (now() < end);
}

/* The bit of the counter that a page shows. */
static uint64_t counter_of(const struct perf_event_mmap_page *page)
{
	uint32_t index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);

	if (!index)
		return 0;
	index--;
	if (index & FIXED_INDEX)
		index = (index & ~FIXED_INDEX) + PMCGRP_PLAN_FIXED;
	return index < 64 ? 1ULL << index : 0;
}

static void look(void *arg)
{
	const struct opened_events *events = arg;
	unsigned int i;

	for (i = 0; i < events->nr; i++)
		if (events->at[i].page)
			events->at[i].observed->counters |= counter_of(events->at[i].page);
}

/* Returns its descriptor, or -1 with the errno in @observed. */
static int open_event(struct opened_events *events, const struct perf_event_attr *from, int leader,
		      const struct pmcgrp_plan_group *group, struct plan_observed *observed)
{
	struct opened_event *event = &events->at[events->nr];
	struct perf_event_attr attr = *from;
	void *page;
	int fd;

	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = leader < 0;
	attr.pinned = leader < 0 && group->pinned;
	attr.exclusive = leader < 0 && group->exclusive;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
	observed->err = fd < 0 ? -errno : 0;
	observed->status = fd < 0 ? PMCGRP_PLAN_NOT_SUPPORTED : PMCGRP_PLAN_NOT_COUNTED;
	if (fd < 0)
		return -1;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	*event = (struct opened_event){ .fd = fd, .page = page == MAP_FAILED ? NULL : page,
					.observed = observed, .leads = leader < 0,
					.pinned = group->pinned };
	events->nr++;
	return fd;
}

static void close_from(struct opened_events *events, unsigned int first)
{
	struct opened_event *event;

	while (events->nr > first) {
		event = &events->at[--events->nr];
		if (event->page)
			munmap(event->page, (size_t)sysconf(_SC_PAGESIZE));
		close(event->fd);
	}
}

/* Returns whether all of its events are open. */
static bool open_group(struct opened_events *events, const struct perf_event_attr *attrs,
		       const struct pmcgrp_plan_group *group, struct plan_observed *observed)
{
	unsigned int i, first = events->nr;
	bool complete = true;
	int leader = -1, fd;

	for (i = 0; i < group->nr; i++) {
		/* Without its leader none of them can be opened. */
		if (i && leader < 0) {
			observed[i] = observed[0];
			continue;
		}
		fd = open_event(events, &attrs[i], leader, group, &observed[i]);
		complete &= fd >= 0;
		if (!i)
			leader = fd;
	}
	for (; !complete && first < events->nr; first++)
		events->at[first].incomplete = true;
	return complete;
}

/* Weak groups that were refused: event by event, after all others. */
static void open_apart(struct opened_events *events, const struct plan_opened *opened,
		       const bool *apart, struct plan_observed *observed)
{
	unsigned int i, k, row = 0;

	for (i = 0; i < opened->nr; row += opened->groups[i++].nr)
		for (k = 0; apart[i] && k < opened->groups[i].nr; k++)
			open_event(events, &opened->attrs[row + k], -1, &opened->groups[i],
				   &observed[row + k]);
}

static void read_event(const struct opened_event *event)
{
	struct plan_observed *observed = event->observed;
	struct {
		uint64_t value;
		uint64_t enabled;
		uint64_t running;
	} v;

	/* A pinned event in error has nothing to be read. */
	if (read(event->fd, &v, sizeof(v)) != sizeof(v) || !v.enabled)
		return;
	observed->share = 100.0 * (double)v.running / (double)v.enabled;
	observed->has_share = !event->incomplete;
	if (event->incomplete || !v.running)
		observed->status = PMCGRP_PLAN_NOT_COUNTED;
	else
		observed->status = v.running == v.enabled ? PMCGRP_PLAN_COUNTED : PMCGRP_PLAN_MULTIPLEXED;
}

static void set_all(const struct opened_events *events, bool enable)
{
	unsigned int i;

	for (i = 0; i < events->nr; i++)
		if (events->at[i].leads)
			ioctl(events->at[i].fd, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* Waits until the thread @tid sleeps. */
static void wait_for_sleep(int tid)
{
	char name[48], line[128], *state;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", tid);
	do {
		file = fopen(name, "re");
		state = file && fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
		if (file)
			fclose(file);
	} while (state && state[1] && state[2] != 'S');
}

static void *enable_all(void *arg)
{
	wait_for_sleep(getpid());
	set_all(arg, true);
	return NULL;
}

/*
 * All at once, as an exec() does that perf stat waits for: this thread sleeps while another one enables.
 * One by one, a pinned group that fails would not keep those behind it from trying.
 */
static int enable_at_once(struct opened_events *events)
{
	pthread_t other;
	int err;

	err = pthread_create(&other, NULL, enable_all, events);
	return err ? -err : -pthread_join(other, NULL);
}

int plan_observe_perf(const struct plan_opened *opened, unsigned int ms,
		      struct plan_observed *observed)
{
	struct opened_event at[PMCGRP_PLAN_EVENTS_MAX];
	struct opened_events events = { .at = at };
	bool apart[PMCGRP_PLAN_EVENTS_MAX] = { false };
	unsigned int i, row = 0, first;
	int err;

	for (i = 0; i < opened->nr; i++) {
		const struct pmcgrp_plan_group *group = &opened->groups[i];

		first = events.nr;
		if (!open_group(&events, opened->attrs + row, group, observed + row) && group->weak &&
		    group->nr > 1) {
			close_from(&events, first);
			apart[i] = true;
		}
		row += group->nr;
	}
	open_apart(&events, opened, apart, observed);
	err = enable_at_once(&events);
	if (!err)
		plan_busy(ms, look, &events);
	set_all(&events, false);
	for (i = 0; !err && i < events.nr; i++)
		read_event(&events.at[i]);
	close_from(&events, 0);
	return err;
}
