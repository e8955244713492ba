// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of report: each line of the input is one argument. */
#include "fuzz_args.h"
#include "report/rep_options.h"

static void check(const struct rep_options *o)
{
	must(o->input);
	must(!o->separator || *o->separator);
	must(!(o->separator && o->json));
	must(!o->folded || !(o->separator || o->json || o->filter.keys.nr || o->nr_between));
	must(!o->member || o->folded);
	must(o->filter.has_cpus == !!pmcgrp_cpus_nr(&o->filter.cpus));
	must(o->filter.has_start || !o->filter.start_relative);
	must(o->filter.has_stop || !o->filter.stop_relative);
	must(!o->columns || (o->columns >= 10 && o->columns <= REP_COLUMNS_MAX));
	must(!o->columns || o->html || o->svg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1] = { "report" }, *text = text_of(data, size);
	struct rep_options o;
	int argc = args_of(text, argv), ret;

	ret = rep_options_parse(&o, argc, argv);
	must(ret == 1 || ret == 0 || ret == -EXIT_TOOL);
	if (ret == 1)
		check(&o);
	rep_options_free(&o);
	free(text);
	return 0;
}
