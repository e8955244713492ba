// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of span: each line of the input is one argument. */
#include "fuzz_args.h"
#include <string.h>

#include <linux/pmcgrp.h>

#include "span/span_options.h"
#include "span/point_pair.h"

static void check_pair(const char *word)
{
	struct point_pair pair;

	must(word[0] != '/' && word[0] != '.' && !point_parse(&pair, word));
	must(pair.begin.name[0] && pair.end.name[0] && pair.key <= PMCGRP_SPAN_KEY_ARG);
	must(!strpbrk(pair.begin.name, ":/@") && !strpbrk(pair.end.name, ":/@"));
	must((pair.key == PMCGRP_SPAN_KEY_ARG) == (pair.arg_size == 4 || pair.arg_size == 8));
	must(pair.begin_arg < PMCGRP_SPAN_ARGS_MAX && pair.end_arg < PMCGRP_SPAN_ARGS_MAX);
}

static void check(const struct span_options *o)
{
	bool cpus = o->all_cpus || o->has_cpus, tasks = o->pids.nr || o->tids.nr;
	unsigned int i;

	must(o->nr_functions && o->max_active >= 0);
	must(o->command || cpus || tasks || o->cgroups);
	must(!o->cgroups || (!tasks && !o->has_cpus));
	must(!(cpus && tasks) && !(o->pids.nr && o->tids.nr));
	must(!o->no_inherit || (!cpus && !tasks));
	must(!o->show.interval_count || o->show.interval > 0);
	must(!(o->show.json && o->show.separator));
	must(!o->show.separator || *o->show.separator);
	must(!o->command || o->command[0]);
	must(o->record ? o->record[0] && !o->show.interval && !o->cgroups : !o->pages);
	must(o->pages >= 0 && o->pages <= ARGS_PAGES_MAX && !(o->pages & (o->pages - 1)));
	for (i = 0; i < o->nr_functions; i++)
		if (point_is_pair(o->functions[i]))
			check_pair(o->functions[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1] = { "span" }, *text = text_of(data, size);
	struct span_options o;
	int argc = args_of(text, argv), ret;

	ret = span_options_parse(&o, argc, argv);
	must(ret == 1 || ret == 0 || ret == -EXIT_TOOL);
	if (ret == 1)
		check(&o);
	span_options_free(&o);
	free(text);
	return 0;
}
