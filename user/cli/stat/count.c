// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The counting of stat: whom, from when to when, and when to read.
 *
 * Intervals stand on a grid from the start of the counting: what one read takes too
 * long, or an interval begins too late, is not added up. Short ones of CPUs come from rings
 * (interval.c), many at once.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common/cli.h"
#include "common/workload.h"
#include "stat.h"

#define MS_NS 1000000

static double seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

static double seconds_of(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

static void note_unsupported(const struct counter *counter, const char *why)
{
	cli_say("%s%s", counter->supported ? "" : "not supported here: ", why);
}

/* The command counts from its exec on, unless something else says when. */
static bool enabled_on_exec(const struct stat_options *o)
{
	return !stat_counts_cpus(o) && !stat_counts_tasks(o) && !o->delay;
}

static void target_list(struct counter_target *target, const struct args_ids *ids)
{
	target->id = ids->id[0];
	target->more = ids->id + 1;
	target->nr_more = ids->nr - 1;
}

static void target_init(struct counter_target *target, const struct stat_options *o, pid_t child)
{
	*target = (struct counter_target){ .type = PMCGRP_TARGET_TASK, .id = child };
	if (!o->no_inherit)
		target->flags = PMCGRP_CREATE_INHERIT;
	if (enabled_on_exec(o))
		target->flags |= PMCGRP_CREATE_ENABLE_ON_EXEC;
	if (o->has_cpus) {
		target->type = PMCGRP_TARGET_CPUS;
		target->cpus = o->cpus;
		target->flags = 0;
	} else if (o->all_cpus) {
		target->type = PMCGRP_TARGET_ALL_CPUS;
		target->flags = 0;
	} else if (o->pids.nr) {
		target->type = PMCGRP_TARGET_PROCESS;
		target_list(target, &o->pids);
	} else if (o->tids.nr) {
		target_list(target, &o->tids);
		target->flags = 0;
	}
}

int stat_groups_open(struct stat_run *st, pid_t child)
{
	const struct stat_options *o = &st->options;
	/* Default events were not asked for by name: only -v reports missing ones. */
	counter_note_fn note = o->nr_events || o->verbose ? note_unsupported : NULL;
	struct counter_target target;
	int ret;

	target_init(&target, o, child);
	ret = counter_set_open(&st->set, st->h, &target, note);
	if (ret < 0) {
		cli_say("%s", pmcgrp_strerror(st->h)[0] ? pmcgrp_strerror(st->h) : strerror(-ret));
		if (pmcgrp_error_why(st->h) == PMCGRP_WHY_TOO_LARGE)
			cli_say("-e: what stands in one pair of braces is counted all together "
				"or not at all: write two pairs, {a,b},{c,d}");
		return EXIT_TOOL;
	}
	if (!counter_set_supported(&st->set)) {
		cli_say("this machine supports none of the events");
		counter_set_close(&st->set);
		return EXIT_TOOL;
	}
	if (o->verbose)
		cli_say("%u of %u events in %u groups", counter_set_supported(&st->set),
			st->set.nr, st->set.nr_groups);
	return 0;
}

/* ---- Intervals ---- */

struct timing {
	int64_t start;		/* of the counting */
	int64_t last;		/* end of the interval before */
	int64_t interval;	/* 0: none */
	int64_t end;		/* by --timeout */
};

static void timing_init(struct timing *t, const struct stat_options *o, int64_t began)
{
	t->start = began;
	t->last = began;
	t->interval = (int64_t)o->interval * MS_NS;
	t->end = o->timeout ? t->start + (int64_t)o->timeout * MS_NS : WAIT_FOREVER;
}

/*
 * The next point of the grid; one that was missed is left out. With rings many are taken at once,
 * but not more than are asked for.
 */
static int64_t timing_next(const struct stat_run *st, const struct timing *t)
{
	unsigned int more = st->options.interval_count - st->intervals;
	int64_t next, last;

	if (!t->interval)
		return t->end;
	if (st->rings.nr) {
		next = interval_rings_next(&st->rings, t->start);
		last = t->last + (more + 1) * t->interval;
		if (st->options.interval_count && last < next && last > clock_now())
			next = last;
		return next < t->end ? next : t->end;
	}
	next = t->start + ((clock_now() - t->start) / t->interval + 1) * t->interval;
	return next < t->end ? next : t->end;
}

/* Before what was counted since the last time is added to the statistics. */
static void take_begin(struct stat_run *st, const struct timing *t)
{
	if (!t->interval)
		return;
	counter_set_clear(&st->set);
	st->report.elapsed = (struct stats){ 0 };
}

/* After that: it was counted until @now. */
static void take_end(struct stat_run *st, struct timing *t, int64_t now)
{
	stats_update(&st->report.elapsed, seconds(now - t->last));
	st->report.timestamp = seconds(now - t->start);
	t->last = now;
}

/* Takes down what was counted since the last time, @now. */
static int take(struct stat_run *st, struct timing *t, int64_t now)
{
	int ret;

	take_begin(st, t);
	ret = counter_set_read(&st->set);
	if (ret < 0)
		return cli_say_errno("cannot read the counters", -ret);
	take_end(st, t, now);
	return 0;
}

/* While the groups are enabled. @fetch: they have not been read just now. */
static int explain(struct stat_run *st, bool fetch)
{
	int ret = counter_set_explain(&st->set, st->h, fetch);

	return ret < 0 ? cli_say_errno("cannot read the counters", -ret) : 0;
}

static int interval_end(struct stat_run *st)
{
	int ret = explain(st, false);

	if (!ret)
		ret = stat_write(st);
	st->intervals++;
	return ret;
}

static int interval_read(struct stat_run *st, struct timing *t, int64_t now)
{
	int ret = take(st, t, now);

	if (!ret)
		ret = interval_end(st);
	return ret ? ret : stat_flush(st);
}

/* The intervals that the rings have, all but one that ends with the counting. */
static int intervals_write(struct stat_run *st, struct timing *t, int64_t now)
{
	int64_t limit = t->end == WAIT_FOREVER ? WAIT_FOREVER : t->end - t->interval / 2, end;
	int ret;

	ret = interval_rings_begin(&st->rings, now);
	while (ret >= 0 && !stat_intervals_done(st)) {
		take_begin(st, t);
		ret = interval_rings_take(&st->rings, now, limit, &end);
		if (ret <= 0)
			break;
		take_end(st, t, end);
		ret = interval_end(st);
		if (ret)
			return ret;
	}
	interval_rings_end(&st->rings);
	return ret < 0 ? cli_say_errno("cannot read the rings", -ret) : stat_flush(st);
}

/* Where the rings do not have each interval of each CPU, intervals are read from now on. */
static int intervals_take(struct stat_run *st, struct timing *t, int64_t now)
{
	unsigned int before = st->intervals;
	int ret;

	if (!st->rings.nr)
		return interval_read(st, t, now);
	ret = intervals_write(st, t, now);
	if (ret || stat_intervals_done(st))
		return ret;
	if (!st->rings.useless && (st->intervals != before || now - t->last < 2 * t->interval))
		return 0;
	interval_rings_free(&st->rings);
	return now - t->last < t->interval ? 0 : interval_read(st, t, now);
}

bool stat_intervals_done(const struct stat_run *st)
{
	return st->options.interval_count && st->intervals >= st->options.interval_count;
}

/* ---- From start to end ---- */

/*
 * Waits for -D, and starts the counters. Sets @over if the target ended, or a signal
 * came, before that.
 */
static int start(struct stat_run *st, struct waiter *waiter, bool *over)
{
	const struct stat_options *o = &st->options;
	int64_t until = clock_now() + (int64_t)o->delay * MS_NS;
	int ret;

	*over = false;
	if (o->delay < 0)
		return 0;
	if (o->delay && waiter_wait(waiter, until, !waiter->child) != WAIT_TIME) {
		cli_say("it ended before the %d ms of -D were over: nothing was counted",
			o->delay);
		*over = true;
		return 0;
	}
	ret = counter_set_enable(&st->set);
	return ret < 0 ? cli_say_errno("cannot start the counters", -ret) : 0;
}

/*
 * Counts until the target ends, a signal comes that is not the command's, or it was
 * enough. @began is when the counters were started, or 0 if that is to be done. Sets
 * @timeout if the time is over. The last interval, or all of it, is left to be
 * printed, unless there were as many as were asked for.
 */
static int count(struct stat_run *st, struct waiter *waiter, int64_t began, bool *timeout)
{
	bool over = false;
	struct timing t;
	int ret = 0;

	*timeout = false;
	if (!began)
		ret = start(st, waiter, &over);
	if (ret)
		return ret;
	timing_init(&t, &st->options, began ? began : clock_now());
	if (st->rings.nr && !over)
		interval_rings_start(&st->rings);
	while (!over) {
		int64_t now;

		if (waiter_wait(waiter, timing_next(st, &t), !waiter->child) != WAIT_TIME)
			break;
		now = clock_now();
		*timeout = now >= t.end;
		if (*timeout)
			break;
		ret = intervals_take(st, &t, now);
		if (ret || stat_intervals_done(st))
			return ret;
	}
	if (st->rings.nr)
		ret = intervals_write(st, &t, clock_now());
	if (ret || stat_intervals_done(st))
		return ret;
	ret = explain(st, true);
	if (ret)
		return ret;
	ret = counter_set_disable(&st->set);
	if (ret < 0)
		return cli_say_errno("cannot stop the counters", -ret);
	return take(st, &t, clock_now());
}

static int cannot_run(const struct stat_run *st, int err)
{
	cli_say("cannot run '%s': %s", st->options.command[0], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* The end of the command, and what it has to say about itself. */
static void command_end(struct stat_run *st, struct workload *w, bool timeout)
{
	if (timeout)
		workload_signal(w, SIGTERM);
	workload_wait(w);
	st->report.has_times = st->options.repeat == 1;
	st->report.user = seconds_of(w->usage.ru_utime);
	st->report.sys = seconds_of(w->usage.ru_stime);
	/* That we ended it is what was asked for. */
	if (timeout && WIFSIGNALED(w->status) && WTERMSIG(w->status) == SIGTERM)
		return;
	if (!st->status)
		st->status = workload_exit_status(w);
}

/* With the groups open. */
static int command_count(struct stat_run *st, struct workload *w)
{
	const struct stat_options *o = &st->options;
	struct waiter waiter;
	int64_t began = 0;
	bool timeout;
	int ret = 0;

	/* Others than the command itself are counted from before it starts. */
	if (!o->delay) {
		ret = enabled_on_exec(o) ? 0 : counter_set_enable(&st->set);
		began = clock_now();
	}
	if (ret < 0) {
		workload_cancel(w);
		return cli_say_errno("cannot start the counters", -ret);
	}
	ret = workload_start(w);
	if (ret < 0)
		return cannot_run(st, -ret);
	waiter_init(&waiter, w->pid, true);
	ret = count(st, &waiter, began, &timeout);
	waiter_free(&waiter);
	command_end(st, w, timeout);
	return ret;
}

/* Without rings each interval is read: they can be had of CPUs, of the module, and for memory. */
static void rings_open(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	struct pmcgrp_cpus cpus = o->cpus;
	int ret = -EOPNOTSUPP;

	if (!o->interval || o->delay < 0)
		return;
	if (stat_counts_cpus(o))
		ret = o->has_cpus ? 0 : pmcgrp_cpus_online(&cpus);
	if (!ret)
		ret = interval_rings_open(&st->rings, &st->set, st->h, &cpus,
					  (int64_t)o->interval * MS_NS);
	if (o->verbose)
		cli_say(ret ? "each interval is read" : "the intervals come from rings");
}

static void groups_close(struct stat_run *st)
{
	interval_rings_free(&st->rings);
	counter_set_close(&st->set);
}

static int run_command(struct stat_run *st)
{
	struct workload w;
	int ret;

	ret = workload_prepare(&w, st->options.command);
	if (ret < 0)
		return cli_say_errno("cannot start a process", -ret);
	ret = stat_groups_open(st, w.pid);
	if (ret) {
		workload_cancel(&w);
		return ret;
	}
	rings_open(st);
	ret = command_count(st, &w);
	groups_close(st);
	return ret;
}

/* The process that a thread belongs to, whose end is to be waited for. */
static pid_t process_of(pid_t tid)
{
	char path[64], line[128];
	int pid = (int)tid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		return tid;
	while (fgets(line, sizeof(line), file) && sscanf(line, "Tgid: %d", &pid) != 1)
		;
	fclose(file);
	return pid;
}

/* All of them are waited for, a process by its number even if -p has named one of its threads. */
static int targets_wait(struct waiter *waiter, const struct stat_options *o)
{
	const struct args_ids *ids = o->pids.nr ? &o->pids : &o->tids;
	unsigned int i;
	int *id = calloc(ids->nr + 1, sizeof(*id));

	if (!id)
		return -ENOMEM;
	for (i = 0; i < ids->nr; i++)
		id[i] = o->pids.nr ? process_of(ids->id[i]) : ids->id[i];
	waiter_init(waiter, id[0], false);
	if (ids->nr > 1)
		waiter_add(waiter, id + 1, ids->nr - 1);
	free(id);
	return 0;
}

static int run_until_end(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	struct waiter waiter;
	bool timeout;
	int ret;

	ret = stat_groups_open(st, 0);
	if (ret)
		return ret;
	ret = targets_wait(&waiter, o);
	if (ret < 0) {
		groups_close(st);
		return cli_say_errno("cannot wait for the targets", -ret);
	}
	rings_open(st);
	ret = count(st, &waiter, 0, &timeout);
	waiter_free(&waiter);
	groups_close(st);
	return ret;
}

int stat_count(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	unsigned int i;
	int ret = 0;

	signals_init();
	if (o->delay < 0)
		cli_say("-D -1: the events are disabled, and nothing will enable them");
	if (!o->command) {
		st->report.runs = 1;
		return run_until_end(st);
	}
	for (i = 0; i < o->repeat && !ret && !signals_stop(); i++) {
		if (o->verbose && o->repeat > 1)
			cli_say("run %u of %u", i + 1, o->repeat);
		st->report.runs++;
		ret = run_command(st);
	}
	return ret;
}
