// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stddef.h>

#include "common/cli.h"
#include "refused.h"

/* The end of a sentence that begins with the option; then what comes nearest to it. */
static const struct {
	const char *name;
	int has_arg;
	int letter;	/* 0: none */
	const char *why;
	const char *instead;
} refused[] = {
	{ "filter", required_argument, 0,
	  "sets a filter on a tracepoint, which the kernel allows of perf_event_open(2)'s own "
	  "descriptors alone",
	  "a histogram in tracefs counts with the filter, beside pmcgrp stat: echo 'hist:keys=cpu if "
	  "prev_pid == 4711' >/sys/kernel/tracing/events/sched/sched_switch/trigger, and the file hist "
	  "beside it shows the counts" },
	{ "bpf-prog", required_argument, 'b',
	  "counts while a BPF program runs, which is hooked into by BPF",
	  "-a counts whatever runs, BPF programs included" },
	{ "bpf-counters", no_argument, 0,
	  "shares counters among several perf stat by BPF",
	  "nothing is to be done: groups of this module share counters of the same event, and column "
	  "GROUPS of \"pmcgrp info\" says so" },
	{ "bpf-attr-map", required_argument, 0,
	  "names the map of --bpf-counters, and there is no BPF here",
	  "groups of this module share counters without one" },
	{ "smi-cost", no_argument, 0,
	  "reads the PMU msr, which is none of a CPU's counters",
	  "read the register that counts SMIs by --pre 'rdmsr 0x34' --post 'rdmsr 0x34'" },
	{ "topdown", no_argument, 0,
	  "wants Intel's metric register, whose events are no counters of a group",
	  "-e '{cycles,instructions,stalled-cycles-frontend,stalled-cycles-backend}' tells stalls of "
	  "both ends apart, where the PMU has these events" },
	{ "td-level", required_argument, 0,
	  "is a level of --topdown, which there is not",
	  "-e '{cycles,instructions,stalled-cycles-frontend,stalled-cycles-backend}'" },
	{ "metrics", required_argument, 'M',
	  "wants the tables of metrics that are built into perf",
	  "name the events by -e '{...}': what follows from them is shown beside them and by "
	  "--metric-only, and \"pmcgrp report --ratio\" makes other ratios of a recording" },
	{ "metric-no-group", no_argument, 0,
	  "is about the events of -M, which there is not",
	  "braces in -e say what is one group, and their lack what is none" },
	{ "metric-no-merge", no_argument, 0,
	  "is about the events of -M, which there is not",
	  "each pair of braces in -e is a group of its own" },
	{ "metric-no-threshold", no_argument, 0,
	  "is about the thresholds of -M, which there is not",
	  "--metric-only shows numbers without judging them" },
	{ "transaction", no_argument, 'T',
	  "wants the transactional events that perf knows by name",
	  "-e with libpfm4's names of this machine's events, such as '{cycles,RTM_RETIRED:START,"
	  "RTM_RETIRED:ABORTED}'" },
	{ "cgroup", required_argument, 'G',
	  "counts a cgroup, which is no target of a group",
	  "-p \"$(paste -sd, /sys/fs/cgroup/NAME/cgroup.procs)\" counts the processes that are in it, "
	  "with all that they create" },
	{ "for-each-cgroup", required_argument, 0,
	  "counts cgroups, which are no targets of a group",
	  "one pmcgrp stat for each, with -p \"$(paste -sd, /sys/fs/cgroup/NAME/cgroup.procs)\"" },
	{ "hybrid-merge", no_argument, 0,
	  "merges what two kinds of cores have counted",
	  "leave it out: -a adds up an event over all CPUs that have it, and -A takes them apart" },
	{ "cputype", required_argument, 0,
	  "chooses a kind of core by the name of its PMU",
	  "-C \"$(cat /sys/devices/cpu_core/cpus)\" counts on the CPUs of one kind" },
	{ "group", no_argument, 'g',
	  "makes one group of all events",
	  "write it as braces: -e '{cycles,instructions}'" },
	{ "iostat", optional_argument, 0,
	  "wants uncore PMUs, whose counters are none of a CPU's",
	  "perf stat --iostat, at the same time if need be" },
	{ "percore-show-thread", no_argument, 0,
	  "belongs to perf's event modifier percore",
	  "--per-core adds up the threads of a core, and -A shows each" },
	{ "pmu-filter", required_argument, 0,
	  "chooses among several PMUs of a kind, which are none of a CPU's",
	  "-e with the event's own name, and perf stat for PMUs beside the CPUs" },
	{ "affinity", no_argument, 0,
	  "has perf go to the CPU that it reads",
	  "leave it out: one read() gives all CPUs of a group" },
	{ "no-affinity", no_argument, 0,
	  "keeps perf from going to the CPU that it reads",
	  "leave it out: one read() gives all CPUs of a group" },
	{ "tpebs-mode", required_argument, 0,
	  "is a way to record samples for metrics of -M, which there is not",
	  "\"pmcgrp record\" takes samples of whole groups" },
	{ "record-tpebs", no_argument, 0,
	  "records samples for metrics of -M, which there is not",
	  "\"pmcgrp record\" takes samples of whole groups" },
};

unsigned int refused_nr(void)
{
	return sizeof(refused) / sizeof(refused[0]);
}

struct option refused_option(unsigned int i)
{
	return (struct option){ refused[i].name, refused[i].has_arg, NULL, REFUSED_FIRST + (int)i };
}

int refused_say(int option)
{
	unsigned int i;

	for (i = 0; i < refused_nr(); i++) {
		if (option != REFUSED_FIRST + (int)i && (!option || option != refused[i].letter))
			continue;
		cli_say("--%s %s; instead: %s", refused[i].name, refused[i].why, refused[i].instead);
		return -EXIT_TOOL;
	}
	return 0;
}
