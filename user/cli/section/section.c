// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp section: what sections of kernel modules have counted. */
#include <errno.h>
#include <string.h>

#include "args/cli.h"
#include "counters/workload.h"
#include "section_run.h"

/* Names that an error lists; it says how many more there are. */
#define LISTED_MAX 16

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

static int intervals(struct section_run *run)
{
	struct waiter waiter;
	int ret;

	signals_init();
	waiter_init(&waiter, 0, false);
	ret = section_run_intervals(run, &waiter);
	waiter_free(&waiter);
	return ret;
}

static int run_all(struct section_run *run)
{
	int ret;

	run->start = clock_now();
	ret = section_run_take(run);
	if (!ret)
		ret = check_globs(&run->now, &run->options);
	if (ret)
		return ret;
	section_set_choose(&run->now, &run->options);
	if (run->options.names) {
		print_names(&run->now);
		return section_run_flush(run);
	}
	return run->options.interval ? intervals(run) : section_run_print(run);
}

int section_main(int argc, char **argv)
{
	struct section_run run = { .file = stdout, .file_name = "stdout" };
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
	section_run_free(&run);
	pmcgrp_close(run.h);
	return ret;
}
