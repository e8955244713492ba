// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp section: what sections of kernel modules have counted. */
#include <errno.h>
#include <string.h>

#include "common/cli.h"
#include "common/workload.h"
#include "section.h"

#define MS_NS 1000000

/* Names that an error lists; it says how many more there are. */
#define LISTED_MAX 16

struct section_run {
	struct section_options options;
	struct pmcgrp *h;
	struct section_set now;		/* what was chosen, with all that it has counted */
	int64_t start;			/* of the intervals */
	unsigned int intervals;
};

static int take_all(struct section_run *run, struct section_set *set,
		    const struct section_set *known)
{
	int ret = section_set_take(set, run->h, known);

	if (!ret)
		return 0;
	cli_say("%s", ret != -ENOMEM ? pmcgrp_strerror(run->h) : strerror(ENOMEM));
	return EXIT_TOOL;
}

/* ---- Whether there is what was asked for ---- */

/* Whether a section before it has the same name. */
static bool is_named_before(const struct section_set *set, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < i && strcmp(set->sections[k].name, set->sections[i].name); k++)
		;
	return k < i;
}

static int say_none_matches(const struct section_set *all, const char *glob)
{
	char names[LISTED_MAX * (PMCGRP_SECTION_NAME_MAX + 2)] = "", more[32] = "";
	unsigned int i, nr = 0;
	size_t len = 0;

	for (i = 0; i < all->nr; i++) {
		if (is_named_before(all, i) || nr++ >= LISTED_MAX)
			continue;
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
					all->sections[i].name);
	}
	if (nr > LISTED_MAX)
		snprintf(more, sizeof(more), " and %u more", nr - LISTED_MAX);
	cli_say("no section's name matches '%s'; there are: %s%s", glob, names, more);
	return EXIT_TOOL;
}

/* Returns 0, or EXIT_TOOL after what is missing was reported. */
static int check_globs(const struct section_set *all, const struct section_options *options)
{
	unsigned int i, k;

	if (!all->nr) {
		cli_say("no kernel module has a section now, and no group a span: one that is built against <linux/pmcgrp.h> "
			"makes them by pmcgrp_section_create(), as pmcgrp_sample does "
			"(pmcgrp-section(1))");
		return EXIT_TOOL;
	}
	for (i = 0; i < options->nr_globs; i++) {
		struct section_options one = { .globs = options->globs + i, .nr_globs = 1 };

		for (k = 0; k < all->nr && !section_matches(&one, all->sections[k].name); k++)
			;
		if (k == all->nr)
			return say_none_matches(all, options->globs[i]);
	}
	return 0;
}

/* ---- Output ---- */

static void print_names(const struct section_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (!is_named_before(set, i))
			puts(set->sections[i].name);
	}
}

static int print(const struct section_report *report)
{
	int ret = 0;

	if (report->options->names)
		print_names(report->set);
	else if (report->options->json)
		ret = section_json(stdout, report);
	else if (report->options->separator)
		section_csv(stdout, report);
	else
		section_table(stdout, report);
	if (ret < 0)
		return cli_say_errno("cannot show the sections", -ret);
	if (fflush(stdout) || ferror(stdout))
		return cli_say_errno("stdout", errno);
	return 0;
}

static int print_all(const struct section_run *run)
{
	const struct section_report report = {
		.set = &run->now,
		.options = &run->options,
		.histogram = run->options.histogram || section_asks_for_one(&run->options),
	};

	return print(&report);
}

/* ---- Intervals ---- */

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
		ret = print(&report);
	}
	section_set_free(&set);
	run->intervals++;
	return ret;
}

static int interval_end(struct section_run *run)
{
	struct section_set before = run->now;
	int64_t now = clock_now();
	int ret = take_all(run, &run->now, &before);

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

/* Until their number is reached, or a signal comes: then the rest is shown. */
static int intervals(struct section_run *run)
{
	int64_t step = (int64_t)run->options.interval * MS_NS, next;
	enum wait_result result = WAIT_TIME;
	struct waiter waiter;
	int ret = 0;

	signals_init();
	waiter_init(&waiter, 0, false);
	while (!ret && result == WAIT_TIME && !intervals_done(run)) {
		/* On a grid: a point that was missed is left out. */
		next = run->start + ((clock_now() - run->start) / step + 1) * step;
		result = waiter_wait(&waiter, next, true);
		ret = interval_end(run);
	}
	waiter_free(&waiter);
	return ret;
}

static int run_all(struct section_run *run)
{
	int ret;

	run->start = clock_now();
	ret = take_all(run, &run->now, NULL);
	if (!ret)
		ret = check_globs(&run->now, &run->options);
	if (ret)
		return ret;
	section_set_choose(&run->now, &run->options);
	return run->options.interval ? intervals(run) : print_all(run);
}

int section_main(int argc, char **argv)
{
	struct section_run run = { 0 };
	int ret;

	cli_begin("section");
	ret = section_options_parse(&run.options, argc, argv);
	if (ret <= 0)
		return -ret;
	if (pmcgrp_open(&run.h, 0) < 0) {
		cli_say("%s", pmcgrp_strerror(NULL));
		return EXIT_TOOL;
	}
	ret = run_all(&run);
	section_set_free(&run.now);
	pmcgrp_close(run.h);
	return ret;
}
