// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "counters/uncore.h"
#include "counters/workload.h"
#include "source.h"

/* One group, for each has rings of its own. A CPU's clock gives each task its time there. */
static const char *default_task_events[] = {
	"{cpu-clock,page-faults,cycles,instructions,branch-misses}",
};

/* ---- Who ---- */

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static int copy_ids(struct args_ids *to, const struct args_ids *from)
{
	if (!from->nr)
		return 0;
	to->id = calloc(from->nr, sizeof(*to->id));
	if (!to->id)
		return -ENOMEM;
	memcpy(to->id, from->id, from->nr * sizeof(*to->id));
	to->nr = from->nr;
	qsort(to->id, to->nr, sizeof(*to->id), compare);
	return 0;
}

bool top_source_by_key(const struct top_source *s, enum top_by by)
{
	if (by == TOP_BY_CGROUP)
		return s->has_cgroups && top_wanted_all(&s->tasks_wanted);
	return by == TOP_BY_COMMAND;
}

/* Without a mount of theirs /proc has the cgroup of a task that is there. */
static void cgroups_look(struct top_source *s)
{
	struct pmcgrp_cgroups *cgroups;

	s->has_cgroups = !pmcgrp_cgroups_new(&cgroups);
	if (s->has_cgroups)
		pmcgrp_cgroups_free(cgroups);
}

static int cgroup_init(struct top_source *s, const char *path)
{
	s->tasks_wanted.cgroup = proc_cgroup_folder(CGROUP_FOLDER, path);
	if (s->tasks_wanted.cgroup)
		return 0;
	cli_say("--cgroup: neither %s nor %s%s%s is a cgroup: there is no cgroup.procs", path,
		CGROUP_FOLDER, path[0] == '/' ? "" : "/", path);
	return EXIT_TOOL;
}

static void print_ids(FILE *text, const char *what, const struct args_ids *ids)
{
	unsigned int i;

	fputs(what, text);
	for (i = 0; i < ids->nr; i++)
		fprintf(text, "%s %d", i ? "," : "", ids->id[i]);
}

static int subject_init(struct top_source *s)
{
	const struct stat_options *o = &s->wanted;
	size_t size = 0;
	FILE *text = open_memstream(&s->subject, &size);

	if (!text)
		return cli_say_errno("cannot set up the screen", errno);
	if (s->options->cgroup)
		fprintf(text, "cgroup %s", s->options->cgroup);
	else if (o->pids.nr)
		print_ids(text, "process", &o->pids);
	else if (o->tids.nr)
		print_ids(text, "thread", &o->tids);
	if (fclose(text))
		return cli_say_errno("cannot set up the screen", errno);
	return 0;
}

int top_source_init(struct top_source *s, const struct top_options *options,
		    const struct stat_options *wanted)
{
	int ret = 0;

	*s = (struct top_source){ .options = options, .wanted = *wanted };
	s->tasks_wanted.inherit = !wanted->no_inherit;
	cgroups_look(s);
	if (copy_ids(&s->tasks_wanted.pids, &wanted->pids) < 0 ||
	    copy_ids(&s->tasks_wanted.tids, &wanted->tids) < 0)
		ret = cli_say_errno("cannot set up the list of tasks", ENOMEM);
	if (!ret && options->cgroup)
		ret = cgroup_init(s, options->cgroup);
	return ret ? ret : subject_init(s);
}

bool top_source_gone(const struct top_source *s)
{
	const struct args_ids *ids = s->wanted.pids.nr ? &s->wanted.pids : &s->wanted.tids;
	unsigned int i;

	for (i = 0; i < ids->nr; i++) {
		if (kill(ids->id[i], 0) >= 0 || errno != ESRCH)
			return false;
	}
	return ids->nr;
}

/* ---- Life ---- */

static void close_all(struct top_source *s)
{
	top_rings_close(&s->rings);
	top_tasks_free(&s->tasks);
	top_table_free(&s->table);
	top_columns_free(&s->columns);
	stat_keys_close(&s->stat);
	counter_set_close(&s->stat.set);
	/* The lists are not its own. */
	s->stat.options = (struct stat_options){ 0 };
	stat_free(&s->stat);
	memset(&s->stat, 0, sizeof(s->stat));
}

void top_source_free(struct top_source *s)
{
	close_all(s);
	top_wanted_free(&s->tasks_wanted);
	free(s->subject);
	stat_options_free(&s->wanted);
}

/* Rows of tasks count CPUs: who is wanted is chosen from all that runs there. */
static void options_init(struct top_source *s)
{
	struct stat_options *o = &s->stat.options;

	*o = s->wanted;
	if (s->by == TOP_BY_CPU && o->aggr == AGGR_GLOBAL)
		o->aggr = AGGR_NONE;
	if (!top_by_tasks(s->by))
		return;
	o->pids = o->tids = (struct args_ids){ 0 };
	o->no_inherit = false;
	o->all_cpus = !o->has_cpus;
	if (!o->nr_events) {
		o->events = default_task_events;
		o->nr_events = 1;
	}
	if (!top_source_by_key(s, s->by))
		return;
	o->by = (struct stat_by){
		.is = true,
		.key.type = s->by == TOP_BY_CGROUP ? PMCGRP_KEY_CGROUP : PMCGRP_KEY_COMMAND,
		.key.depth = PMCGRP_KEYS_LEAF,
	};
	/* Rows are those of an interval. */
	o->interval = s->options->delay;
}

