// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine.h"
#include "sysfile.h"

int pmu_run_there(const struct core_pmu *pmu, cpu_set_t *before)
{
	int cpu = pmcgrp_cpus_next(&pmu->cpus, 0);
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(*before), before))
		return -1;
	/* Where it may run: the first CPU may be closed to it (cpuset). */
	for (; cpu >= 0 && cpu < CPU_SETSIZE; cpu = pmcgrp_cpus_next(&pmu->cpus, cpu + 1)) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (CPU_ISSET(cpu, before) && !sched_setaffinity(0, sizeof(set), &set))
			return cpu;
	}
	return -1;
}

static bool is_amd(const char *root)
{
	char vendor[64];

	sysfile_value(root, "/proc/cpuinfo", "vendor_id", vendor, sizeof(vendor));
	return !strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine");
}

void pmu_copies(struct perf_event_attr *copies, const struct pmu_machine *machine, const struct core_pmu *pmu)
{
	bool amd = is_amd(machine->root);
	unsigned int i;

	for (i = 0; i < FILL_MAX; i++)
		copies[i] = fill_event(machine->name, amd, pmu->type, i);
}

uint32_t pmu_generic_type(const struct pmu_machine *machine, const struct core_pmu *pmu)
{
	return machine->nr_pmus > 1 ? pmu->type : 0;
}

int pmu_count(struct fill *fill, const struct pmu_machine *machine, const struct core_pmu *pmu)
{
	struct perf_event_attr copies[FILL_MAX];
	cpu_set_t before;
	int err;

	if (pmu_run_there(pmu, &before) < 0)
		return -EINVAL;
	pmu_copies(copies, machine, pmu);
	err = fill_measure(fill, copies, pmu_generic_type(machine, pmu), fill_perf, NULL);
	sched_setaffinity(0, sizeof(before), &before);
	return err;
}

uint64_t plan_machine_counters(void)
{
	struct core_pmu pmus[CORE_PMUS_MAX];
	struct pmu_machine machine = { .root = "", .nr_pmus = core_pmus_find(pmus, "") };
	struct utsname name;
	struct fill fill;

	if (!machine.nr_pmus || uname(&name))
		return 0;
	machine.name = name.machine;
	if (pmu_count(&fill, &machine, &pmus[0]))
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

void plan_machine_probe(struct plan_groups *groups, const struct pmcgrp_events *list)
{
	unsigned int i;

	for (i = 0; i < pmcgrp_events_nr(list); i++)
		if (plan_machine_refuses(pmcgrp_events_at(list, i)->attr))
			groups->events[i].flags |= PMCGRP_PLAN_UNSUPPORTED;
}

int plan_here_begin(struct plan_here *here, enum pmcgrp_backend backend, struct failure *failure)
{
	struct plan_setup setup;
	int ret;

	memset(here, 0, sizeof(*here));
	ret = plan_model_here(&here->model, failure);
	if (ret)
		return ret;
	plan_setup_here(&setup, "");
	setup.counters = plan_machine_counters();
	plan_pmu_begin(&here->pmu, here->model, &setup);
	here->options = (struct pmcgrp_plan_options){
		.who = backend == PMCGRP_BACKEND_PERF ? PMCGRP_PLAN_PERF : PMCGRP_PLAN_PMCGRP,
		.kernel = setup.kernel, .no_pmc3 = here->pmu.no_pmc3
	};
	return 0;
}

void plan_here_end(struct plan_here *here)
{
	plan_model_close(here->model);
}
