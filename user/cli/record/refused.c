// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "refused.h"

#define NO_BRANCHES "wants stacks of branches, and a sample of a group is its counts"
#define NO_DATA "is about addresses of data, and a sample of a group is its counts"
#define NO_REGISTERS "wants registers, and a sample of a group is its counts"
#define NO_BPF "is about BPF programs that perf loads, and there are none here"
#define NO_AUX "is about AUX areas, and the group's ring has none"
#define ONE_READER "is about several readers of the rings, and there is one"
#define PERF_SAMPLES "perf record with it, at the same time if need be"
#define NO_PERF "counts by perf_event_open(2), whose rings are of an event, not of a group"
#define PERF_GROUP "perf record -e '{cycles,instructions}:S', and \"pmcgrp report\" reads its file"
#define LEAVE_OUT "leave it out"

static const struct refused_option options[] = {
	{ "perf", no_argument, 0, NO_PERF, PERF_GROUP },
	{ "fallback", no_argument, 0, NO_PERF, PERF_GROUP },
	{ "branch-any", no_argument, 'b', NO_BRANCHES, PERF_SAMPLES },
	{ "branch-filter", required_argument, 'j', NO_BRANCHES, PERF_SAMPLES },
	{ "intr-regs", optional_argument, 'I', NO_REGISTERS, PERF_SAMPLES },
	{ "user-regs", optional_argument, 0, NO_REGISTERS, PERF_SAMPLES },
	{ "data", no_argument, 'd', NO_DATA, "perf mem record" },
	{ "data-mmap", no_argument, 0, NO_DATA, "perf mem record" },
	{ "phys-data", no_argument, 0, NO_DATA, "perf mem record" },
	{ "sample-mem-info", no_argument, 0, NO_DATA, "perf mem record" },
	{ "data-page-size", no_argument, 0, NO_DATA, "perf mem record" },
	{ "code-page-size", no_argument, 0, "wants sizes of pages, and a sample of a group is its counts",
	  PERF_SAMPLES },
	{ "weight", no_argument, 'W', "wants weights, and a sample of a group is its counts",
	  PERF_SAMPLES },
	{ "transaction", no_argument, 0,
	  "wants flags of transactions, and a sample of a group is its counts",
	  "-e with libpfm4's names of this machine's events, such as '{cycles,RTM_RETIRED:ABORTED}'" },
	{ "raw-samples", no_argument, 'R',
	  "wants the fields of a tracepoint, and a sample of a group is its counts", PERF_SAMPLES },
	{ "latency", no_argument, 0, "records what \"perf report --latency\" wants",
	  "\"pmcgrp report\" shows counts between two triggers, such as --on sched:sched_wakeup and "
	  "--on sched:sched_switch" },
	{ "filter", required_argument, 0,
	  "sets a filter on a tracepoint, which the kernel allows of perf_event_open(2)'s own "
	  "descriptors alone",
	  "record all, and choose with \"pmcgrp report\" or \"perf script\"" },
	{ "exclude-perf", no_argument, 0, "sets a filter on tracepoints, as --filter does",
	  "\"pmcgrp report -s comm\" tells apart what pmcgrp itself has done" },
	{ "clockid", required_argument, 'k',
	  "chooses the clock of the records, and groups have that of perf events",
	  "leave it out: perf script and perf report take that clock by default" },
	{ "no-samples", no_argument, 'n', "leaves out the samples, which are all that is recorded",
	  "\"pmcgrp stat\" counts without them" },
	{ "aux-sample", optional_argument, 0, NO_AUX, "perf record with it, for the trace alone" },
	{ "snapshot", optional_argument, 'S', NO_AUX,
	  "--overwrite keeps the newest records, and SIGUSR2 writes them" },
	{ "kcore", no_argument, 0, "copies the kernel's text into a folder, to be disassembled",
	  LEAVE_OUT ": the file has the kernel's build-id, by which its symbols are found" },
	{ "vmlinux", required_argument, 0, "names the kernel's file for probes of its source lines",
	  "--on kprobe:FUNCTION+OFFSET needs none" },
	{ "debuginfod", optional_argument, 0, "downloads symbols while recording",
	  "perf report --debuginfod, or DEBUGINFOD_URLS in its environment: the file has build-ids" },
	{ "clang-path", required_argument, 0, NO_BPF, LEAVE_OUT },
	{ "clang-opt", required_argument, 0, NO_BPF, LEAVE_OUT },
	{ "setup-filter", required_argument, 0, NO_BPF, LEAVE_OUT },
	{ "off-cpu", no_argument, 0, NO_BPF,
	  "--on sched:sched_switch takes a sample each time that a CPU goes on with another thread" },
	{ "off-cpu-thresh", required_argument, 0, NO_BPF, "--on sched:sched_switch" },
	{ "affinity", required_argument, 0, ONE_READER, LEAVE_OUT ", or taskset -c CPUS pmcgrp record" },
	{ "threads", optional_argument, 0, ONE_READER, LEAVE_OUT "; larger rings (-m) lose less" },
	{ "num-thread-synthesize", required_argument, 0, ONE_READER, LEAVE_OUT },
	{ "aio", optional_argument, 0, "writes the file beside the reading of the rings",
	  LEAVE_OUT "; larger rings (-m) bridge a disk that is slow" },
	{ "mmap-flush", required_argument, 0,
	  "says how much is to be in a ring before it is read, which is a quarter of it here",
	  "-m makes the rings larger or smaller, and --no-buffering reads each record at once" },
	{ "synth", required_argument, 0, "chooses what is told of tasks that are there already",
	  LEAVE_OUT ": names and maps are told of a thread when it is first seen" },
	{ "proc-map-timeout", required_argument, 0,
	  "bounds the time for which perf reads maps from /proc, once for all tasks",
	  LEAVE_OUT ": here they are read of a thread when it is first seen" },
};

const struct refused record_refused = { options, sizeof(options) / sizeof(options[0]) };
