// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "top_options.h"

/* What is parsed. */
struct both {
	struct top_options top;
	struct stat_options stat;
};

static int take_delay(void *at, const char *text)
{
	int *delay = at;
	double seconds;
	char *end;

	errno = 0;
	seconds = strtod(text, &end);
	if (end == text || *end || errno ||
	    !(seconds >= TOP_DELAY_MIN / 1000.0 && seconds <= TOP_DELAY_MAX / 1000.0)) {
		cli_say("-d wants seconds, 0.1 or more, not '%s'", text);
		return -EXIT_TOOL;
	}
	*delay = (int)(seconds * 1000.0 + 0.5);
	return 1;
}

static int take_filter(void *at, const char *text)
{
	if (!*text || strlen(text) >= TOP_FILTER_SIZE) {
		cli_say("--filter wants a text of 1 to %d characters", TOP_FILTER_SIZE - 1);
		return -EXIT_TOOL;
	}
	*(const char **)at = text;
	return 1;
}

/* As of top(1). */
static int take_iterations(void *at, const char *text)
{
	return args_number(at, text, "-n, --iterations", "a number of refreshes, 1 or more", 1, 0);
}

static const struct option_line lines[] = {
	OPTION_EVENT(struct both, stat.),
	OPTION_TARGETS(struct both, stat.),
	OPTION_TEXT("cgroup", 0, struct both, top.cgroup),
	OPTION_NO_INHERIT(struct both, stat.),
	OPTION_BACKGROUND(struct both, stat.),
	OPTION_CHOICE("by", 0, struct both, top.by, "event,cpu,thread,process,cgroup,command"),
	OPTION_SWITCH("matrix", 0, struct both, top.matrix),
	STAT_OPTION_LINES(struct both, stat.aggr),
	OPTION_TEXT("sort", 's', struct both, top.sort),
	OPTION_SWITCH("reverse", 'r', struct both, top.reverse),
	OPTION_NUMBER("lines", 0, struct both, top.lines, 1, 0, "a number of rows, 1 or more"),
	OPTION_ARGUMENT("filter", 0, struct both, top.filter, take_filter),
	OPTION_ARGUMENT("delay", 'd', struct both, top.delay, take_delay),
	OPTION_ARGUMENT("iterations", 'n', struct both, top.iterations, take_iterations),
	OPTION_SWITCH("batch", 'b', struct both, top.batch),
	OPTION_JSON(struct both, top.),
	OPTION_CHOICE("color", 0, struct both, top.colour, "auto,never,always"),
	OPTION_MMAP_PAGES(struct both, top.),
	OPTION_FALLBACK(struct both, stat.),
	OPTION_PERF(struct both, stat.),
	OPTION_HELP(top_help),
	{ .kind = OPTION_END },
};

const char *top_options_refuse_by(const struct top_options *o, const struct stat_options *stat,
				  enum top_by by)
{
	bool tasks = stat_counts_tasks(stat) || o->cgroup;

	if (top_by_tasks(by) && stat->perf)
		return "rows of tasks (--by, --cgroup) need /dev/pmcgrp: not with --perf";
	if (top_by_tasks(by) && stat->aggr != AGGR_GLOBAL)
		return "-A, --per-core and --per-socket are for rows of events and CPUs";
	if (by == TOP_BY_CPU && tasks)
		return "rows of CPUs are of all tasks: --by thread has those of -p, -t, --cgroup";
	if (by == TOP_BY_COMMAND && tasks)
		return "rows of commands are of all tasks: --by process has those of -p, -t, --cgroup";
	if (by == TOP_BY_EVENT && o->cgroup)
		return "--cgroup has rows of tasks: --by thread, process or cgroup";
	return NULL;
}

/* What does not go together. */
static int check(const struct top_options *o, const struct stat_options *stat)
{
	const char *why = top_options_refuse_by(o, stat, o->by);

	if (o->cgroup && (stat_counts_tasks(stat) || stat_counts_cpus(stat)))
		return args_wrong("--cgroup excludes -p, -t, -a and -C: each says which tasks");
	if (o->matrix && o->by != TOP_BY_CPU)
		return args_wrong("--matrix is of CPUs: with --by cpu, or without --by");
	if (o->json && o->batch)
		return args_wrong("--json and --batch exclude each other");
	if (o->json && o->matrix)
		return args_wrong("--matrix is for people: --json --by cpu has the same values");
	if (why)
		return args_wrong(why);
	return 1;
}

int top_options_parse(struct top_options *o, struct stat_options *stat, int argc, char **argv)
{
	struct both both = { .top = { .delay = 1000, .pages = ARGS_PAGES }, .stat = { .repeat = 1 } };
	bool by_given;
	int ret;

	ret = option_parse(&both, lines, NULL, false, argc, argv);
	*o = both.top;
	*stat = both.stat;
	if (ret <= 0)
		return ret;
	if (optind < argc) {
		cli_say("what is '%s'? top runs no command; \"pmcgrp stat -I 1000\" does",
			argv[optind]);
		return -EXIT_TOOL;
	}
	by_given = o->by != TOP_BY_EVENT;
	if (o->matrix && !by_given)
		o->by = TOP_BY_CPU;
	if (o->cgroup && !by_given && !o->matrix)
		o->by = TOP_BY_PROCESS;
	ret = check(o, stat);
	if (ret <= 0)
		return ret;
	if (!stat_counts_tasks(stat) && !stat->has_cpus)
		stat->all_cpus = true;
	return stat_options_check(stat);
}
