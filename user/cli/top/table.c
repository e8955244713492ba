// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "say/name.h"
#include "stat/stat_run.h"
#include "table.h"

static void clear(struct top_table *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		free(t->rows[i].name);
	t->nr = t->nr_shown = 0;
}

void top_table_free(struct top_table *t)
{
	clear(t);
	free(t->rows);
	free(t->counts);
	free(t->order);
	*t = (struct top_table){ 0 };
}

/* Room for so many rows, without any yet. */
static int begin(struct top_table *t, enum top_by by, size_t max, unsigned int nr_counters)
{
	top_table_free(t);
	t->by = by;
	t->nr_counters = nr_counters;
	t->rows = calloc(max + 1, sizeof(*t->rows));
	t->order = calloc(max + 1, sizeof(struct top_row *));
	t->counts = calloc((max + 1) * nr_counters, sizeof(*t->counts));
	t->max = max;
	return t->rows && t->order && t->counts ? 0 : -ENOMEM;
}

static struct top_row *add(struct top_table *t, const char *name, int pid, int tid)
{
	struct top_row *row = &t->rows[t->nr];

	row->name = strdup(name);
	if (!row->name)
		return NULL;
	row->pid = pid;
	row->tid = tid;
	row->place = (unsigned int)t->nr;
	row->counts = &t->counts[t->nr * t->nr_counters];
	t->nr++;
	return row;
}

int top_table_cpus(struct top_table *t, const struct counter_set *set)
{
	unsigned int i, k, line;
	struct top_row *row;
	char label[AGGR_LABEL_SIZE];
	int ret;

	ret = begin(t, TOP_BY_CPU, set->nr_lines, set->nr);
	for (i = 0; i < set->nr_lines && ret >= 0; i++) {
		line = set->aggr->mode == AGGR_GLOBAL ? i : set->aggr->order[i];
		aggr_label(set->aggr, line, label, sizeof(label));
		row = add(t, label, -1, -1);
		if (!row)
			return -ENOMEM;
		for (k = 0; k < set->nr; k++) {
			row->counts[k] = *counter_counts(set, line, k);
			row->counts[k].reason = NULL;
		}
	}
	return ret;
}

/* ---- Tasks ---- */

static const char *name_of(const struct top_task *task)
{
	if (task->name[0])
		return task->name;
	return task->tid < 0 ? "(exiting)" : "(ended)";
}

static const char *cgroup_of(const struct top_task *task)
{
	if (task->cgroup)
		return task->cgroup;
	return task->tid ? "(ended)" : "(idle)";
}

/* The name of a process is its first thread's. */
static const char *process_name(const struct top_tasks *tasks, const struct top_task *task,
				char *text)
{
	unsigned int i;

	if (task->pid == task->tid || proc_comm(tasks->proc, task->pid, text))
		return task->pid == task->tid ? name_of(task) : text;
	for (i = 0; i < tasks->nr; i++) {
		if (tasks->at[i].tid == task->pid && tasks->at[i].name[0])
			return tasks->at[i].name;
	}
	return name_of(task);
}

static int compare_tasks(const void *a, const void *b, void *arg)
{
	const struct top_task *x = *(struct top_task * const *)a;
	const struct top_task *y = *(struct top_task * const *)b;
	enum top_by by = *(enum top_by *)arg;
	int ret = 0;

	if (by == TOP_BY_CGROUP)
		ret = strcmp(cgroup_of(x), cgroup_of(y));
	else if (by == TOP_BY_PROCESS)
		ret = (x->pid > y->pid) - (x->pid < y->pid);
	return ret ? ret : (x->tid > y->tid) - (x->tid < y->tid);
}

static bool same_row(enum top_by by, const struct top_task *a, const struct top_task *b)
{
	if (by == TOP_BY_CGROUP)
		return !strcmp(cgroup_of(a), cgroup_of(b));
	return by == TOP_BY_PROCESS && a->pid == b->pid;
}

static struct top_row *row_begin(struct top_table *t, const struct top_tasks *tasks,
				 const struct top_task *task)
{
	char text[PROC_NAME_SIZE];

	switch (t->by) {
	case TOP_BY_CGROUP:
		return add(t, cgroup_of(task), -1, -1);
	case TOP_BY_PROCESS:
		return add(t, process_name(tasks, task, text), task->pid, -1);
	default:
		return add(t, name_of(task), task->pid, task->tid);
	}
}

static void row_add(struct top_row *row, const struct reading *sums, unsigned int nr)
{
	unsigned int i;

	row->nr++;
	for (i = 0; i < nr; i++) {
		row->counts[i].now.value += sums[i].value;
		row->counts[i].now.enabled += sums[i].enabled;
		row->counts[i].now.running += sums[i].running;
	}
}

