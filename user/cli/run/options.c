// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <string.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "options.h"

static const char run_help[] =
	"usage: pmcgrp run [options] [--] COMMAND [arguments]\n"
	"\n"
	"Runs a program that counts with perf_event_open(2), such as perf stat or one of PAPI's,\n"
	"and has its groups counted by pmcgrp: all events of a group or none, and with counters\n"
	"that equal events share. The program is not changed. What pmcgrp cannot do, such as\n"
	"samples and breakpoints, the kernel's own perf events do, a whole group at a time.\n"
	"\n"
	"  -v, --verbose         say on stderr of each group who counts it, and why\n"
	"      --strict          refuse what pmcgrp cannot count (EOPNOTSUPP)\n"
	"      --log FILE        append a line of JSON for each descriptor; pmcgrp-run(1) has\n"
	"                        its keys\n"
	"  -h, --help            this text\n"
	"\n"
	"Programs that are linked statically, or make system calls by themselves (Go), count with\n"
	"perf events as before, and so does everything without root or CAP_PERFMON.\n"
	"\n"
	"Examples:\n"
	"  pmcgrp run -v perf stat -e '{cycles,instructions}' true\n"
	"  pmcgrp run --log who.json papi_command_line PAPI_TOT_INS\n"
	"\n"
	"Exit status: the command's; 126 or 127 if it cannot be run, 125 if pmcgrp itself failed.\n";

static const struct option_line lines[] = {
	OPTION_SWITCH("verbose", 'v', struct run_options, verbose),
	OPTION_SWITCH("strict", 0, struct run_options, strict),
	OPTION_TEXT("log", 0, struct run_options, log),
	OPTION_HELP(run_help),
	{ .kind = OPTION_END },
};

int run_options_parse(struct run_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	ret = option_parse(o, lines, NULL, true, argc, argv);
	if (ret <= 0)
		return ret;
	if (optind == argc) {
		cli_say("which command? As in \"pmcgrp run perf stat true\"");
		return -EXIT_TOOL;
	}
	o->command = argv + optind;
	return 1;
}
