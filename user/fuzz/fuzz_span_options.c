// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of span: each line of the input is one argument. */
#include "fuzz_args.h"
#include "span/options.h"

static void check(const struct span_options *o)
{
	bool cpus = o->all_cpus || o->has_cpus, tasks = o->pids.nr || o->tids.nr;
	unsigned int i;

	must(o->nr_functions && o->max_active >= 0);
	must(o->command || cpus || tasks);
	must(!(cpus && tasks) && !(o->pids.nr && o->tids.nr));
	must(!o->no_inherit || (!cpus && !tasks));
	must(!o->show.interval_count || o->show.interval > 0);
	must(!(o->show.json && o->show.separator));
	must(!o->show.separator || *o->show.separator);
	must(!o->command || o->command[0]);
	for (i = 0; i < o->nr_functions; i++)
		must(o->functions[i]);
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