static int rows_fill(struct top_table *t, const struct top_tasks *tasks,
		     const struct top_task *const *list, size_t nr)
{
	struct top_row *row = NULL;
	unsigned int k;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!i || !same_row(t->by, list[i - 1], list[i]))
			row = row_begin(t, tasks, list[i]);
		if (!row)
			return -ENOMEM;
		row_add(row, &tasks->sums[(size_t)(list[i] - tasks->at) * tasks->nr_counters],
			tasks->nr_counters);
	}
	for (i = 0; i < t->nr; i++) {
		for (k = 0; k < t->nr_counters; k++)
			counts_update(&t->rows[i].counts[k], t->rows[i].counts[k].now);
	}
	return 0;
}

int top_table_tasks(struct top_table *t, enum top_by by, const struct top_tasks *tasks)
{
	const struct top_task **list = calloc(tasks->nr + 1, sizeof(const struct top_task *));
	unsigned int i;
	size_t nr = 0;
	int ret;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < tasks->nr; i++) {
		if (tasks->at[i].ran && tasks->at[i].wanted)
			list[nr++] = &tasks->at[i];
	}
	qsort_r(list, nr, sizeof(*list), compare_tasks, &by);
	ret = begin(t, by, nr, tasks->nr_counters);
	if (ret >= 0)
		ret = rows_fill(t, tasks, list, nr);
	free(list);
	return ret;
}

/* ---- Keys ---- */

int top_table_keys(struct top_table *t, enum top_by by, const struct stat_run *stat)
{
	const struct by_rows *rows = &stat->keys.rows;
	int ret = begin(t, by, rows->nr, stat->set.nr);
	struct top_row *row;
	char name[NAME_PATH_SIZE];
	unsigned int k;
	size_t i;

	for (i = 0; i < rows->nr && ret >= 0; i++) {
		stat_keys_name(stat, &rows->at[i], name, sizeof(name));
		row = add(t, name, -1, -1);
		if (!row)
			return -ENOMEM;
		for (k = 0; k < stat->set.nr; k++)
			by_cell_take(&row->counts[k], &rows->at[i].cell[k]);
	}
	return ret;
}

/* ---- Order ---- */

struct order {
	const struct top_view *view;
	const struct top_columns *columns;
	const struct report *report;
	enum top_by by;
};

static int compare_places(const struct top_row *x, const struct top_row *y)
{
	return (x->place > y->place) - (x->place < y->place);
}

static int compare_values(const struct order *o, const struct top_row *x, const struct top_row *y)
{
	const struct top_column *column = &o->columns->at[o->view->sort];
	double a, b;
	bool has_a = top_column_value(column, o->report, x->counts, &a);
	bool has_b = top_column_value(column, o->report, y->counts, &b);

	if (!has_a || !has_b)
		return (int)has_b - (int)has_a;
	if (o->view->reverse)
		return (a > b) - (a < b);
	return (a < b) - (a > b);
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct top_row *x = *(struct top_row * const *)a, *y = *(struct top_row * const *)b;
	const struct order *o = arg;
	int ret = 0;

	if (o->view->sort >= 0 && o->view->sort < (int)o->columns->nr) {
		ret = compare_values(o, x, y);
	} else {
		if (o->by != TOP_BY_CPU)
			ret = strcmp(x->name, y->name);
		if (!ret)
			ret = compare_places(x, y);
		if (o->view->reverse)
			ret = -ret;
	}
	return ret ? ret : compare_places(x, y);
}

static bool let_through(const struct top_row *row, const char *filter)
{
	char number[16];

	if (!filter[0] || strcasestr(row->name, filter))
		return true;
	snprintf(number, sizeof(number), "%d", row->tid >= 0 ? row->tid : row->pid);
	return !strcmp(number, filter);
}

void top_table_sort(struct top_table *t, const struct top_view *view,
		    const struct top_columns *columns, const struct report *report)
{
	struct order order = { view, columns, report, t->by };
	size_t i;

	t->nr_shown = 0;
	for (i = 0; i < t->nr; i++) {
		if (let_through(&t->rows[i], view->filter))
			t->order[t->nr_shown++] = &t->rows[i];
	}
	if (t->nr_shown)
		qsort_r(t->order, t->nr_shown, sizeof(*t->order), compare_rows, &order);
}

bool top_row_partial(const struct top_table *t, const struct top_row *row)
{
	unsigned int i;

	for (i = 0; i < t->nr_counters; i++) {
		if (row->counts[i].enabled.mean > row->counts[i].running.mean)
			return true;
	}
	return false;
}
