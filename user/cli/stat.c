// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp stat: count while something runs, then print. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "counter.h"
#include "report.h"
#include "stat_options.h"
#include "workload.h"

static const char default_events[] =
	"{task-clock,context-switches,cpu-migrations,page-faults},"
	"{cycles,instructions,branches,branch-misses}";

/* perf stat's choice, too: a CPU's own clock does not stop when it idles. */
static const char default_cpu_events[] =
	"{cpu-clock,context-switches,cpu-migrations,page-faults},"
	"{cycles,instructions,branches,branch-misses}";

/* CPU time outside the first thread that is worth a note: execve() itself is some. */
#define NOTE_SECONDS 0.05

struct stat {
	struct stat_options options;
	struct counter_set set;
	struct pmcgrp *h;
	FILE *file;
	char *subject;
	struct report report;
	int status;		/* the command's */
	double used;		/* seconds of CPU time of the command and all its descendants */
};

void cli_say(const char *format, ...)
{
	va_list args;

	fputs("pmcgrp stat: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static int say_errno(const char *what, int err)
{
	cli_say("%s: %s", what, strerror(err));
	return EXIT_TOOL;
}

/* The string again, and a caret under the character to blame. */
static void say_event_error(const char *string, const struct event_error *error)
{
	size_t i;

	cli_say("-e: %s", error->text);
	fprintf(stderr, "  %s\n  ", string);
	for (i = 0; i < error->column && string[i]; i++)
		fputc(string[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}

/* ---- Events ---- */

/* The string that the list's item @bad came from, given how many each brought. */
static const char *string_of(const struct stat_options *o, const size_t *ends, size_t bad)
{
	unsigned int i;

	for (i = 0; i < o->nr_events; i++) {
		if (bad < ends[i])
			return o->events[i];
	}
	return "";
}

static int events_lookup(struct stat *st, const struct event_list *list, const size_t *ends)
{
	struct event_error error;
	size_t bad;
	int ret;

	ret = counter_set_init(&st->set, list, &error, &bad);
	if (ret == -ENOENT)
		say_event_error(string_of(&st->options, ends, bad), &error);
	else if (ret < 0)
		say_errno("cannot set up the events", -ret);
	return ret < 0 ? EXIT_TOOL : 0;
}

static int events_init(struct stat *st)
{
	struct stat_options *o = &st->options;
	struct event_list list = { 0 };
	struct event_error error;
	const char *string = o->cpu >= 0 ? default_cpu_events : default_events;
	unsigned int i, nr = o->nr_events ? o->nr_events : 1;
	size_t *ends = calloc(nr, sizeof(*ends));
	int ret = EXIT_TOOL;

	if (!ends)
		return say_errno("cannot set up the events", ENOMEM);
	for (i = 0; i < nr; i++) {
		if (o->nr_events)
			string = o->events[i];
		ret = event_list_parse(&list, string, &error);
		if (ret < 0) {
			if (ret == -EINVAL)
				say_event_error(string, &error);
			else
				say_errno("cannot set up the events", -ret);
			ret = EXIT_TOOL;
			goto out;
		}
		ends[i] = list.nr;
	}
	ret = events_lookup(st, &list, ends);
out:
	event_list_free(&list);
	free(ends);
	return ret;
}

/* ---- Set-up ---- */

static int backend_open(struct stat *st)
{
	const struct stat_options *o = &st->options;
	unsigned int flags = 0;
	int ret;

	if (o->fallback)
		flags |= PMCGRP_OPEN_FALLBACK;
	if (o->perf)
		flags |= PMCGRP_OPEN_PERF;
	ret = pmcgrp_open(&st->h, flags);
	if (ret < 0) {
		cli_say("%s", pmcgrp_strerror(NULL));
		cli_say("--perf counts with perf_event_open(2) instead; --fallback does so where "
			"the module is not loaded");
		return EXIT_TOOL;
	}
	if (o->fallback && !o->perf && pmcgrp_backend(st->h) == PMCGRP_BACKEND_PERF)
		cli_say("the module pmcgrp is not loaded: counting with perf_event_open(2)");
	else if (o->verbose)
		cli_say("counting with %s", pmcgrp_backend_name(st->h));
	return 0;
}

static int subject_init(struct stat *st)
{
	const struct stat_options *o = &st->options;
	size_t size = 0;
	FILE *text = open_memstream(&st->subject, &size);
	int i;

	if (!text)
		return say_errno("cannot set up the report", errno);
	if (o->cpu >= 0) {
		fprintf(text, "CPU %d", o->cpu);
	} else if (o->pid) {
		fprintf(text, "thread %d", (int)o->pid);
	} else {
		fputc('\'', text);
		for (i = 0; o->command[i]; i++)
			fprintf(text, "%s%s", i ? " " : "", o->command[i]);
		fputc('\'', text);
	}
	if (fclose(text))
		return say_errno("cannot set up the report", errno);
	return 0;
}

static int output_open(struct stat *st)
{
	const struct stat_options *o = &st->options;
	time_t now = time(NULL);
	char date[32];

	st->file = stderr;
	if (!o->output)
		return 0;
	st->file = fopen(o->output, o->append ? "ae" : "we");
	if (!st->file)
		return say_errno(o->output, errno);
	/* As perf stat; but a line of JSON has no place for it. */
	if (!o->json && ctime_r(&now, date))
		fprintf(st->file, "# started on %s\n", date);
	return 0;
}

/* A thread of several: say that the others are not counted. */
static void threads_note(pid_t pid)
{
	char path[64], line[128];
	int threads = 1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file) && sscanf(line, "Threads: %d", &threads) != 1)
		;
	fclose(file);
	if (threads > 1)
		cli_say("process %d has %d threads; only thread %d is counted", (int)pid, threads,
			(int)pid);
}

/* ---- Counting ---- */

static void note_unsupported(const struct counter *counter, const char *why)
{
	(void)counter;
	cli_say("not supported here: %s", why);
}

static int groups_open(struct stat *st, pid_t child)
{
	const struct stat_options *o = &st->options;
	struct counter_target target = { .id = child, .enable_on_exec = true };
	/* Nobody asked for the default events one by one. */
	counter_note_fn note = o->nr_events || o->verbose ? note_unsupported : NULL;
	int ret;

	if (o->cpu >= 0)
		target = (struct counter_target){ .by_cpu = true, .id = o->cpu };
	else if (o->pid)
		target = (struct counter_target){ .id = o->pid };
	ret = counter_set_open(&st->set, st->h, &target, note);
	if (ret < 0) {
		cli_say("%s", pmcgrp_strerror(st->h)[0] ? pmcgrp_strerror(st->h) : strerror(-ret));
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

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double seconds(struct timeval tv)
{
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

/* CPU time that a process has had, in seconds; 0 where it cannot be told. */
static double cpu_time(pid_t pid)
{
	struct timespec ts = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0.0;
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Ends the interval: stop, take down, release. */
static int finish(struct stat *st, double start)
{
	int ret;

	stats_update(&st->report.elapsed, now() - start);
	st->report.runs++;
	ret = counter_set_disable(&st->set);
	if (ret >= 0)
		ret = counter_set_read(&st->set);
	counter_set_close(&st->set);
	return ret < 0 ? say_errno("cannot read the counters", -ret) : 0;
}

static int cannot_run(const struct stat *st, int err)
{
	cli_say("cannot run '%s': %s", st->options.command[0], strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static int run_command(struct stat *st)
{
	bool on_exec = st->options.cpu < 0 && !st->options.pid;
	struct workload w;
	double start;
	int ret;

	ret = workload_prepare(&w, st->options.command);
	if (ret < 0)
		return say_errno("cannot start a process", -ret);
	ret = groups_open(st, w.pid);
	if (ret) {
		workload_cancel(&w);
		return ret;
	}
	ret = on_exec ? 0 : counter_set_enable(&st->set);
	if (ret < 0) {
		workload_cancel(&w);
		counter_set_close(&st->set);
		return say_errno("cannot start the counters", -ret);
	}
	st->used -= cpu_time(w.pid);	/* what it took to get ready */
	start = now();
	ret = workload_start(&w);
	if (ret < 0) {
		counter_set_close(&st->set);
		return cannot_run(st, -ret);
	}
	workload_wait(&w);
	st->report.has_times = st->options.repeat == 1;
	st->report.user = seconds(w.usage.ru_utime);
	st->report.sys = seconds(w.usage.ru_stime);
	st->used += seconds(w.usage.ru_utime) + seconds(w.usage.ru_stime);
	if (!st->status)
		st->status = workload_exit_status(&w);
	return finish(st, start);
}

static int run_until_end(struct stat *st)
{
	double start;
	int ret;

	ret = groups_open(st, 0);
	if (ret)
		return ret;
	ret = counter_set_enable(&st->set);
	if (ret < 0) {
		counter_set_close(&st->set);
		return say_errno("cannot start the counters", -ret);
	}
	start = now();
	wait_for_end(st->options.pid);
	return finish(st, start);
}

static int run(struct stat *st)
{
	unsigned int i;
	int ret = 0;

	signals_init();
	if (!st->options.command)
		return run_until_end(st);
	for (i = 0; i < st->options.repeat && !ret && !signals_stop(); i++) {
		if (st->options.verbose && st->options.repeat > 1)
			cli_say("run %u of %u", i + 1, st->options.repeat);
		ret = run_command(st);
	}
	return ret;
}

/* ---- Printing ---- */

static void starved_note(const struct counter_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_groups; i++) {
		if (!counter_group_starved(set, i))
			continue;
		cli_say("the %sgroup of %u with %s was never on the PMU: it has more hardware "
			"events than there are counters, or others hold them",
			set->groups[i].pinned ? "pinned " : "", set->groups[i].nr,
			set->counters[set->groups[i].first].name);
	}
}

/*
 * A group counts one thread: when the command's others, or its children, took a
 * noticeable part of the CPU time, the counts are not the command's, and nothing
 * in the table would show it.
 */
static void descendants_note(const struct stat *st)
{
	double counted = 0.0;
	unsigned int i;

	if (!st->options.command || st->options.cpu >= 0 || st->options.pid)
		return;
	for (i = 0; i < st->set.nr; i++) {
		const struct stats *enabled = &st->set.counters[i].enabled;

		if (enabled->mean * enabled->n > counted)
			counted = enabled->mean * enabled->n;
	}
	counted /= 1e9;
	if (st->used > 1.1 * counted + NOTE_SECONDS)
		cli_say("only the command's first thread is counted: %.3f of %.3f seconds of CPU "
			"time; the rest was in its other threads and its children",
			counted, st->used);
}

static int print(struct stat *st)
{
	const struct stat_options *o = &st->options;
	struct report *report = &st->report;

	report->set = &st->set;
	report->subject = st->subject;
	report->big_num = o->big_num;
	report->separator = o->separator;
	starved_note(&st->set);
	descendants_note(st);
	if (o->csv)
		report_csv(st->file, report);
	else if (!o->json)
		report_human(st->file, report);
	else if (report_json(st->file, report) < 0)
		return say_errno("cannot write JSON", ENOMEM);
	if (fflush(st->file) || ferror(st->file))
		return say_errno(o->output ? o->output : "stderr", errno);
	return 0;
}

static void stat_free(struct stat *st)
{
	if (st->file && st->file != stderr)
		fclose(st->file);
	pmcgrp_close(st->h);
	counter_set_free(&st->set);
	free(st->subject);
	stat_options_free(&st->options);
}

int stat_main(int argc, char **argv)
{
	struct stat st = { 0 };
	int ret;

	ret = stat_options_parse(&st.options, argc, argv);
	if (ret <= 0) {
		stat_options_free(&st.options);
		return -ret;
	}
	ret = events_init(&st);
	if (!ret)
		ret = backend_open(&st);
	if (!ret)
		ret = subject_init(&st);
	if (!ret)
		ret = output_open(&st);
	if (!ret && st.options.pid)
		threads_note(st.options.pid);
	if (!ret)
		ret = run(&st);
	if (!ret)
		ret = print(&st);
	if (!ret)
		ret = st.status;
	stat_free(&st);
	return ret;
}
