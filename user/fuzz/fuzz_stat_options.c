// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of stat: each line of the input is one argument. */
#include "fuzz_args.h"
#include "stat/stat_options.h"

static bool within(const char *pointer, const char *text, size_t size)
{
	return pointer >= text && pointer <= text + size;
}

static void check(const struct stat_options *o, char **argv, int argc, const char *text,
		  size_t size)
{
	unsigned int i;

	must(o->repeat >= 1);
	for (i = 0; i < o->pids.nr; i++)
		must(o->pids.id[i] > 0);
	for (i = 0; i < o->tids.nr; i++)
		must(o->tids.id[i] > 0);
	must(!!o->pids.nr + !!o->tids.nr + stat_counts_cpus(o) <= 1);
	must(o->command || stat_counts_tasks(o) || stat_counts_cpus(o));
	must(o->has_cpus == !!pmcgrp_cpus_nr(&o->cpus));
	must(o->aggr == AGGR_GLOBAL || stat_counts_cpus(o) ||
	     (o->aggr == AGGR_THREAD && stat_counts_tasks(o)) ||
	     (o->command && (o->nr_events || o->nr_metrics)));
	must(o->cache_level >= 0 && o->cache_level <= 4);
	must(o->delay >= -1 && o->timeout >= 0 && o->interval >= 0);
	must(!o->interval_count || o->interval);
	must(o->repeat == 1 || !o->interval);
	must(!o->separator || *o->separator);
	must(!(o->separator && o->json));
	for (i = 0; i < o->nr_events; i++)
		must(within(o->events[i], text, size));
	must(!o->output || within(o->output, text, size));
	if (o->command) {
		must(o->command > argv && o->command < argv + argc);
		must(!argv[argc]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1] = { "stat" }, *text = text_of(data, size);
	struct stat_options o;
	int argc = args_of(text, argv), ret;

	ret = stat_options_parse(&o, argc, argv);
	must(ret == 1 || ret == 0 || ret == -EXIT_TOOL);
	if (ret == 1)
		check(&o, argv, argc, text, size);
	stat_options_free(&o);
	free(text);
	return 0;
}
