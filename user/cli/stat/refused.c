// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "refused.h"

static const struct refused_option options[] = {
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
	{ "metric-no-group", no_argument, 0,
	  "counts the events of a metric at different times, and makes one number of them",
	  "name the events by -e without braces: each is counted by itself" },
	{ "hybrid-merge", no_argument, 0,
	  "makes one line of an event that several kinds of cores have counted, whose cycles and caches "
	  "are not alike",
	  "leave it out: each kind has a line of its own, whose counts can be added; --cputype counts "
	  "one kind alone" },
	{ "iostat", optional_argument, 0,
	  "names the ports that events of uncore PMUs (uncore_iio) count, which pmcgrp does not",
	  "-a -e uncore_iio_0/event=.../ counts them" },
	{ "percore-show-thread", no_argument, 0,
	  "belongs to perf's event modifier percore",
	  "--per-core adds up the threads of a core, and -A shows each" },
	{ "tpebs-mode", required_argument, 0,
	  "is a way to record samples for metrics, and stat takes no samples",
	  "\"pmcgrp record\" takes samples of whole groups" },
	{ "record-tpebs", no_argument, 0,
	  "records samples for metrics, and stat takes no samples",
	  "\"pmcgrp record\" takes samples of whole groups" },
};

const struct refused stat_refused = { options, sizeof(options) / sizeof(options[0]) };
