// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of section. */
#include <fnmatch.h>
#include <string.h>

#include "args/common_options.h"
#include "section_options.h"

static const struct option_line lines[] = {
	OPTION_SWITCH("histogram", 'H', struct section_options, histogram),
	OPTION_INTERVALS(struct section_options, ),
	OPTION_JSON(struct section_options, ),
	OPTION_SEPARATOR(struct section_options, ),
	OPTION_NAMES(struct section_options),
	OPTION_HELP(section_help),
	{ .kind = OPTION_END },
};

bool section_matches(const struct section_options *o, const char *name)
{
	unsigned int i;

	for (i = 0; i < o->nr_globs; i++) {
		if (!fnmatch(o->globs[i], name, 0))
			return true;
	}
	return !o->nr_globs;
}

bool section_asks_for_one(const struct section_options *o)
{
	return o->nr_globs == 1 && !strpbrk(o->globs[0], "*?[\\");
}

static int combine(const struct section_options *o)
{
	if (o->separator && o->json)
		return args_wrong("-x and -j exclude each other");
	if (o->names && (o->json || o->separator || o->histogram || o->interval))
		return args_wrong("--names prints nothing but names: leave out other options");
	if (o->histogram && o->json)
		return args_wrong("--histogram is for people; -j has the buckets anyway");
	if (o->histogram && o->separator)
		return args_wrong("--histogram is for people, and -x has no place for it: -j has the "
				  "buckets");
	if (o->interval_count && !o->interval)
		return args_wrong("--interval-count counts the intervals of -I: give -I as well");
	return 1;
}

int section_options_parse(struct section_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	ret = option_parse(o, lines, NULL, false, argc, argv);
	if (ret <= 0)
		return ret;
	o->globs = argv + optind;
	o->nr_globs = (unsigned int)(argc - optind);
	return combine(o);
}
