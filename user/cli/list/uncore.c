// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The PMUs outside the CPUs: their boxes, the CPUs that read them, and their terms. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/pmu.h"
#include "listing.h"

static bool is_chosen(const struct pmu *pmu, const struct list_options *o)
{
	unsigned int i;

	for (i = 0; i < o->nr_patterns; i++) {
		if (list_matches(pmu->name, o->patterns[i]))
			return true;
	}
	return !o->nr_patterns;
}

static void add_cpus(struct pmcgrp_cpus *all, const struct pmu *pmu)
{
	struct pmcgrp_cpus cpus;
	int cpu;

	if (pmcgrp_cpus_parse(&cpus, pmu->cpus ? pmu->cpus : "", NULL) < 0)
		return;
	for (cpu = pmcgrp_cpus_next(&cpus, 0); cpu >= 0; cpu = pmcgrp_cpus_next(&cpus, cpu + 1))
		pmcgrp_cpus_set(all, cpu);
}

/* A kind of boxes, of which @first is one and no other before it. */
static void print_kind(const struct pmus *pmus, size_t first)
{
	const struct pmu *pmu = &pmus->at[first];
	struct pmcgrp_cpus cpus = { 0 };
	char list[128], terms[256], name[80], boxes[32] = "";
	unsigned int nr = 0;
	size_t i;

	for (i = first; i < pmus->nr; i++) {
		if (!pmus->at[i].uncore || !pmu_same_kind(pmu, &pmus->at[i]))
			continue;
		add_cpus(&cpus, &pmus->at[i]);
		nr++;
	}
	pmcgrp_cpus_format(&cpus, list, sizeof(list));
	pmu_formats_list(pmus, pmu, terms, sizeof(terms));
	snprintf(name, sizeof(name), "%.*s", nr > 1 ? (int)pmu_kind_len(pmu->name) : 79, pmu->name);
	if (nr > 1)
		snprintf(boxes, sizeof(boxes), "%u boxes, ", nr);
	printf("  %-24s  %son CPUs %s; terms: %s\n", name, boxes, list[0] ? list : "(none)", terms);
}

static bool is_first(const struct pmus *pmus, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++) {
		if (pmus->at[i].uncore && pmu_same_kind(&pmus->at[i], &pmus->at[at]))
			return false;
	}
	return true;
}

int list_print_uncore(const struct list_options *o, bool *any)
{
	struct pmus pmus;
	bool begun = false;
	size_t i;
	int ret;

	ret = pmus_open(&pmus, PMUS_FOLDER);
	for (i = 0; !ret && i < pmus.nr; i++) {
		if (!pmus.at[i].uncore || !is_first(&pmus, i) || !is_chosen(&pmus.at[i], o))
			continue;
		if (!begun)
			printf("%sPMUs outside the CPUs: counted on one CPU of each package, with -a\n",
			       *any ? "\n" : "");
		begun = true;
		print_kind(&pmus, i);
	}
	*any |= begun;
	if (!ret)
		pmus_close(&pmus);
	return ret;
}
