/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions about groups: PMCGRP_IOC_INFO and PMCGRP_IOC_INFO_NEXT. */
#ifndef FUZZ_INFO_H
#define FUZZ_INFO_H

#include "state.h"

#define INFO_CPUS	(8 * PMCGRP_MEMBERS_MAX)

/* What came back for a group that was there all the time. */
static void check_info(struct worker *w, const struct made *made, const struct pmcgrp_info *info,
		       const struct pmcgrp_info_member *member, const struct pmcgrp_info_cpu *cpu)
{
	bool no_cpus = info->flags & PMCGRP_INFO_NO_CPUS;
	unsigned int i;

	if (info->nr_members != made->nr || info->nr_cpus % made->nr || !info->nr_cpus != no_cpus)
		found(w, "INFO: %u members, %u on CPUs; it has %u", info->nr_members,
		      info->nr_cpus, made->nr);
	if (info->time_running > info->time_enabled || info->enabled > 1 ||
	    !memchr(info->comm, 0, sizeof(info->comm)))
		found(w, "INFO: running %llu of %llu ns", (unsigned long long)info->time_running,
		      (unsigned long long)info->time_enabled);
	for (i = 0; i < info->nr_members; i++)
		if (member[i].id != made->id[i] || member[i].__reserved ||
		    member[i].count != member[made->same[i]].count)
			found(w, "INFO: member %u is another", i);
	for (i = 0; i < info->nr_cpus; i++)
		if (cpu[i].member != i % made->nr || cpu[i].state > PMCGRP_STATE_SCHED_OUT ||
		    cpu[i].cpu >= (int)config.cpus || cpu[i].perf_flags & ~PMCGRP_PERF_WATCHDOG ||
		    (cpu[i].state == PMCGRP_STATE_RUNNING && cpu[i].why))
			found(w, "INFO: member %u on CPU %d: state %u, why %u", cpu[i].member,
			      cpu[i].cpu, cpu[i].state, cpu[i].why);
}

/* An argument that is good, or bad in one way. */
static void info_form(struct worker *w, struct pmcgrp_info *info, int *expect)
{
	switch (below(&w->rng, 8)) {
	case 0:
		info->size = below(&w->rng, PMCGRP_INFO_SIZE_VER0);
		*expect = EINVAL;
		break;
	case 1:
		info->flags = PMCGRP_INFO_NO_CPUS << (1 + below(&w->rng, 31));
		*expect = EINVAL;
		break;
	case 2:
		info->member_size = below(&w->rng, PMCGRP_INFO_MEMBER_SIZE_VER0);
		*expect = EINVAL;
		break;
	case 3:
		info->cpu_size = 65537 + below(&w->rng, 1 << 30);
		*expect = E2BIG;
		break;
	case 4:
		info->nr_cpus = 0;
		*expect = ENOSPC;
		break;
	case 5:
		info->members = 8;	/* no page is there */
		*expect = EFAULT;
		break;
	case 6:
		info->flags = PMCGRP_INFO_NO_CPUS;
		break;
	}
}

static void op_info(struct worker *w)
{
	static __thread struct pmcgrp_info_member member[PMCGRP_MEMBERS_MAX];
	static __thread struct pmcgrp_info_cpu cpu[INFO_CPUS];
	struct pmcgrp_info info = {
		.size = sizeof(info),
		.members = (uintptr_t)member,
		.cpus = (uintptr_t)cpu,
		.nr_members = PMCGRP_MEMBERS_MAX,
		.nr_cpus = INFO_CPUS,
		.member_size = sizeof(member[0]),
		.cpu_size = sizeof(cpu[0]),
	};
	const struct zone *z = &w->zones.create;
	uint64_t least = rng_next(&w->rng) % (1ULL << 42), address;
	int expect = 0, fd, err;
	enum place place = below(&w->rng, PLACES);
	bool next = chance(&w->rng, 25), known;
	struct seat *s = &w->seat[below(&w->rng, SEATS)];
	struct made made;
	unsigned int gen;

	info_form(w, &info, &expect);
	known = seat_look(s, &gen, &fd, &made);
	if (next) {
		fd = w->dev;
		info.id = chance(&w->rng, 50) ? 0 : least;
	}
	address = zone_address(z, &w->rng, place, sizeof(info));
	zone_write(z, address, &info, sizeof(info));
	least = info.id;
	err = ioctl(fd, next ? PMCGRP_IOC_INFO_NEXT : PMCGRP_IOC_INFO, address) ? errno : 0;
	if (!zone_writable(z, address, sizeof(info)))
		return;
	if (next) {
		memcpy(&info, (void *)(uintptr_t)address, sizeof(info));
		if (err ? err != expect && err != ENOENT && err != ENOSPC : info.id < least)
			found(w, "NEXT: errno %d, id %llu from %llu on", err,
			      (unsigned long long)info.id, (unsigned long long)least);
		return;
	}
	if (!known || !seat_unchanged(s, gen))
		return;
	if (err != expect)
		found(w, "INFO: errno %d, not %d", err, expect);
	if (err)
		return;
	memcpy(&info, (void *)(uintptr_t)address, sizeof(info));
	if (!made.led)
		check_info(w, &made, &info, member, cpu);
}

#endif /* FUZZ_INFO_H */
