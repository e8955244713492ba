// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp: the subcommands, --help and --version. */
#include <stdio.h>
#include <string.h>

#include "common/cli.h"
#include "event/near.h"
#include "pmcgrp.h"

static const char help[] =
	"pmcgrp: counter groups: what the hardware did, in several counters over exactly the\n"
	"same interval\n"
	"\n"
	"usage: pmcgrp stat [options] command [arguments]\n"
	"       pmcgrp stat [options] -a | -C CPUS | -p PID | -t TID\n"
	"       pmcgrp record [options] --every TIME | --on EVENT ... command [arguments]\n"
	"       pmcgrp top [options]\n"
	"       pmcgrp report [options] [FILE]\n"
	"       pmcgrp info [options] [GROUP-ID]\n"
	"       pmcgrp section [options] [NAME-GLOB]...\n"
	"       pmcgrp span [options] FUNCTION... -- command [arguments]\n"
	"       pmcgrp span [options] FUNCTION... -a | -C CPUS | -p PIDS | -t TIDS\n"
	"       pmcgrp doctor [options]\n"
	"       pmcgrp list [options] [KIND | PATTERN]...\n"
	"       pmcgrp --help | --version\n"
	"\n"
	"  stat    count events of a command, a process, a thread, CPUs or the machine\n"
	"  top     the same, on a screen that is refreshed every second\n"
	"  record  put their counts down each time that something happens, for pmcgrp report,\n"
	"          perf script and others\n"
	"  report  sum up a recording, and draw it\n"
	"  info    who counts what on this machine, on which counters, and what is in the way\n"
	"  section what sections of kernel modules have counted\n"
	"  span    what happens in functions of the kernel, from call to return\n"
	"  list    the events of this machine by name\n"
	"  doctor  whether this machine can run pmcgrp, and how well: for reports of faults\n"
	"\n"
	"\"pmcgrp stat --help\" lists its options. Manuals: pmcgrp(1), pmcgrp-stat(1),\n"
	"pmcgrp-top(1), pmcgrp-record(1), pmcgrp-report(1), pmcgrp-info(1), pmcgrp-section(1),\n"
	"pmcgrp-span(1), pmcgrp-list(1), pmcgrp-doctor(1); for programs libpmcgrp(3), pmcgrp(4).\n"
	"\n"
	"Counting needs the kernel module pmcgrp, and root or CAP_PERFMON. Without the module\n"
	"\"pmcgrp stat --fallback\" counts with perf_event_open(2) instead.\n";

static int version(void)
{
	struct pmcgrp_query query = { .size = sizeof(query) };
	struct pmcgrp *h;

	printf("pmcgrp %s\n", pmcgrp_version());
	if (pmcgrp_open(&h, 0) < 0) {
		printf("module: not in use: %s\n", pmcgrp_strerror(NULL));
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

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	char near[NEAR_TEXT];

	if (!word) {
		fputs(help, stderr);
		return EXIT_TOOL;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		fputs(help, stdout);
		return 0;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return version();
	if (!strcmp(word, "stat"))
		return stat_main(argc - 1, argv + 1);
	if (!strcmp(word, "record"))
		return record_main(argc - 1, argv + 1);
	if (!strcmp(word, "top"))
		return top_main(argc - 1, argv + 1);
	if (!strcmp(word, "report"))
		return report_main(argc - 1, argv + 1);
	if (!strcmp(word, "info"))
		return info_main(argc - 1, argv + 1);
	if (!strcmp(word, "section"))
		return section_main(argc - 1, argv + 1);
	if (!strcmp(word, "span"))
		return span_main(argc - 1, argv + 1);
	if (!strcmp(word, "doctor"))
		return doctor_main(argc - 1, argv + 1);
	if (!strcmp(word, "list"))
		return list_main(argc - 1, argv + 1);
	near_in_list(word, "stat,record,top,report,info,section,span,doctor,list", near, sizeof(near));
	fprintf(stderr, "pmcgrp: no subcommand '%s'%s\n", word,
		near[0] ? near : "; \"pmcgrp --help\" lists them");
	return EXIT_TOOL;
}
