// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of section: each line of the input is one argument. */
#include "fuzz_args.h"
#include "section/section_options.h"

static void check(const struct section_options *o)
{
	unsigned int i;

	must(o->interval >= 0 && (o->interval || !o->interval_count));
	must(!(o->json && o->separator) && !(o->histogram && (o->json || o->separator)));
	must(!o->names || !(o->json || o->separator || o->histogram || o->interval));
	must(!o->separator || *o->separator);
	must(section_matches(o, "sample_lock") || o->nr_globs);
	must(!section_asks_for_one(o) || section_matches(o, o->globs[0]));
	for (i = 0; i < o->nr_globs; i++)
		must(o->globs[i]);
	must(!o->globs[o->nr_globs]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[ARGS_MAX + 1] = { "section" }, *text = text_of(data, size);
	struct section_options o;
	int argc = args_of(text, argv), ret;

	ret = section_options_parse(&o, argc, argv);
	must(ret == 1 || ret == 0 || ret == -EXIT_TOOL);
	if (ret == 1)
		check(&o);
	free(text);
	return 0;
}
