// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp info: who counts what on this machine, and why something is not counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "print.h"

static const char info_help[] =
	"usage: pmcgrp info [options] [GROUP-ID]\n"
	"\n"
	"Shows every counter group of the machine: who made it, whom it counts, whether it is on\n"
	"the PMU and, if not, why; then which counter of which PMU holds which event. With the\n"
	"id of a group, or of one of its members, that group alone. Needs root or CAP_SYS_ADMIN.\n"
	"\n"
	"  -j, --json            one JSON object with everything; pmcgrp-info(1) has its keys\n"
	"  -h, --help            this text\n"
	"\n"
	"What it looks like:\n"
	"\n"
	"  group 1099511627776 of stat (PID 812): CPUs 0-3, enabled, running on 3 of 4 CPUs, ...\n"
	"    EVENT          COUNT  STATE    COUNTER GROUPS  CPUS\n"
	"    cycles     123456789  running       31      2  0-2\n"
	"                          waiting        -      2  3  # other pmcgrp groups have the\n"
	"                                                      counters (group 1099511627780 ...)\n"
	"\n"
	"  STATE    running: all members of the group count; waiting: it has no counters at the\n"
	"           moment; unschedulable: it cannot run on this CPU; error: it is pinned and\n"
	"           found no room; sched-out: the CPU is offline or (CPU -) no task of the\n"
	"           target runs\n"
	"  COUNTER  the PMU driver's number of the counter; -: none, as for software events\n"
	"  GROUPS   how many groups share it: groups that count the same event need it once\n"
	"  CPUS     where it is so: CPUs that look the same share a line\n"
	"  #        what is in the way; of a group that waits, at the members without a counter;\n"
	"           at a counter that is perf's, whose it is\n"
	"\n"
	"Groups are queried one by one while they keep counting. Two multiplexed groups may\n"
	"therefore be shown on the same counter.\n"
	"\n"
	"Examples:\n"
	"  pmcgrp info\n"
	"  pmcgrp info 1099511627776\n"
	"  pmcgrp info -j | jq '.groups[] | select(.\"time-running\" == 0) | .owner'\n"
	"\n"
	"Exit status: 0; 125 if pmcgrp itself failed, or there is no such group.\n";

struct info_options {
	bool json;
	bool has_id;
	uint64_t id;
};

static const struct option_line lines[] = {
	OPTION_JSON(struct info_options, ),
	OPTION_HELP(info_help),
	{ .kind = OPTION_END },
};

static int take_id(struct info_options *o, const char *text)
{
	char *end;

	errno = 0;
	o->id = strtoull(text, &end, 10);
	o->has_id = true;
	/* strtoull() takes signs and blanks, too. */
	if (text[0] < '0' || text[0] > '9' || *end || errno) {
		cli_say("'%s' is not the id of a group: \"pmcgrp info\" shows them", text);
		return -EXIT_TOOL;
	}
	return 1;
}

/* 1 if info shall run, else the negative of the exit status. */
static int options_parse(struct info_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	ret = option_parse(o, lines, NULL, false, argc, argv);
	if (ret <= 0)
		return ret;
	if (argc - optind > 1) {
		cli_say("one group at a time: what is '%s'?", argv[optind + 1]);
		return -EXIT_TOOL;
	}
	return optind < argc ? take_id(o, argv[optind]) : 1;
}

static int print(const struct info_set *set, struct pmcgrp *h, const struct info_options *o)
{
	const struct info_group *only = NULL;
	struct info_uses uses;
	int ret;

	if (o->has_id) {
		only = info_set_find(set, o->id);
		if (!only) {
			cli_say("no group has the id %llu now; \"pmcgrp info\" shows those that "
				"there are", (unsigned long long)o->id);
			return EXIT_TOOL;
		}
	}
	ret = info_uses_init(&uses, set, only);
	if (!ret)
		ret = info_uses_name(&uses, h);
	if (!ret)
		ret = o->json ? info_json(stdout, set, &uses, only) :
				info_table(stdout, set, &uses, only);
	info_uses_free(&uses);
	if (ret < 0)
		return cli_say_errno("cannot show the groups", -ret);
	if (fflush(stdout) || ferror(stdout))
		return cli_say_errno("stdout", errno);
	return 0;
}

int info_main(int argc, char **argv)
{
	struct info_options options;
	struct info_set set = { 0 };
	struct pmcgrp *h;
	int ret;

	cli_begin("info");
	ret = options_parse(&options, argc, argv);
	if (ret <= 0)
		return -ret;
	if (pmcgrp_open(&h, 0) < 0) {
		cli_say("%s", pmcgrp_strerror(NULL));
		return EXIT_TOOL;
	}
	ret = info_set_take(&set, h);
	if (ret < 0) {
		cli_say("%s", pmcgrp_strerror(h)[0] ? pmcgrp_strerror(h) : strerror(-ret));
		ret = EXIT_TOOL;
	} else {
		ret = print(&set, h, &options);
	}
	info_set_free(&set);
	pmcgrp_close(h);
	return ret;
}
