// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The rings of record's groups. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "args/cli.h"
#include "cpus.h"
#include "record_run.h"

/* Whether a group has a ring for each CPU. */
static bool has_cpu_rings(const struct record_options *o)
{
	return record_of_cpus(o) || o->pids.nr || !o->no_inherit;
}

bool record_has_all_cpus(const struct record_run *r)
{
	const struct record_options *o = &r->options;

	return r->nr_groups == 1 && !o->has_cpus && has_cpu_rings(o);
}

static int ring_add(struct record_run *r, const struct pmcgrp_group *group, int cpu)
{
	uint64_t offset = cpu < 0 ? 0 : PMCGRP_RING_OFFSET(cpu);
	unsigned int flags = r->options.overwrite ? PMCGRP_MAP_BACKWARD : 0;
	struct pmcgrp_ring *ring;
	int ret;

	ret = pmcgrp_ring_map(&ring, pmcgrp_group_fd(group), offset, (size_t)r->options.pages,
			      flags);
	if (ret < 0)
		return ret;
	ret = pmcgrp_rings_add(r->rings, ring, cpu);
	if (ret < 0)
		pmcgrp_ring_close(ring);
	return ret;
}

/* Those of several groups: of each one, or one for each CPU. */
static int rings_map_groups(struct record_run *r)
{
	struct pmcgrp_record_format format;
	struct pmcgrp_cpus cpus;
	unsigned int i;
	int cpu, ret;

	pmcgrp_group_record_format(r->groups[0], &format);
	ret = pmcgrp_rings_new(&r->rings, &format);
	if (!ret)
		ret = cpus_present(&cpus, CPU_FOLDER);
	for (i = 0; i < r->nr_groups && ret >= 0; i++) {
		if (!has_cpu_rings(&r->options)) {
			ret = ring_add(r, r->groups[i], -1);
			continue;
		}
		for (cpu = pmcgrp_cpus_next(&cpus, 0); cpu >= 0 && ret >= 0;
		     cpu = pmcgrp_cpus_next(&cpus, cpu + 1))
			ret = ring_add(r, r->groups[i], cpu);
	}
	return ret < 0 ? ret : 0;
}

/*
 * A CPU that comes online for the first time samples at once: its ring is there before. Without one
 * it is mapped when the CPU is seen (look_for_cpus()).
 */
static void rings_map_offline(struct record_run *r)
{
	struct pmcgrp_cpus cpus;
	unsigned int i;
	int cpu;

	if (!record_has_all_cpus(r) || cpus_present(&cpus, CPU_FOLDER) < 0)
		return;
	for (cpu = pmcgrp_cpus_next(&cpus, 0); cpu >= 0; cpu = pmcgrp_cpus_next(&cpus, cpu + 1)) {
		for (i = 0; i < pmcgrp_rings_nr(r->rings) && pmcgrp_rings_cpu(r->rings, i) != cpu; i++)
			;
		if (i == pmcgrp_rings_nr(r->rings) && ring_add(r, r->groups[0], cpu) < 0)
			return;
	}
}

int record_rings_map(struct record_run *r)
{
	int ret;

	if (r->nr_groups > 1)
		ret = rings_map_groups(r);
	else
		ret = pmcgrp_rings_map(&r->rings, r->groups[0], (size_t)r->options.pages);
	if (!ret)
		rings_map_offline(r);
	if (!ret && (!record_of_cpus(&r->options) || r->options.by_task))
		pmcgrp_rings_from_zero(r->rings);
	if (!ret)
		return 0;
	cli_say("cannot map the rings: %s", strerror(-ret));
	if (ret == -EPERM)
		cli_say("your rings and perf's buffers would have more memory than "
			"/sys/module/pmcgrp/parameters/rings_user_kb for each CPU, and this process "
			"more than RLIMIT_MEMLOCK: use smaller rings (-m, now %d pages), raise "
			"`ulimit -l`, or have CAP_IPC_LOCK",
			r->options.pages);
	if (ret == -ENOSPC)
		cli_say("your groups, rings, tables and spans would have more memory than "
			"/sys/module/pmcgrp/parameters/rings_max_mb: use smaller rings (-m, now %d "
			"pages), or load the module with a higher limit",
			r->options.pages);
	if (ret == -ENOMEM)
		cli_say("use smaller rings (-m, now %d pages)", r->options.pages);
	return EXIT_TOOL;
}

/* CPUs can come online later; more than there can be do not. */
unsigned int record_rings_max(const struct record_run *r)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int nr = pmcgrp_rings_nr(r->rings);

	return record_has_all_cpus(r) && cpus > (long)nr ? (unsigned int)cpus : nr;
}
