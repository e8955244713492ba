// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Only tasks that have run are here: the cost of an interval does not grow with those that sleep.
 * The kernel's records give names and parents of tasks that come and go between two looks at
 * /proc.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "proc/task.h"
#include "tasks.h"

/* A task that has not run for so many intervals is forgotten, and looked up anew. */
#define IDLE_MAX 16

#define TASKS_MIN 64

static unsigned int bucket_of(const struct top_tasks *t, int tid)
{
	return ((unsigned int)tid * 2654435761U >> 8) & (t->nr_buckets - 1);
}

static void link_task(struct top_tasks *t, int i)
{
	int *bucket = &t->buckets[bucket_of(t, t->at[i].tid)];

	t->at[i].next = *bucket;
	*bucket = i;
}

static void link_all(struct top_tasks *t)
{
	unsigned int i;

	memset(t->buckets, 0xff, t->nr_buckets * sizeof(*t->buckets));
	for (i = 0; i < t->nr; i++)
		link_task(t, (int)i);
}

static int grow(struct top_tasks *t)
{
	unsigned int max = t->max ? 2 * t->max : TASKS_MIN;
	struct top_task *at;
	struct reading *sums;
	int *buckets;

	at = reallocarray(t->at, max, sizeof(*at));
	if (!at)
		return -ENOMEM;
	t->at = at;
	sums = reallocarray(t->sums, (size_t)max * t->nr_counters, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	t->sums = sums;
	buckets = reallocarray(t->buckets, max, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	t->buckets = buckets;
	t->max = t->nr_buckets = max;
	link_all(t);
	return 0;
}

int top_tasks_init(struct top_tasks *t, unsigned int nr_counters, struct top_wanted *wanted,
		   const char *proc)
{
	*t = (struct top_tasks){ .proc = proc, .wanted = wanted, .nr_counters = nr_counters };
	return grow(t);
}

void top_tasks_free(struct top_tasks *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		free(t->at[i].cgroup);
	free(t->at);
	free(t->sums);
	free(t->buckets);
	*t = (struct top_tasks){ 0 };
}

static struct top_task *find(const struct top_tasks *t, int tid)
{
	int i = t->buckets[bucket_of(t, tid)];

	while (i >= 0 && t->at[i].tid != tid)
		i = t->at[i].next;
	return i >= 0 ? &t->at[i] : NULL;
}

static struct reading *sums_of(const struct top_tasks *t, const struct top_task *task)
{
	return &t->sums[(size_t)(task - t->at) * t->nr_counters];
}

/* The thread, as one that nothing is known of if its number was another process's before. */
static struct top_task *get(struct top_tasks *t, int pid, int tid)
{
	struct top_task *task = find(t, tid);

	if (task && task->pid == pid)
		return task;
	if (!task) {
		if (t->nr == t->max && grow(t) < 0)
			return NULL;
		task = &t->at[t->nr];
		*task = (struct top_task){ .tid = tid, .pid = pid };
		link_task(t, (int)t->nr++);
		memset(sums_of(t, task), 0, t->nr_counters * sizeof(*t->sums));
		return task;
	}
	task->pid = pid;
	task->name[0] = '\0';
	free(task->cgroup);
	task->cgroup = NULL;
	task->ended = task->inherited = false;
	return task;
}

struct reading *top_tasks_sums(struct top_tasks *t, int pid, int tid)
{
	struct top_task *task = find(t, tid);

	/* What is left of a thread that has ended has no process any more. */
	if (!task || pid > 0 || tid <= 0)
		task = get(t, pid, tid);
	if (!task)
		return NULL;
	task->ran = true;
	return sums_of(t, task);
}

/* ---- Records ---- */

static bool is_listed(const struct top_tasks *t, int pid)
{
	return proc_ids_have(&t->wanted->pids, pid) || proc_ids_have(&t->wanted->members, pid);
}

/* @old: the thread that has created it. */
static int forked(struct top_tasks *t, int pid, int tid, int old_pid, int old_tid)
{
	struct top_task *task = get(t, pid, tid), *parent;

	if (!task)
		return -ENOMEM;
	parent = find(t, old_tid);
	task->ended = false;
	task->inherited = is_listed(t, old_pid) || (parent && parent->inherited);
	if (!parent)
		return 0;
	memcpy(task->name, parent->name, sizeof(task->name));
	free(task->cgroup);
	task->cgroup = parent->cgroup ? strdup(parent->cgroup) : NULL;
	return 0;
}

static int named(struct top_tasks *t, int pid, int tid, const char *name, size_t size)
{
	struct top_task *task = get(t, pid, tid);

	if (!task)
		return -ENOMEM;
	name_text(task->name, sizeof(task->name), name,
		  size < TASK_COMM_SIZE ? size : TASK_COMM_SIZE - 1);
	return 0;
}

int top_tasks_put(void *arg, const struct perf_event_header *header)
{
	const unsigned char *body = (const unsigned char *)(header + 1);
	size_t size = header->size - sizeof(*header);
	struct top_tasks *t = arg;
	struct top_task *task;
	int ids[4];

	if (header->size < sizeof(*header) + sizeof(ids))
		return 0;
	memcpy(ids, body, sizeof(ids));
	switch (header->type) {
	case PERF_RECORD_FORK:
		/* pid, ppid, tid, ptid */
		return forked(t, ids[0], ids[2], ids[1], ids[3]);
	case PERF_RECORD_EXIT:
		task = find(t, ids[2]);
		if (task)
			task->ended = true;
		return 0;
	case PERF_RECORD_COMM:
		return named(t, ids[0], ids[1], (const char *)body + 8,
			     strnlen((const char *)body + 8, size - 8));
	default:
		return 0;
	}
}

/* ---- Intervals ---- */

int top_tasks_begin(struct top_tasks *t)
{
	return t->wanted->cgroup ? proc_cgroup_pids(t->wanted->cgroup, &t->wanted->members) : 0;
}

static bool is_wanted(const struct top_tasks *t, const struct top_task *task, bool before)
{
	const struct top_wanted *w = t->wanted;

	if (w->cgroup)
		return before || proc_ids_have(&w->members, task->pid) ||
		       (task->inherited && (task->ended || proc_ended(t->proc, task->pid)));
	if (w->tids.nr)
		return proc_ids_have(&w->tids, task->tid);
	if (w->pids.nr)
		return proc_ids_have(&w->pids, task->pid) || (w->inherit && task->inherited);
	return true;
}

static void look_up(struct top_tasks *t, struct top_task *task, bool cgroups)
{
	char *cgroup;

	if (!task->tid) {
		strcpy(task->name, "idle");
		return;
	}
	if (!task->name[0])
		proc_comm(t->proc, task->tid, task->name);
	if (!cgroups || task->ended)
		return;
	cgroup = proc_cgroup(t->proc, task->tid);
	if (!cgroup)
		return;
	free(task->cgroup);
	task->cgroup = cgroup;
}

int top_tasks_end(struct top_tasks *t, bool cgroups)
{
	struct args_ids before = t->wanted->members;
	unsigned int i;
	int ret;

	t->wanted->members = (struct args_ids){ 0 };
	ret = top_tasks_begin(t);
	for (i = 0; i < t->nr && ret >= 0; i++) {
		struct top_task *task = &t->at[i];

		if (!task->ran)
			continue;
		task->wanted = is_wanted(t, task, proc_ids_have(&before, task->pid));
		if (task->wanted)
			look_up(t, task, cgroups);
	}
	free(before.id);
	return ret;
}

/* Who was created by a wanted process is not known from /proc again. */
static bool is_kept(const struct top_task *task)
{
	if (task->ended)
		return false;
	if (task->inherited)
		return kill(task->pid, 0) >= 0 || errno != ESRCH;
	return task->idle < IDLE_MAX;
}

void top_tasks_next(struct top_tasks *t)
{
	unsigned int i, nr = 0;

	for (i = 0; i < t->nr; i++) {
		struct top_task *task = &t->at[i];

		task->idle = task->ran ? 0 : task->idle + 1;
		task->ran = task->wanted = false;
		if (is_kept(task))
			t->at[nr++] = *task;
		else
			free(task->cgroup);
	}
	t->nr = nr;
	memset(t->sums, 0, (size_t)nr * t->nr_counters * sizeof(*t->sums));
	link_all(t);
}

void top_wanted_free(struct top_wanted *wanted)
{
	free(wanted->tids.id);
	free(wanted->pids.id);
	free(wanted->members.id);
	free(wanted->cgroup);
	*wanted = (struct top_wanted){ 0 };
}
