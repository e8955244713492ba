// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "event/near.h"
#include "rep_options.h"
#include "refused.h"

/*
 * Seconds with up to nine decimals, all of which count: a double holds fewer digits than
 * perf's clock has. Returns behind them; NULL: there are none.
 */
static const char *take_seconds(const char *text, uint64_t *ns)
{
	uint64_t unit = 1000000000, value = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		value = 10 * value + (uint64_t)(*at - '0');
		if (value > UINT64_MAX / 2000000000)
			return NULL;
	}
	if (at == text)
		return NULL;
	value *= unit;
	if (*at == '.') {
		for (at++; *at >= '0' && *at <= '9'; at++) {
			unit /= 10;
			value += unit * (uint64_t)(*at - '0');
		}
	}
	*ns = value;
	return at;
}

static const char *take_point(const char *text, uint64_t *ns, bool *relative)
{
	*relative = *text == '+';
	return take_seconds(text + *relative, ns);
}

static int take_time(void *member, const char *text)
{
	struct rep_filter *filter = member;
	const char *at = text;

	/* The last one counts, all of it. */
	filter->start_relative = false;
	filter->has_stop = false;
	filter->stop_relative = false;
	filter->has_start = *at != ',';
	if (filter->has_start)
		at = take_point(at, &filter->start, &filter->start_relative);
	if (at && *at == ',') {
		filter->has_stop = at[1];
		at++;
		if (*at)
			at = take_point(at, &filter->stop, &filter->stop_relative);
	}
	if (at && !*at && (filter->has_start || filter->has_stop))
		return 1;
	cli_say("--time wants START,STOP in seconds, such as 15603.5,15604 or +0.5,+1, not '%s'",
		text);
	return -EXIT_TOOL;
}

/* It stands in quotes, too. */
static int take_separator(void *at, const char *text)
{
	if (!*text || strchr(text, '"') || strchr(text, '\n'))
		return args_wrong("-x wants a separator, for example -x ';'");
	return args_take_separator(at, text);
}

static int take_csv(void *at, int is)
{
	const char **separator = at;

	if (is && !*separator)
		*separator = ",";
	return 1;
}

static int take_folded(void *options, const char *member)
{
	struct rep_options *o = options;

	o->folded = true;
	o->member = member;
	return 1;
}

static int add_key(struct rep_keys *keys, const char *name)
{
	unsigned int key, i;

	for (key = 0; key < REP_NR_KEYS && strcmp(rep_key_names[key], name); key++)
		;
	if (key == REP_NR_KEYS)
		return -EINVAL;
	for (i = 0; i < keys->nr; i++) {
		if (keys->key[i] == key)
			return 0;
	}
	keys->key[keys->nr++] = (enum rep_key)key;
	return 0;
}

static int take_sort(void *member, const char *text)
{
	struct rep_keys *keys = member;
	char *list = strdup(text), *at = list, *one, near[NEAR_TEXT];
	int ret = list ? 1 : args_wrong("out of memory");

	/* The last one counts. */
	keys->nr = 0;
	while (ret > 0 && (one = strsep(&at, ","))) {
		if (!add_key(keys, one))
			continue;
		cli_say("--sort wants some of comm, pid, tid, cpu, trigger, sym, dso and cgroup, "
			"separated by commas: '%s' is none%s", one,
			near_in_list(one, "comm,pid,tid,cpu,trigger,sym,dso,cgroup", near,
				     sizeof(near)));
		cli_point(text, (size_t)(one - list));
		ret = -EXIT_TOOL;
	}
	free(list);
	return ret;
}

#define TEXT(n, l, member) OPTION_TEXT(n, l, struct rep_options, member)

static const struct option_line lines[] = {
	TEXT("input", 'i', input),
	OPTION_ARGUMENT("time", 0, struct rep_options, filter, take_time),
	OPTION_CPU(struct rep_options, filter.),
	OPTION_NUMBER("tid", 't', struct rep_options, filter.tid, 1, 0, "the number of a thread"),
	OPTION_LIST("ratio", 0, struct rep_options, , ratios),
	OPTION_LIST("between", 0, struct rep_options, , between),
	OPTION_ARGUMENT("sort", 's', struct rep_options, filter.keys, take_sort),
	OPTION_CALL("csv", 0, struct rep_options, separator, take_csv, true),
	OPTION_ARGUMENT("field-separator", 'x', struct rep_options, separator, take_separator),
	OPTION_JSON(struct rep_options, ),
	OPTION_OWN("folded", 0, optional, take_folded),
	OPTION_OUTPUT(struct rep_options),
	TEXT("html", 0, html),
	TEXT("svg", 0, svg),
	TEXT("flame", 0, flame),
	OPTION_NUMBER("columns", 0, struct rep_options, columns, 10, REP_COLUMNS_MAX,
		      "a number from 10 to 100000"),
	TEXT("perfetto", 0, perfetto),
	OPTION_NOTHING("stdio", 0),	/* it is text anyway */
	OPTION_HELP(rep_help),
	{ .kind = OPTION_END },
};

/* What cannot be together. Returns 1, or -EXIT_TOOL. */
static int check(const struct rep_options *o)
{
	if (o->separator && o->json)
		return args_wrong("--csv and -j exclude each other");
	if (o->folded && (o->separator || o->json))
		return args_wrong("--folded is a format of its own: without --csv, -x and -j");
	if (o->folded && (o->filter.keys.nr || o->nr_between))
		return args_wrong("--folded prints call chains alone: without --sort and --between");
	if (o->columns && !o->html && !o->svg)
		return args_wrong("--columns is about pictures: give --html or --svg as well");
	return 1;
}

int rep_options_parse(struct rep_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	ret = option_parse(o, lines, &rep_refused, false, argc, argv);
	if (ret <= 0)
		return ret;
	if (o->input && optind < argc)
		return args_wrong("-i names the file, and so does an argument: one at a time");
	if (argc - optind > 1) {
		cli_say("one file at a time: what is '%s'?", argv[optind + 1]);
		return -EXIT_TOOL;
	}
	if (optind < argc)
		o->input = argv[optind];
	else if (!o->input)
		o->input = access("pmcgrp.data", F_OK) ? "perf.data" : "pmcgrp.data";
	o->filter.ratios = o->ratios;
	o->filter.nr_ratios = o->nr_ratios;
	o->filter.no_intervals = !o->html && !o->svg && !o->perfetto;
	return check(o);
}

void rep_options_free(struct rep_options *o)
{
	free(o->ratios);
	free(o->between);
	o->ratios = NULL;
	o->between = NULL;
}
