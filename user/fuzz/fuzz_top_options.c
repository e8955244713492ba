// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of top: each line of the input is one argument. */
#include "fuzz_args.h"
#include "top/top_options.h"

static void check(const struct top_options *o, const struct stat_options *stat)
{
	must(o->delay >= TOP_DELAY_MIN && o->iterations >= 0 && o->lines >= 0);
	must(o->pages > 0 && !(o->pages & (o->pages - 1)));
	must(!(o->json && o->batch) && (!o->matrix || o->by == TOP_BY_CPU));
	must(!o->filter || strlen(o->filter) < TOP_FILTER_SIZE);
	must(!top_options_refuse_by(o, stat, o->by) || stat->all_cpus);
	must(!!stat->pids.nr + !!stat->tids.nr + stat_counts_cpus(stat) == 1);
	must(stat->has_cpus == !!pmcgrp_cpus_nr(&stat->cpus));
	must(stat->aggr == AGGR_GLOBAL || stat_counts_cpus(stat));
	must(!stat->command && !stat->interval && !stat->separator && !stat->json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1] = { "top" }, *text = text_of(data, size);
	struct stat_options stat;
	struct top_options o;
	int argc = args_of(text, argv), ret;

	ret = top_options_parse(&o, &stat, argc, argv);
	must(ret == 1 || ret == 0 || ret == -EXIT_TOOL);
	if (ret == 1)
		check(&o, &stat);
	stat_options_free(&stat);
	free(text);
	return 0;
}
