// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <string.h>

#include "say/append.h"
#include "pmu_counters.h"

void pmu_counters_measure(struct pmu_counters *m, const struct pmu_machine *machine,
			  const struct core_pmu *pmu, struct pmcgrp *dev)
{
	struct perf_event_attr copies[FILL_MAX];
	struct fill_device device = { .h = dev };
	uint32_t type = pmu_generic_type(machine, pmu);
	cpu_set_t before;

	memset(m, 0, sizeof(*m));
	m->cpu = pmu_run_there(pmu, &before);
	if (m->cpu < 0) {
		m->err = -EINVAL;
		m->says = "this process may run on none of its CPUs";
		return;
	}
	pmu_copies(copies, machine, pmu);
	m->err = fill_measure(&m->perf, copies, type, fill_perf, NULL);
	m->has_perf = !m->err;
	/* Before the device has counters that it keeps for a while. */
	m->left = m->has_perf ? fill_free(copies, m->perf.general, dev) : m->err;
	m->fill = m->perf;
	m->says = m->err ? strerror(-m->err) : NULL;
	if (dev) {
		device.cpu = m->cpu;
		m->by_device = true;
		m->err = fill_measure(&m->fill, copies, type, fill_device, &device);
		m->says = m->err ? pmcgrp_strerror(dev) : NULL;
	}
	sched_setaffinity(0, sizeof(before), &before);
}

unsigned int pmu_counters_own(const struct fill *fill)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_FILL_OWN; i++)
		nr += fill->own[i];
	return nr;
}

void pmu_counters_own_names(const struct fill *fill, char *text, size_t size)
{
	static const char *const names[] = { "instructions", "cycles", "ref-cycles" };
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < NR_FILL_OWN; i++) {
		if (fill->own[i])
			append(text, size, ", ", "%s", names[i]);
	}
}

static void take_info(const struct pmcgrp_info *info, struct pmu_held *held)
{
	const struct pmcgrp_info_cpu *cpu;
	uint32_t i;

	for (i = 0; (cpu = pmcgrp_info_cpu(info, i)); i++) {
		if (cpu->cpu < 0 || cpu->state == PMCGRP_STATE_SCHED_OUT ||
		    cpu->state == PMCGRP_STATE_UNSCHEDULABLE)
			continue;
		held->looked_at++;
		held->cpus += cpu->perf_counters > 0;
		held->watchdogs += !!(cpu->perf_flags & PMCGRP_PERF_WATCHDOG);
		if (cpu->perf_counters > held->most)
			held->most = cpu->perf_counters;
	}
}

static void take_names(const struct pmcgrp_info *info, struct pmu_held *held,
		       struct held_counters *named, const struct core_pmu *pmu,
		       const struct perf_event_attr *attr, struct pmcgrp *dev)
{
	const struct pmcgrp_info_cpu *cpu;
	uint32_t i;
	int ret;

	for (i = 0; (cpu = pmcgrp_info_cpu(info, i)); i++) {
		if (cpu->cpu < 0 || !cpu->perf_counters)
			continue;
		ret = held_counters_ask(named, dev, pmu->name, attr, cpu->cpu);
		if (ret)
			held->unnamed_err = ret;
	}
}

int pmu_held_ask(struct pmu_held *held, struct held_counters *named, const char *machine,
		 const struct core_pmu *pmu, struct pmcgrp *dev)
{
	struct perf_event_attr attr = fill_event(machine, false, pmu->type, 0);
	struct pmcgrp_group *group = NULL;
	struct pmcgrp_info *info = NULL;
	struct pmcgrp_spec *spec;
	int ret;

	*held = (struct pmu_held){ 0 };
	ret = pmcgrp_spec_new(&spec);
	if (ret)
		return ret;
	pmcgrp_spec_set_all_cpus(spec);
	ret = pmcgrp_spec_add(spec, &attr, NULL);
	if (ret >= 0)
		ret = pmcgrp_group_create(dev, spec, &group);
	pmcgrp_spec_free(spec);
	if (!ret)
		ret = pmcgrp_group_info(group, &info);
	if (!ret)
		take_info(info, held);
	if (!ret && named)
		take_names(info, held, named, pmu, &attr, dev);
	pmcgrp_info_free(info);
	pmcgrp_group_close(group);
	return ret;
}
