// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The command line of plan. */
#include <string.h>

#include "args/cli.h"
#include "args/common_options.h"
#include "plan_options.h"

static const char plan_help[] =
	"usage: pmcgrp plan [options] -e EVENTS\n"
	"       pmcgrp plan --case FILE\n"
	"       pmcgrp plan --list\n"
	"\n"
	"Says before the run what becomes of each event: whether it is counted, for how much of the\n"
	"time, on which counters, or which constraint or which other event is in the way. It also\n"
	"puts the events into the fewest passes in which nothing is multiplexed. Nothing is counted,\n"
	"and neither the module nor root is needed.\n"
	"\n"
	"  -e, --event EVENTS    as for perf stat: cycles,'{instructions,branches}',r1d1:D; several\n"
	"                        times, too\n"
	"      --model NAME|FILE the PMU of this model instead of this machine's; --list has the\n"
	"                        names, and pmcgrp-plan(1) what a file has\n"
	"      --ht, --no-ht     with hyper-threading, or without: Intel's counters are 4 or 8\n"
	"      --watchdog, --no-watchdog\n"
	"                        with the NMI watchdog, which pins cycles on each CPU, or without\n"
	"      --no-tfa          without counter 3: allow_tsx_force_abort is 0 (Skylake)\n"
	"      --kernel VERSION  what this kernel does, 4.6 or 5.1-rc1; 6.12 if nothing is said\n"
	"      --duration MS     of a run of so many milliseconds; one that does not end, else\n"
	"      --mux-interval MS the PMU's perf_event_mux_interval_ms; 4, else\n"
	"      --perf            what perf stat gets, alone\n"
	"      --pmcgrp          what groups of pmcgrp get, alone\n"
	"      --picture         counters by time, too\n"
	"      --svg FILE        the same in SVG, of perf, or with --pmcgrp of pmcgrp\n"
	"      --verify          count a loop for a second with perf_event_open(2) and with pmcgrp,\n"
	"                        and put what was predicted beside what was seen\n"
	"      --case FILE       cases in JSON, one or a list, in; what becomes of them out\n"
	"      --list            the models\n"
	"  -j, --json            JSON; pmcgrp-plan(1) has its keys\n"
	"  -h, --help            this text\n"
	"\n"
	"Examples:\n"
	"  pmcgrp plan -e cycles,instructions,cache-misses,branch-misses,LLC-loads\n"
	"  pmcgrp plan --model Skylake --no-watchdog -e '{r1d1,r2d1,r4d1,r8d1,rc4}'\n"
	"\n"
	"Exit status: 0; 1 if an event is not counted at all; 125 if pmcgrp itself failed.\n";

static int set_ht(void *at, int value)
{
	*(int *)at = value;
	return 1;
}

static const struct option_line lines[] = {
	OPTION_EVENT(struct plan_options, ),
	OPTION_TEXT("model", 0, struct plan_options, model),
	OPTION_CALL("ht", 0, struct plan_options, ht, set_ht, 1),
	OPTION_CALL("no-ht", 0, struct plan_options, ht, set_ht, -1),
	OPTION_CALL("watchdog", 0, struct plan_options, watchdog, set_ht, 1),
	OPTION_CALL("no-watchdog", 0, struct plan_options, watchdog, set_ht, -1),
	OPTION_SWITCH("no-tfa", 0, struct plan_options, no_tfa),
	OPTION_TEXT("kernel", 0, struct plan_options, kernel),
	OPTION_NUMBER("duration", 0, struct plan_options, duration, 1, 0, "milliseconds, 1 or more"),
	OPTION_NUMBER("mux-interval", 0, struct plan_options, mux_interval, 1, 0,
		      "milliseconds, 1 or more"),
	OPTION_PERF(struct plan_options, ),
	OPTION_SWITCH("pmcgrp", 0, struct plan_options, pmcgrp),
	OPTION_SWITCH("picture", 0, struct plan_options, picture),
	OPTION_TEXT("svg", 0, struct plan_options, svg),
	OPTION_SWITCH("verify", 0, struct plan_options, verify),
	OPTION_TEXT("case", 0, struct plan_options, case_file),
	OPTION_SWITCH("list", 0, struct plan_options, list),
	OPTION_JSON(struct plan_options, ),
	OPTION_HELP(plan_help),
	{ .kind = OPTION_END },
};

static int check(const struct plan_options *o)
{
	if (o->perf && o->pmcgrp)
		return args_wrong("--perf and --pmcgrp: without either there are both");
	if (o->case_file && (o->nr_events || o->model || o->verify))
		return args_wrong("--case: a case has its events and its PMU; it is not for -e, --model "
				  "or --verify");
	if (o->verify && (o->perf || o->pmcgrp || o->duration || o->picture || o->svg))
		return args_wrong("--verify: it runs for a second, with both; it is not for --perf, "
				  "--pmcgrp, --duration or pictures");
	if (!o->nr_events && !o->case_file && !o->list)
		return args_wrong("which events? As in \"pmcgrp plan -e cycles,instructions\"");
	return 1;
}

int plan_options_parse(struct plan_options *o, int argc, char **argv)
{
	int ret;

	memset(o, 0, sizeof(*o));
	ret = option_parse(o, lines, NULL, false, argc, argv);
	if (ret <= 0)
		return ret;
	if (optind < argc) {
		cli_say("'%s': events come after -e; nothing is run", argv[optind]);
		return -EXIT_TOOL;
	}
	return check(o);
}
