// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The PMUs of the machine, and how many counters those of the cores have. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "say/append.h"
#include "counters/pmu_counters.h"
#include "sysfile.h"
#include "sections.h"

static const char *advice_on(int err)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return "run as root, or see perf_event_paranoid above";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return "see whether the hypervisor lets a PMU through";
	default:
		return "report it, with all of this";
	}
}

static void counters(struct doctor *d, const struct core_pmu *pmu, const struct pmu_counters *m)
{
	struct findings *f = &d->findings;
	static const char what[] = "counters";
	char own[96];

	if (m->err) {
		findings_add(f, m->by_device ? DOCTOR_PROBLEM : DOCTOR_UNKNOWN, what, "%s: %s",
			     pmu->name, m->says);
		findings_advise(f, "%s", advice_on(-m->err));
		return;
	}
	pmu_counters_own_names(&m->fill, own, sizeof(own));
	findings_add(f, m->fill.general ? DOCTOR_OK : DOCTOR_PROBLEM, what,
		     "%s: %u for any event%s%s (by filling, with %s, CPU %d)", pmu->name,
		     m->fill.general, own[0] ? "; one more each for " : "", own,
		     m->by_device ? "pmcgrp" : "perf_event_open(2)", m->cpu);
	findings_value(f, "counters", m->fill.general);
	findings_value(f, "own", pmu_counters_own(&m->fill));
	findings_value(f, "cpu", m->cpu);
	if (!m->fill.general) {
		findings_advise(f, "report it, with all of this");
	} else if (m->by_device && m->has_perf && m->perf.general != m->fill.general) {
		findings_add(f, DOCTOR_WARNING, what, "%s: perf_event_open(2) gives %u, pmcgrp %u",
			     pmu->name, m->perf.general, m->fill.general);
		findings_advise(f, "report it, with all of this");
	}
}

static void left(struct doctor *d, const struct core_pmu *pmu, const struct pmu_counters *m)
{
	static const char what[] = "free now";
	struct findings *f = &d->findings;

	if (m->left < 0) {
		findings_add(f, DOCTOR_UNKNOWN, what, "%s: perf_event_open(2): %s", pmu->name,
			     strerror(-m->left));
		findings_advise(f, "run as root, or see perf_event_paranoid above");
		return;
	}
	findings_add(f, m->left ? DOCTOR_OK : DOCTOR_WARNING, what, "%s: %d of %u on CPU %d",
		     pmu->name, m->left, m->perf.general, m->cpu);
	findings_value(f, "free", m->left);
	if (!m->left)
		findings_advise(f, "groups will wait for those that are named below");
}

static void core_pmu(struct doctor *d, const struct core_pmu *pmu)
{
	const struct pmu_machine machine = {
		.root = d->root, .name = d->machine, .nr_pmus = d->nr_pmus
	};
	struct findings *f = &d->findings;
	struct pmu_counters m;
	char list[256];

	pmcgrp_cpus_format(&pmu->cpus, list, sizeof(list));
	findings_add(f, DOCTOR_OK, pmu->name, "PMU of the cores, type %u, CPUs %s", pmu->type,
		     list[0] ? list : "not known");
	findings_value(f, "type", pmu->type);
	if (!d->live)
		return;
	pmu_counters_measure(&m, &machine, pmu, d->dev);
	counters(d, pmu, &m);
	if (!m.err)
		left(d, pmu, &m);
}

static bool is_core(const struct doctor *d, const char *name)
{
	unsigned int i;

	for (i = 0; i < d->nr_pmus; i++) {
		if (!strcmp(d->pmus[i].name, name))
			return true;
	}
	return false;
}

/* One of the others, alone: its type, and who reads it. */
static void print_pmu(struct doctor *d, const char *name)
{
	struct pmcgrp_cpus cpus;
	char path[PATH_MAX], list[128] = "";
	long long type = -1;

	snprintf(path, sizeof(path), DOCTOR_PMUS "/%s/type", name);
	sysfile_number(d->root, path, &type);
	if (core_pmu_list(d->root, name, "cpumask", &cpus))
		pmcgrp_cpus_format(&cpus, list, sizeof(list));
	findings_add(&d->findings, DOCTOR_OK, name, "type %lld%s%s", type,
		     list[0] ? ", outside the CPUs: counted with -a, on CPUs " : "", list);
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void others(struct doctor *d)
{
	char path[PATH_MAX], text[1024] = "";
	struct findings *f = &d->findings;
	struct dirent **names;
	int i, nr;

	snprintf(path, sizeof(path), "%s" DOCTOR_PMUS, d->root);
	nr = scandir(path, &names, is_name, alphasort);
	if (nr < 0) {
		findings_add(f, DOCTOR_UNKNOWN, "PMUs", DOCTOR_PMUS ": %s", strerror(errno));
		findings_advise(f, "mount /sys; without perf events there is none");
		return;
	}
	for (i = 0; i < nr; i++) {
		if (is_core(d, names[i]->d_name))
			;
		else if (d->verbose)
			print_pmu(d, names[i]->d_name);
		else
			append(text, sizeof(text), ", ", "%s", names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (text[0])
		findings_add(f, DOCTOR_OK, "others", "%s", text);
}

void doctor_pmus(struct doctor *d)
{
	struct findings *f = &d->findings;
	unsigned int i;

	f->section = SECTION_PMUS;
	for (i = 0; i < d->nr_pmus; i++)
		core_pmu(d, &d->pmus[i]);
	if (!d->nr_pmus) {
		findings_add(f, DOCTOR_WARNING, "core PMU", "none: software events and tracepoints "
			     "alone can be counted");
		findings_advise(f, "in a virtual machine: let its hypervisor give it a PMU (QEMU "
				"with KVM: -cpu host)");
	}
	others(d);
}
