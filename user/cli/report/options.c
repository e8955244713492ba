// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args/args.h"
#include "args/cli.h"
#include "args/option.h"
#include "event/near.h"
#include "options.h"
#include "refused.h"

#define SHORT_OPTIONS "i:C:t:s:x:jo:h" REP_REFUSED_LETTERS

enum {
	OPTION_TIME = 256,
	OPTION_RATIO,
	OPTION_BETWEEN,
	OPTION_CSV,
	OPTION_FOLDED,
	OPTION_HTML,
	OPTION_SVG,
	OPTION_FLAME,
	OPTION_PERFETTO,
	OPTION_COLUMNS,
	OPTION_STDIO,
};

static const struct option long_options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "time", required_argument, NULL, OPTION_TIME },
	{ "cpu", required_argument, NULL, 'C' },
	{ "tid", required_argument, NULL, 't' },
	{ "ratio", required_argument, NULL, OPTION_RATIO },
	{ "between", required_argument, NULL, OPTION_BETWEEN },
	{ "sort", required_argument, NULL, 's' },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "folded", optional_argument, NULL, OPTION_FOLDED },
	{ "output", required_argument, NULL, 'o' },
	{ "html", required_argument, NULL, OPTION_HTML },
	{ "svg", required_argument, NULL, OPTION_SVG },
	{ "flame", required_argument, NULL, OPTION_FLAME },
	{ "columns", required_argument, NULL, OPTION_COLUMNS },
	{ "perfetto", required_argument, NULL, OPTION_PERFETTO },
	{ "stdio", no_argument, NULL, OPTION_STDIO },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int take_number(unsigned int *value, const char *option, const char *what,
		       unsigned int min, unsigned int max)
{
	unsigned long taken;
	char *end;

	errno = 0;
	taken = strtoul(optarg, &end, 10);
	/* strtoul() takes signs and blanks, too. */
	if (optarg[0] < '0' || optarg[0] > '9' || *end || errno || taken < min || taken > max) {
		cli_say("%s wants %s, not '%s'", option, what, optarg);
		return -EXIT_TOOL;
	}
	*value = (unsigned int)taken;
	return 1;
}

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

static int take_time(struct rep_filter *filter)
{
	const char *at = optarg;

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
		optarg);
	return -EXIT_TOOL;
}

static int take_separator(struct rep_options *o)
{
	if (!*optarg || strchr(optarg, '"') || strchr(optarg, '\n'))
		return args_wrong("-x wants a separator, for example -x ';'");
	o->separator = strcmp(optarg, "\\t") ? optarg : "\t";
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

static int take_sort(struct rep_keys *keys)
{
	char *list = strdup(optarg), *at = list, *one, near[NEAR_TEXT];
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
		cli_point(optarg, (size_t)(one - list));
		ret = -EXIT_TOOL;
	}
	free(list);
	return ret;
}

/* What of the recording. Returns 0 for an option that is not of these. */
static int take_what(struct rep_options *o, int option)
{
	switch (option) {
	case 'i':
		o->input = optarg;
		return 1;
	case OPTION_TIME:
		return take_time(&o->filter);
	case 'C':
		return args_cpus(&o->filter.cpus, &o->filter.has_cpus, optarg);
	case 't':
		return take_number(&o->filter.tid, "-t", "the number of a thread", 1, INT_MAX);
	case 's':
		return take_sort(&o->filter.keys);
	case OPTION_RATIO:
		return args_append(&o->ratios, &o->nr_ratios, optarg);
	case OPTION_BETWEEN:
		return args_append(&o->between, &o->nr_between, optarg);
	default:
		return 0;
	}
}

/* What is drawn, and to where. Returns 0 for an option that is not of these. */
static int take_picture(struct rep_options *o, int option)
{
	switch (option) {
	case OPTION_HTML:
		o->html = optarg;
		return 1;
	case OPTION_SVG:
		o->svg = optarg;
		return 1;
	case OPTION_FLAME:
		o->flame = optarg;
		return 1;
	case OPTION_PERFETTO:
		o->perfetto = optarg;
		return 1;
	case OPTION_COLUMNS:
		return take_number(&o->columns, "--columns", "a number from 10 to 100000", 10,
				   REP_COLUMNS_MAX);
	default:
		return 0;
	}
}

static int take(struct rep_options *o, int option)
{
	int ret = take_what(o, option);

	if (!ret)
		ret = take_picture(o, option);
	if (ret)
		return ret;
	switch (option) {
	case OPTION_CSV:
		if (!o->separator)
			o->separator = ",";
		return 1;
	case 'x':
		return take_separator(o);
	case 'j':
		o->json = true;
		return 1;
	case OPTION_FOLDED:
		o->folded = true;
		o->member = optarg;
		return 1;
	case 'o':
		o->output = optarg;
		return 1;
	case OPTION_STDIO:
		return 1;	/* it is text anyway */
	case 'h':
		fputs(rep_help, stdout);
		return 0;
	default:
		ret = refused_say(&rep_refused, option);
		return ret ? ret : -EXIT_TOOL;
	}
}

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

/* Returns 1, or what rep_options_parse() shall return. */
static int take_all(struct rep_options *o, int argc, char **argv)
{
	struct option *all = refused_join(&rep_refused, long_options);
	int option, ret = 1;

	if (!all)
		return args_wrong("out of memory");
	/* Start anew. */
	optind = 0;
	while (ret > 0 && (option = option_next(argc, argv, SHORT_OPTIONS, all)) != -1)
		ret = take(o, option);
	free(all);
	return ret;
}

int rep_options_parse(struct rep_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	ret = take_all(o, argc, argv);
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
