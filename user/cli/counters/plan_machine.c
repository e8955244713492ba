// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "plan_machine.h"
#include "pmu_counters.h"

uint64_t plan_machine_counters(void)
{
	struct core_pmu pmus[CORE_PMUS_MAX];
	struct pmu_machine machine = { .root = "", .nr_pmus = core_pmus_find(pmus, "") };
	struct utsname name;
	struct fill fill;

	if (!machine.nr_pmus || uname(&name))
		return 0;
	machine.name = name.machine;
	if (pmu_counters_fill(&fill, &machine, &pmus[0]))
		return 0;
	/* Arm's one fixed counter is that of cycles. */
	if (!strcmp(name.machine, "aarch64"))
		return ((1ULL << fill.general) - 1) |
		       (uint64_t)fill.own[FILL_CYCLES] << PMCGRP_PLAN_FIXED;
	return ((1ULL << fill.general) - 1) |
	       (uint64_t)fill.own[FILL_INSTRUCTIONS] << PMCGRP_PLAN_FIXED |
	       (uint64_t)fill.own[FILL_CYCLES] << (PMCGRP_PLAN_FIXED + 1) |
	       (uint64_t)fill.own[FILL_REF_CYCLES] << (PMCGRP_PLAN_FIXED + 2);
}

int plan_machine_refuses(const struct perf_event_attr *from)
{
	struct perf_event_attr attr = { 0 };
	int fd;

	memcpy(&attr, from, from->size && from->size < sizeof(attr) ? from->size : sizeof(attr));
	attr.size = sizeof(attr);
	attr.disabled = 1;
	attr.pinned = attr.exclusive = 0;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	else if (errno == ENOENT || errno == EOPNOTSUPP || errno == EINVAL || errno == ENODEV)
		return -errno;
	return 0;
}
