// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of export: each line of the input is one argument. */
#include "fuzz_args.h"

#include "export/export_config.h"
#include "export/export_options.h"

static void check(const struct export_options *o)
{
	must((o->textfile != NULL) + o->to_stdout + (o->from != NULL) + (o->listen != NULL) +
		     o->check <=
	     1);
	must(o->by >= 0 && o->by < EXPORT_SPAN);
	must(!(o->config && o->nr_events));
	must(o->nr_events || o->by == EXPORT_MACHINE);
	must(!o->command || (o->to_stdout && o->command[0]));
	must(o->interval >= 0 && (!o->interval || o->to_stdout || o->textfile));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1] = { "export" }, *text = text_of(data, size);
	struct export_options o;
	int argc = args_of(text, argv), ret;

	ret = export_options_parse(&o, argc, argv);
	must(ret == 1 || ret == 0 || ret == -EXIT_TOOL);
	if (ret == 1)
		check(&o);
	free(o.events);
	free(text);
	return 0;
}
