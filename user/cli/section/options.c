// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of section. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "args/args.h"
#include "args/cli.h"
#include "args/option.h"
#include "options.h"

#define SHORT_OPTIONS "HI:jNx:h"

enum {
	OPTION_INTERVAL_COUNT = 256,
};

static const struct option long_options[] = {
	{ "histogram", no_argument, NULL, 'H' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, OPTION_INTERVAL_COUNT },
	{ "json", no_argument, NULL, 'j' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "names", no_argument, NULL, 'N' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
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

static int take_count(struct section_options *o)
{
	int value = 0, ret;

	ret = args_number(&value, optarg, "--interval-count", "a number of intervals, 1 or more",
			  1);
	o->interval_count = (unsigned int)value;
	return ret;
}

static int take(struct section_options *o, int option)
{
	switch (option) {
	case 'H':
		o->histogram = true;
		return 1;
	case 'I':
		return args_number(&o->interval, optarg, "-I", "milliseconds, 1 or more", 1);
	case OPTION_INTERVAL_COUNT:
		return take_count(o);
	case 'j':
		o->json = true;
		return 1;
	case 'x':
		return args_separator(&o->separator, optarg);
	case 'N':
		o->names = true;
		return 1;
	case 'h':
		fputs(section_help, stdout);
		return 0;
	default:
		return -EXIT_TOOL;
	}
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
	int option, ret = 1;

	memset(o, 0, sizeof(*o));
	/* Start anew. */
	optind = 0;
	while (ret > 0 &&
	       (option = option_next(argc, argv, SHORT_OPTIONS, long_options)) != -1)
		ret = take(o, option);
	if (ret <= 0)
		return ret;
	o->globs = argv + optind;
	o->nr_globs = (unsigned int)(argc - optind);
	return combine(o);
}
