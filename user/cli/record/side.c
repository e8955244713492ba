// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Records of tasks: PERF_RECORD_COMM, _MMAP2, _FORK and _EXIT. The rings of groups have none of
 * these. They come from an event of perf that counts nothing, as those of `perf record` do: of
 * the command and what it creates, else of all tasks, on each CPU.
 */
#include <string.h>

#include "args/cli.h"
#include "record_run.h"
#include "side.h"

static void attr_init(struct perf_event_attr *attr, const struct record_options *o, bool child)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.comm = 1,
		.comm_exec = 1,
		.mmap = 1,
		.mmap2 = 1,
		.task = 1,
		.build_id = !o->no_buildid,
		.namespaces = o->namespaces,
		.cgroup = o->all_cgroups,
		.context_switch = o->switch_events,
		.disabled = child,
		.enable_on_exec = child,
		.inherit = child && !o->no_inherit,
	};
}

int record_side_open(struct record_run *r, pid_t child)
{
	const struct record_options *o = &r->options;
	struct perf_event_attr attr;
	int ret;

	if (!r->sink->put_task)
		return 0;
	attr_init(&attr, o, child);
	ret = side_open(&r->side, &attr, child);
	/* Without CONFIG_CGROUP_PERF: the folders of cgroups are looked through in any case. */
	if (ret < 0 && attr.cgroup) {
		attr.cgroup = 0;
		ret = side_open(&r->side, &attr, child);
	}
	if (ret < 0 && (o->namespaces || o->switch_events)) {
		cli_say("%s: perf events refused to tell of them: %s (CAP_PERFMON, and Linux 4.12 or "
			"later)", o->namespaces ? "--namespaces" : "--switch-events", strerror(-ret));
		return EXIT_TOOL;
	}
	if (ret < 0 && o->verbose)
		cli_say("names and maps of tasks are read from /proc: perf events refused to tell "
			"them: %s", strerror(-ret));
	return 0;
}

static int put(void *arg, const struct perf_event_header *header)
{
	struct record_sink *sink = arg;

	return sink->put_task(sink, header);
}

int record_side_drain(struct record_run *r)
{
	int ret = side_drain(&r->side, put, r->sink);

	r->counts.broken += r->side.broken;
	r->side.broken = 0;
	return ret;
}
