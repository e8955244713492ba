/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The tasks that have run in an interval, and what was counted while each of them did. */
#ifndef TOP_TASKS_H
#define TOP_TASKS_H

#include "counters/counter_set.h"
#include "proc.h"

/* Which tasks are shown; without any list, all. */
struct top_wanted {
	struct args_ids tids;		/* these threads; in rising order, as all lists here */
	struct args_ids pids;		/* these processes */
	bool inherit;			/* and those that they create */
	char *cgroup;			/* the folder of --cgroup; NULL: none */
	struct args_ids members;	/* its processes, as they were last seen */
};

struct top_task {
	int tid;
	int pid;
	int next;			/* in its bucket; -1: the last */
	unsigned int idle;		/* intervals for which it has not run */
	bool ran;			/* in this interval */
	bool ended;
	bool inherited;			/* a wanted process has created its process */
	bool wanted;
	char name[PROC_NAME_SIZE];	/* as text; "": not known yet */
	char *cgroup;			/* NULL: not known yet */
};

struct top_tasks {
	const char *proc;		/* PROC_FOLDER, or a test's own */
	struct top_wanted *wanted;
	struct top_task *at;
	unsigned int nr;
	unsigned int max;
	int *buckets;
	unsigned int nr_buckets;
	unsigned int nr_counters;
	struct reading *sums;		/* nr_counters for each of at, in this interval */
};

/* Returns 0 or -ENOMEM. */
int top_tasks_init(struct top_tasks *tasks, unsigned int nr_counters, struct top_wanted *wanted,
		   const char *proc);
void top_tasks_free(struct top_tasks *tasks);

/*
 * top_tasks_sums - a task that has run: nr_counters sums, to be added to
 *
 * The idle threads of all CPUs are one task, 0. NULL: no memory.
 */
struct reading *top_tasks_sums(struct top_tasks *tasks, int pid, int tid);

/* top_tasks_put - a record of names and new tasks; others mean nothing. Returns 0 or -ENOMEM. */
int top_tasks_put(void *tasks, const struct perf_event_header *header);

/* top_tasks_begin - look up who is wanted from now on; returns 0 or a negative errno */
int top_tasks_begin(struct top_tasks *tasks);

/*
 * top_tasks_end - the interval is over: who of those that ran is wanted, and names
 * @cgroups: look up the cgroups as well
 *
 * Returns 0 or a negative errno.
 */
int top_tasks_end(struct top_tasks *tasks, bool cgroups);

/* top_tasks_next - forget sums, and tasks that have not run for long */
void top_tasks_next(struct top_tasks *tasks);

static inline bool top_wanted_all(const struct top_wanted *wanted)
{
	return !wanted->tids.nr && !wanted->pids.nr && !wanted->cgroup;
}

void top_wanted_free(struct top_wanted *wanted);

#endif
