// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of record: each line of the input is one argument. */
#include "fuzz_args.h"
#include "record/record_options.h"

static void check(const struct record_options *o)
{
	const struct record_turn *turn = &o->turn;
	unsigned int i;

	must(o->output && *o->output != '\n');
	must(o->nr_triggers && o->nr_triggers <= PMCGRP_TRIGGERS_MAX);
	must(o->pages > 0 && !(o->pages & (o->pages - 1)));
	must(o->has_cpus == !!pmcgrp_cpus_nr(&o->cpus));
	must(turn->by != TURN_SIZE || turn->size);
	must(turn->by != TURN_TIME || turn->ns > 0);
	must((!turn->max_files && !turn->event) || turn->by != TURN_NEVER);
	must(o->delay >= -1);
	must(o->realtime >= 0 && !(o->quiet && o->verbose) && !(o->all_user && o->all_kernel));
	must(!o->overwrite || !(o->no_buffering || o->switch_events));
	must(o->overwrite || !o->tail_synthesize);
	must(!o->user || !(o->pids.nr || o->tids.nr || o->all_cpus || o->has_cpus));
	for (i = 0; i < o->nr_triggers; i++)
		must(!o->triggers[i].text == (o->triggers[i].count > 0));
	must(o->level >= 0 && o->level <= 22 && (!o->level || o->format == FORMAT_PERF));
	must(!o->overwrite || turn->by != TURN_SIZE);
	must(!record_names_files(o) || strcmp(o->output, "-"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1] = { "record" }, *text = text_of(data, size);
	struct record_options o;
	int argc = args_of(text, argv), ret;

	ret = record_options_parse(&o, argc, argv);
	must(ret == 1 || ret == 0 || ret == -EXIT_TOOL);
	if (ret == 1)
		check(&o);
	record_options_free(&o);
	free(text);
	return 0;
}
