// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Of what stat has lines: threads, or the CPUs and how they are aggregated. */
#include <errno.h>
#include <string.h>

#include "args/cli.h"
#include "counters/ended.h"
#include "stat_run.h"

static int threads_init(struct stat_run *st)
{
	int ret = stat_threads_find(st);

	if (ret)
		return ret;
	ret = aggr_init_threads(&st->aggr, st->threads.id, st->threads.nr, AGGR_THREADS_FOLDER);
	return ret < 0 ? cli_say_errno("cannot set up the report", -ret) : 0;
}

static int say_unplaced(const struct stat_options *o, int cpu, int err)
{
	if (o->aggr == AGGR_CACHE && err == ENOENT)
		cli_say("CPU %d has no such cache in %s/cpu%d/cache: many virtual machines tell of "
			"none; --per-die and --per-core need none", cpu, AGGR_FOLDER, cpu);
	else
		cli_say("cannot tell the core and the socket of CPU %d from %s/cpu%d/topology: "
			"%s; it may be offline, or not exist", cpu, AGGR_FOLDER, cpu, strerror(err));
	return EXIT_TOOL;
}

int stat_lines_init(struct stat_run *st)
{
	const struct stat_options *o = &st->options;
	struct pmcgrp_cpus cpus = o->cpus;
	int bad = -1, ret;

	ret = ended_leave_out(AGGR_THREADS_FOLDER, &st->options.pids, &st->options.tids);
	if (ret)
		return ret;
	if (stat_by_key(o))
		return stat_keys_lines(st);
	if (o->aggr == AGGR_THREAD)
		return threads_init(st);
	if (!o->has_cpus && o->aggr != AGGR_GLOBAL)
		ret = pmcgrp_cpus_online(&cpus);
	if (ret < 0)
		return cli_say_errno("cannot read which CPUs are online", -ret);
	ret = aggr_init_cache(&st->aggr, o->aggr, o->cache_level, &cpus, AGGR_FOLDER, &bad);
	if (ret < 0 && bad >= 0)
		return say_unplaced(o, bad, -ret);
	return ret < 0 ? cli_say_errno("cannot set up the report", -ret) : 0;
}
