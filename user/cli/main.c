// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp: the subcommands, help and version. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "args/cli.h"
#include "event/near.h"
#include "proc/member.h"
#include "sysfile.h"
#include "pmcgrp.h"

static const char help[] =
	"pmcgrp: counter groups: what the hardware did, in several counters over exactly the\n"
	"same interval\n"
	"\n"
	"usage: pmcgrp stat [options] command [arguments]\n"
	"       pmcgrp stat [options] -a | -C CPUS | -p PID | -t TID\n"
	"       pmcgrp record [options] command [arguments]\n"
	"       pmcgrp top [options]\n"
	"       pmcgrp report [options] [FILE]\n"
	"       pmcgrp info [options] [GROUP-ID]\n"
	"       pmcgrp section [options] [NAME-GLOB]...\n"
	"       pmcgrp span [options] FUNCTION... -- command [arguments]\n"
	"       pmcgrp span [options] FUNCTION... -a | -C CPUS | -p PIDS | -t TIDS\n"
	"       pmcgrp run [options] command [arguments]\n"
	"       pmcgrp plan [options] -e EVENTS\n"
	"       pmcgrp export [options]\n"
	"       pmcgrp doctor [options]\n"
	"       pmcgrp selftest [options]\n"
	"       pmcgrp list [options] [KIND | PATTERN]...\n"
	"       pmcgrp help [SUBCOMMAND] | version\n"
	"\n"
	"  stat    count events of a command, a process, a thread, CPUs or the machine\n"
	"  top     the same, on a screen that is refreshed every second\n"
	"  record  write their counts to a file each time that something happens, for\n"
	"          pmcgrp report, perf script and others\n"
	"  report  sum up a recording, and draw it\n"
	"  info    who counts what on this machine, on which counters, and what is in the way\n"
	"  section what sections of kernel modules have counted\n"
	"  span    what happens in functions of the kernel, from call to return\n"
	"  run     have the perf events of a program counted in groups of pmcgrp\n"
	"  plan    say before the run what of some events will be counted, and why not all\n"
	"  export  serve counts to Prometheus and others, by cgroup, too\n"
	"  list    the events of this machine by name\n"
	"  doctor  whether this machine can run pmcgrp, and how well: for reports of faults\n"
	"  selftest whether the module counts right on this machine: TAP, for reports of faults\n"
	"  help    this text (--help, -h), or the options of a subcommand\n"
	"  version those of the tool and of the module (--version, -v, -V)\n"
	"\n"
	"\"pmcgrp help stat\" lists the options of stat. Manuals: pmcgrp(1), pmcgrp-stat(1),\n"
	"pmcgrp-top(1), pmcgrp-record(1), pmcgrp-report(1), pmcgrp-info(1), pmcgrp-section(1),\n"
	"pmcgrp-span(1), pmcgrp-run(1), pmcgrp-plan(1), pmcgrp-export(1), pmcgrp-list(1),\n"
	"pmcgrp-doctor(1), pmcgrp-selftest(1); for programs libpmcgrp(3), pmcgrp(4).\n"
	"\n"
	"Counting needs the kernel module pmcgrp, and root or CAP_PERFMON. Without the module\n"
	"\"pmcgrp stat --fallback\" counts with perf_event_open(2) instead.\n";

static const struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv);
} subcommands[] = {
	{ "stat", stat_main },
	{ "record", record_main },
	{ "top", top_main },
	{ "report", report_main },
	{ "info", info_main },
	{ "section", section_main },
	{ "span", span_main },
	{ "run", run_main },
	{ "plan", plan_main },
	{ "export", export_main },
	{ "doctor", doctor_main },
	{ "selftest", selftest_main },
	{ "list", list_main },
};

#define NR_SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

