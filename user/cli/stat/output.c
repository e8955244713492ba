// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Where stat prints, and in which of its three ways. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args/cli.h"
#include "counters/set_plan.h"
#include "stat_run.h"

/* perf names the columns anew after so many intervals. */
#define INTERVALS_A_PAGE 25

/* To the upper left, and all of it gone. */
#define CLEAR_SCREEN "\033[H\033[2J"

/* A copy: the descriptor itself stays as it is, for the command. */
static int log_fd_open(struct stat_run *st)
{
	int fd = fcntl(st->options.log_fd, F_DUPFD_CLOEXEC, 0), err = errno;

	st->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (st->file)
		return 0;
	if (fd >= 0) {
		err = errno;
		close(fd);
	}
	cli_say("--log-fd %d: %s; a shell opens it with %d>FILE", st->options.log_fd, strerror(err),
		st->options.log_fd);
	return EXIT_TOOL;
}

int stat_output_open(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	time_t now = time(NULL);
	char date[32];

	st->file = stderr;
	if (o->log_fd)
		return log_fd_open(st);
	if (o->quiet) {
		st->file = fopen("/dev/null", "we");
		return st->file ? 0 : cli_say_errno("/dev/null", errno);
	}
	/* As perf stat has it: "-" is where it goes by default. */
	if (!o->output || !strcmp(o->output, "-"))
		return 0;
	st->file = fopen(o->output, o->append ? "ae" : "we");
	if (!st->file)
		return cli_say_errno(o->output, errno);
	/* As perf stat; but a line of JSON has no place for it. */
	if (!o->json && ctime_r(&now, date))
		fprintf(st->file, "# started on %s\n", date);
	return 0;
}

static enum report_format format_of(const struct stat_options *o)
{
	if (o->separator)
		return REPORT_CSV;
	return o->json ? REPORT_JSON : REPORT_TABLE;
}

/* Once, if a group is never on the PMU. */
static void explain(struct stat_run *st)
{
	unsigned int i;

	for (i = 0; i < st->set.nr_groups && !st->planned; i++) {
		if (!counter_group_starved(&st->set, i))
			continue;
		set_plan_explain(&st->set, pmcgrp_backend(st->h));
		st->planned = true;
	}
}

int stat_write(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	struct report *report = &st->report;
	int ret = 0;

	explain(st);
	report->set = &st->set;
	report->metrics = &st->metrics;
	report->subject = st->subject;
	report->by = o->by.is ? by_key_names[o->by.key.type] : NULL;
	report->big_num = o->big_num;
	report->separator = o->separator;
	report->hide_zero = o->hide_zero || (o->aggr == AGGR_THREAD && !stat_counts_tasks(o));
	report->run_times = o->table ? st->runs : NULL;
	report->null_run = o->null_run;
	report->interval = o->interval && !st->total;
	report->summary = st->total && !o->no_csv_summary;
	report->columns = st->intervals % INTERVALS_A_PAGE == 0 || o->interval_clear;
	if (o->interval_clear && report->interval)
		fputs(CLEAR_SCREEN, st->file);
	if (o->by.is)
		ret = stat_keys_write(st);
	else if (o->metric_only)
		ret = report_metrics(st->file, report, format_of(o));
	else if (o->separator)
		report_csv(st->file, report);
	else if (!o->json)
		report_human(st->file, report);
	else
		ret = report_json(st->file, report);
	return ret < 0 ? cli_say_errno("cannot write JSON", -ret) : 0;
}

int stat_write_total(struct stat_run *st)
{
	counter_set_total(&st->set);
	st->report.elapsed = (struct stats){ 0 };
	stats_update(&st->report.elapsed, st->report.timestamp);
	st->total = true;
	return stat_write(st);
}

int stat_flush(struct stat_run *st)
{
	const struct stat_options *o = &st->options;

	if (fflush(st->file) || ferror(st->file))
		return cli_say_errno(o->output ? o->output : "stderr", errno);
	return 0;
}
