// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Sections are looked at and printed, once or at intervals. */
#include <errno.h>
#include <string.h>

#include "args/cli.h"
#include "section_report.h"
#include "section_run.h"

#define MS_NS 1000000

static int take(const struct section_run *run, struct section_set *set,
		const struct section_set *known)
{
	int ret;

	if (run->ids)
		ret = section_set_take_ids(set, run->h, known, run->ids, run->nr_ids);
	else
		ret = section_set_take(set, run->h, known);
	if (!ret && run->by)
		ret = section_set_take_keys(set, run->h, run->by);
	if (!ret)
		return 0;
	cli_say("%s", ret != -ENOMEM ? pmcgrp_strerror(run->h) : strerror(ENOMEM));
	return EXIT_TOOL;
}

int section_run_take(struct section_run *run)
{
	section_set_free(&run->now);
	return take(run, &run->now, NULL);
}

int section_run_flush(const struct section_run *run)
{
	return fflush(run->file) || ferror(run->file) ? cli_say_errno(run->file_name, errno) : 0;
}

static int print(const struct section_run *run, const struct section_report *report)
{
	int ret = 0;

	if (report->options->json)
		ret = section_json(run->file, report);
	else if (report->options->separator)
		section_csv(run->file, report);
	else
		section_table(run->file, report);
	if (ret < 0)
		return cli_say_errno("cannot show the sections", -ret);
	return section_run_flush(run);
}

int section_run_print(const struct section_run *run)
{
	const struct section_report report = {
		.set = &run->now,
		.options = &run->options,
		.histogram = run->options.histogram || section_asks_for_one(&run->options),
	};

	return print(run, &report);
}

/* What a section has counted until its end is gone with it. */
static void say_ended(const struct section_set *now, const struct section_set *before)
{
	unsigned int i;

	for (i = 0; i < before->nr; i++) {
		if (!section_set_find(now, before->sections[i].id))
			cli_say("section %s has ended: what it counted last is not shown",
				before->sections[i].name);
	}
}

static int print_interval(struct section_run *run, const struct section_set *before, int64_t now)
{
	struct section_set set;
	const struct section_report report = {
		.set = &set,
		.options = &run->options,
		.histogram = run->options.histogram,
		.interval = true,
		.timestamp = (double)(now - run->start) / 1e9,
	};
	int ret = section_set_copy(&set, &run->now);

	if (ret < 0) {
		ret = cli_say_errno("cannot show the sections", -ret);
	} else {
		section_set_subtract(&set, before);
		ret = print(run, &report);
	}
	section_set_free(&set);
	run->intervals++;
	return ret;
}

static int interval_end(struct section_run *run)
{
	struct section_set before = run->now;
	int64_t now = clock_now();
	int ret = take(run, &run->now, &before);

	if (!ret) {
		section_set_choose(&run->now, &run->options);
		say_ended(&run->now, &before);
		ret = print_interval(run, &before, now);
	}
	section_set_free(&before);
	return ret;
}

static bool intervals_done(const struct section_run *run)
{
	return run->options.interval_count && run->intervals >= run->options.interval_count;
}

int section_run_intervals(struct section_run *run, struct waiter *waiter)
{
	int64_t step = (int64_t)run->options.interval * MS_NS, next;
	enum wait_result result = WAIT_TIME;
	int ret = 0;

	while (!ret && result == WAIT_TIME && !intervals_done(run)) {
		/* On a grid: a point that was missed is left out. */
		next = run->start + ((clock_now() - run->start) / step + 1) * step;
		result = waiter_wait(waiter, next, !waiter->child);
		ret = interval_end(run);
	}
	return ret;
}

void section_run_free(struct section_run *run)
{
	section_set_free(&run->now);
}