/* Subcommands of other tools that are asked for here, and what does their work. */
static const struct {
	const char *name;
	const char *instead;
} others[] = {
	{ "script", "\"perf script -i pmcgrp.data\" prints each sample of a recording, and so does "
		    "\"pmcgrp record --format csv -o -\" at once" },
	{ "annotate", "\"perf annotate -i pmcgrp.data\" reads a recording; \"pmcgrp report -s sym\" "
		      "sums up by function" },
	{ "diff", "\"pmcgrp report -x ,\" of both recordings can be compared by diff(1) or join(1)" },
	{ "evlist", "\"pmcgrp report\" shows the events of a recording" },
	{ "inject", "\"perf inject -i pmcgrp.data\" reads a recording" },
	{ "archive", "\"perf archive pmcgrp.data\" reads a recording" },
	{ "buildid-list", "\"perf buildid-list -i pmcgrp.data\" reads a recording" },
	{ "trace", "\"pmcgrp span sys_enter/sys_exit --by arg:id\" counts system calls" },
	{ "ftrace", "\"pmcgrp span FUNCTION\" counts from the call of a function to its return" },
	{ "probe", "\"pmcgrp record --on kprobe:FUNCTION\" and \"pmcgrp span FUNCTION\" make probes" },
	{ "lock", "\"pmcgrp span lock:contention_begin/lock:contention_end\" counts what waiters do" },
	{ "sched", "\"pmcgrp record --on sched:sched_switch\" has the counts at each switch" },
	{ "mem", "\"perf mem\" has addresses of data, which counts of groups have not" },
	{ "c2c", "\"perf c2c\" has addresses of data, which counts of groups have not" },
	{ "bench", "\"perf bench\" is work to be counted: \"pmcgrp stat -- perf bench sched pipe\"" },
	{ "test", "\"pmcgrp selftest\" looks whether known work is counted right" },
	{ "config", "there is no file of settings, but for metrics: pmcgrp-stat(1)" },
};

static const char *instead_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].name, name))
			return others[i].instead;
	return NULL;
}

static const struct subcommand *find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_SUBCOMMANDS; i++)
		if (!strcmp(subcommands[i].name, name))
			return &subcommands[i];
	return NULL;
}

static int say_unknown(const char *name)
{
	const char *instead = instead_of(name);
	char text[NEAR_TEXT];
	struct near near;
	size_t i;

	if (instead) {
		cli_say("there is no subcommand '%s'; instead: %s", name, instead);
		return EXIT_TOOL;
	}
	near_begin(&near, name);
	for (i = 0; i < NR_SUBCOMMANDS; i++)
		near_offer(&near, subcommands[i].name);
	near_offer(&near, "help");
	near_offer(&near, "version");
	if (near_text(&near, text, sizeof(text))[0])
		cli_say("there is no subcommand '%s'%s", name, text);
	else if (name[0] == '-')
		cli_say("there is no option %s before a subcommand: options stand behind it, as in "
			"\"pmcgrp stat -a\"", name);
	else
		cli_say("there is no subcommand '%s'; \"pmcgrp help\" lists them", name);
	return EXIT_TOOL;
}

static int say_extra(const char *word, const char *what)
{
	cli_say("%s: what is '%s'?", what, word);
	return EXIT_TOOL;
}

static int version(int argc, char **argv)
{
	struct pmcgrp_query query = { .size = sizeof(query) };
	char release[sizeof(query.release)];
	struct pmcgrp *h;

	if (argc > 1)
		return say_extra(argv[1], "version takes no argument");
	printf("pmcgrp %s\n", pmcgrp_version());
	if (pmcgrp_open(&h, 0) < 0) {
		if (sysfile_text("", "/sys/module/pmcgrp/version", release, sizeof(release)))
			strcpy(release, "not in use");
		printf("module: %s: %s\n", release, pmcgrp_strerror(NULL));
		return 0;
	}
	if (pmcgrp_query(h, &query) < 0)
		printf("module: %s\n", pmcgrp_strerror(h));
	else
		printf("module: %.*s (ABI %u)\n", (int)sizeof(query.release), query.release,
		       query.abi_version);
	pmcgrp_close(h);
	return 0;
}

/* Of all, or what a subcommand itself says about its options. */
static int help_main(int argc, char **argv)
{
	char tool[] = "pmcgrp", option[] = "--help";
	char *line[] = { tool, argc > 1 ? argv[1] : NULL, option, NULL };
	const struct subcommand *s;

	if (argc < 2 || !strcmp(argv[1], "help") || !strcmp(argv[1], "version")) {
		fputs(help, stdout);
		return 0;
	}
	if (argc > 2)
		return say_extra(argv[2], "help is of one subcommand at a time");
	s = find(argv[1]);
	return s ? s->run(2, line + 1) : say_unknown(argv[1]);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

int main(int argc, char **argv)
{
	const struct subcommand *s;

	if (argc < 2) {
		cli_say("what is to be done? Name a subcommand, such as stat:");
		fputs(help, stderr);
		return EXIT_TOOL;
	}
	/* What `run` starts opens the device itself. */
	if (strcmp(argv[1], "run"))
		member_begin(argv);
	if (is_one_of(argv[1], "help", "--help", "-h"))
		return help_main(argc - 1, argv + 1);
	if (is_one_of(argv[1], "version", "--version", "-V") || !strcmp(argv[1], "-v"))
		return version(argc - 1, argv + 1);
	s = find(argv[1]);
	return s ? s->run(argc - 1, argv + 1) : say_unknown(argv[1]);
}
