// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The runs of stat: whom they count, the command of each, and what goes around it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args/cli.h"
#include "counters/lacks.h"
#include "counters/set_plan.h"
#include "counters/uncore.h"
#include "counters/workload.h"
#include "stat_run.h"

#define MS_NS 1000000

/*
 * A task that ends releases its memory. For each page that it has touched this takes some half of a
 * microsecond; such a page was a minor fault. perf does not count that, and it is worth a word where
 * it is above 1 % of the time.
 */
#define EXIT_US_PER_FAULT 0.5
#define EXIT_MATTERS 0.01

static double seconds_of(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
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

static void target_init(struct counter_target *target, const struct stat_run *st, pid_t child)
{
	const struct stat_options *o = &st->options;

	*target = (struct counter_target){ .type = PMCGRP_TARGET_TASK, .id = child };
	if (!o->no_inherit)
		target->flags = PMCGRP_CREATE_INHERIT;
	if (enabled_on_exec(o))
		target->flags |= PMCGRP_CREATE_ENABLE_ON_EXEC;
	if (o->aggr == AGGR_THREAD) {
		target_list(target, &st->threads);
		target->may_end = !o->tids.nr;
		/* As -t: these threads alone. */
		if (o->tids.nr)
			target->flags = 0;
	} else if (o->has_cpus) {
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
	if (o->until_exit)
		target->flags |= PMCGRP_CREATE_UNTIL_EXIT;
	if (o->background)
		target->flags |= PMCGRP_CREATE_BACKGROUND;
}

static void say_too_large(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	int refused = set_plan_explain(&st->set, pmcgrp_backend(st->h));

	if (refused >= 0)
		cli_say("%s: %s", st->set.counters[refused].name, st->set.counters[refused].planned);
	if (o->nr_metrics && !o->nr_events)
		cli_say("-M: the events of a metric are counted all together or not at all; \"pmcgrp "
			"list metric --details\" shows them, for smaller groups by -e");
	else
		cli_say("-e: what stands in one pair of braces is counted all together or not at "
			"all: write two pairs, {a,b},{c,d}");
}

int stat_groups_open(struct stat_run *st, pid_t child)
{
	const struct stat_options *o = &st->options;
	/* Default events were not asked for by name: only -v reports missing ones. */
	bool by_name = o->nr_events || o->detailed || o->verbose;
	struct counter_target target;
	int ret;

	/* A metric may be a number here that needs no event: "... if has_event(x) else 0". */
	if (o->null_run || (!st->set.nr && st->metrics.nr))
		return 0;
	target_init(&target, st, child);
	ret = counter_set_open(&st->set, st->h, &target,
			       by_name ? lacks_note : lacks_note_unnamed);
	/* Where there is none at all, that is what has to be said. */
	if (by_name || (ret >= 0 && !counter_set_supported(&st->set)))
		lacks_say();
	else
		lacks_forget();
	if (ret < 0) {
		cli_say("%s", pmcgrp_strerror(st->h)[0] ? pmcgrp_strerror(st->h) : strerror(-ret));
		if (pmcgrp_error_why(st->h) == PMCGRP_WHY_TOO_LARGE)
			say_too_large(st);
		return EXIT_TOOL;
	}
	if (!counter_set_supported(&st->set)) {
		cli_say("this machine supports none of the events: \"pmcgrp list --probe\" shows what "
			"can be counted here");
		counter_set_close(&st->set);
		return EXIT_TOOL;
	}
	if (stat_by_key(o)) {
		ret = stat_keys_open(st);
		if (ret) {
			counter_set_close(&st->set);
			return ret;
		}
	}
	if (o->verbose)
		cli_say("%u of %u events in %u groups", counter_set_supported(&st->set),
			st->set.nr, st->set.nr_groups);
	return 0;
}

static int cannot_run(const struct stat_run *st, int err)
{
	cli_say("cannot run '%s': %s", st->options.command[0], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static bool exit_matters(const struct stat_run *st, const struct rusage *usage)
{
	const struct stat_options *o = &st->options;
	double us = 1e6 * (seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime));

	if (o->until_exit || o->null_run || stat_counts_cpus(o) || stat_counts_tasks(o) ||
	    pmcgrp_backend(st->h) != PMCGRP_BACKEND_DEVICE)
		return false;
	return us * EXIT_MATTERS < (double)usage->ru_minflt * EXIT_US_PER_FAULT;
}

/* The end of the command, and what it has to say about itself. */
static void command_end(struct stat_run *st, struct workload *w, bool timeout)
{
	if (timeout)
		workload_signal(w, SIGTERM);
	workload_wait(w);
	st->report.has_times = st->options.repeat == 1 && st->report.passes < 2;
	st->report.user = seconds_of(w->usage.ru_utime);
	st->report.sys = seconds_of(w->usage.ru_stime);
	st->report.exit_matters |= exit_matters(st, &w->usage);
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
		ret = enabled_on_exec(o) ? counter_set_enable_uncore(&st->set) :
					   counter_set_enable(&st->set);
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
	ret = stat_count_until(st, &waiter, began, &timeout);
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

	/* Their clocks count only while their group does; and uncore PMUs have no rings. */
	if (!o->interval || o->delay < 0 || o->null_run || o->control || uncore_first(&st->set) ||
	    stat_by_key(o))
		return;
	if (stat_counts_cpus(o) && o->aggr != AGGR_THREAD)
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
	stat_keys_note(st);
	stat_keys_close(st);
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
	ret = stat_count_until(st, &waiter, 0, &timeout);
	waiter_free(&waiter);
	groups_close(st);
	return ret;
}

/* What is to be done before a run, or after it, by a shell. False: it failed. */
static bool hook(struct stat_run *st, const char *option, const char *command)
{
	int status = command ? system(command) : 0;

	if (!status)
		return true;
	if (status < 0)
		cli_say("%s '%s' cannot be run: %s", option, command, strerror(errno));
	else if (WIFSIGNALED(status))
		cli_say("%s '%s' was ended by signal %d: no run after it", option, command,
			WTERMSIG(status));
	else
		cli_say("%s '%s' ended with status %d: no run after it", option, command,
			WEXITSTATUS(status));
	st->status = EXIT_TOOL;
	return false;
}

/* A run with what goes around it, which is not counted. Sets @last if it was to be the last one. */
static int run_whole(struct stat_run *st, bool *last)
{
	const struct stat_options *o = &st->options;
	int ret;

	*last = !hook(st, "--pre", o->pre) || signals_stop();
	if (*last)
		return 0;
	if (o->sync)
		sync();
	/* Each has one run for each pass. */
	st->report.runs += !st->set.pass;
	ret = run_command(st);
	*last = ret || !hook(st, "--post", o->post) || signals_stop() || st->stop;
	return ret;
}

/* Puts the groups into passes, and says so. */
static int passes_init(struct stat_run *st)
{
	unsigned int least = 0;
	char *text = NULL;
	int ret = set_plan_passes(&st->set, pmcgrp_backend(st->h), &least, &text);

	if (ret >= 0) {
		st->report.passes = ret ? (unsigned int)ret : 1;
		cli_say("%u events, %u %s%s", st->set.nr, st->report.passes,
			st->report.passes == 1 ? "pass" : "passes: the command runs once for each",
			st->report.passes > least ? "; there may be a way with fewer" : "");
		if (text && st->options.verbose)
			cli_say("%s", text);
		ret = 0;
	} else if (text) {
		cli_say("--passes: %s", text);
		ret = EXIT_TOOL;
	} else {
		ret = cli_say_errno("--passes", -ret);
	}
	free(text);
	return ret;
}

int stat_count(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	bool last = false;
	unsigned int i;
	int ret = 0;

	st->report.passes = 1;
	if (o->passes)
		ret = passes_init(st);
	if (ret)
		return ret;

	signals_init();
	if (o->delay < 0)
		cli_say(o->control ? "events disabled" :
				     "-D -1: the events are disabled, and nothing will enable them; "
				     "--control can");
	if (!o->command) {
		st->report.runs = 1;
		return run_until_end(st);
	}
	for (i = 0; i < o->repeat * st->report.passes && !last; i++) {
		if (o->verbose && o->repeat * st->report.passes > 1)
			cli_say("run %u of %u", i + 1, o->repeat * st->report.passes);
		st->set.pass = i % st->report.passes;
		ret = run_whole(st, &last);
	}
	/* Not one run: there is nothing to print. */
	return ret || st->report.runs ? ret : EXIT_TOOL;
}