static int say_rings(const struct top_source *s, int err)
{
	const char *text = pmcgrp_strerror(s->stat.h);

	if (err == EPERM || err == ENOSPC || err == ENOMEM) {
		cli_say("cannot map the rings: %s: use smaller ones (-m, now %d pages), or see "
			"rings_user_kb and rings_max_mb in pmcgrp(4)", strerror(err),
			s->options->pages);
		return EXIT_TOOL;
	}
	cli_say("cannot count by task: %s", text[0] ? text : strerror(err));
	return EXIT_TOOL;
}

static int tasks_open(struct top_source *s)
{
	int ret;

	if (top_source_gone(s)) {
		cli_say("%s: there is no such %s", s->wanted.pids.nr ? "-p" : "-t",
			s->wanted.pids.nr ? "process" : "thread");
		return EXIT_TOOL;
	}
	ret = top_tasks_init(&s->tasks, s->stat.set.nr, &s->tasks_wanted, PROC_FOLDER);
	if (!ret)
		ret = top_tasks_begin(&s->tasks);
	if (ret < 0)
		return cli_say_errno("cannot set up the list of tasks", -ret);
	ret = top_rings_open(&s->rings, &s->stat.set, s->stat.h, s->options->pages);
	return ret < 0 ? say_rings(s, -ret) : 0;
}

static int say_uncore(const struct counter *counter)
{
	cli_say("-e: %s is counted of a part of the machine, and of no task or CPU that top could "
		"show: \"pmcgrp stat -a -I 1000 -e '%s'\" prints it each second", counter->name,
		counter->name);
	return EXIT_TOOL;
}

/* Which groups there are; the events that were not asked for are not missed. */
static int groups_open(struct top_source *s)
{
	int ret = stat_setup(&s->stat);

	if (ret)
		return ret;
	if (uncore_first(&s->stat.set))
		return say_uncore(uncore_first(&s->stat.set));
	if (pmcgrp_backend(s->stat.h) == PMCGRP_BACKEND_PERF) {
		s->wanted.perf = true;
		if (top_by_tasks(s->by)) {
			cli_say("rows of tasks need /dev/pmcgrp; rows of CPUs do not: --by cpu");
			return EXIT_TOOL;
		}
	}
	s->stat.options.nr_events = s->wanted.nr_events;
	return stat_groups_open(&s->stat, 0);
}

int top_source_open(struct top_source *s, enum top_by by)
{
	int ret;

	close_all(s);
	s->by = by;
	s->lost = s->lost_names = 0;
	options_init(s);
	ret = groups_open(s);
	if (ret)
		return ret;
	s->table.by = by;
	s->stat.report.set = &s->stat.set;
	s->stat.report.subject = s->subject[0] && top_by_tasks(by) ? s->subject : s->stat.subject;
	s->stat.report.runs = 1;
	if (top_columns_init(&s->columns, &s->stat.set) < 0)
		return cli_say_errno("cannot set up the columns", ENOMEM);
	if (top_source_has_rings(s, by))
		ret = tasks_open(s);
	if (ret)
		return ret;
	ret = counter_set_enable(&s->stat.set);
	if (ret < 0)
		return cli_say_errno("cannot start the counters", -ret);
	s->last = clock_now();
	return 0;
}

/* ---- Intervals ---- */

static void elapsed_set(struct top_source *s)
{
	int64_t now = clock_now();

	s->stat.report.elapsed = (struct stats){ 0 };
	stats_update(&s->stat.report.elapsed, (double)(now - s->last) / 1e9);
	s->last = now;
}

static int interval_tasks(struct top_source *s)
{
	int ret = top_rings_end(&s->rings, &s->tasks);

	if (ret < 0)
		return ret;
	elapsed_set(s);
	s->lost = s->rings.lost;
	s->lost_names = s->rings.lost_names;
	s->rings.lost = s->rings.lost_names = 0;
	ret = top_tasks_end(&s->tasks, s->by == TOP_BY_CGROUP);
	if (ret >= 0)
		ret = top_table_tasks(&s->table, s->by, &s->tasks);
	top_tasks_next(&s->tasks);
	return ret;
}

static int interval_keys(struct top_source *s)
{
	int ret = stat_keys_read(&s->stat);

	if (ret < 0)
		return ret;
	elapsed_set(s);
	ret = top_table_keys(&s->table, s->by, &s->stat);
	stat_keys_next(&s->stat);
	return ret;
}

static int interval_read(struct top_source *s)
{
	struct counter_set *set = &s->stat.set;
	int ret;

	counter_set_clear(set);
	ret = counter_set_read(set);
	if (!ret)
		ret = counter_set_explain(set, s->stat.h, false);
	if (ret < 0)
		return ret;
	elapsed_set(s);
	return s->by == TOP_BY_CPU ? top_table_cpus(&s->table, set) : 0;
}

int top_source_interval(struct top_source *s)
{
	if (top_source_by_key(s, s->by))
		return interval_keys(s);
	return top_by_tasks(s->by) ? interval_tasks(s) : interval_read(s);
}

int top_source_drain(struct top_source *s)
{
	if (top_source_has_rings(s, s->by))
		return top_rings_drain(&s->rings, &s->tasks);
	if (!top_source_by_key(s, s->by) || clock_now() < stat_keys_until(&s->stat, INT64_MAX))
		return 0;
	return stat_keys_drain(&s->stat);
}
