// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Which names there are: the kernel's, those of PMUs, and tracepoints. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_name.h"
#include "machine.h"
#include "pmcgrp.h"
#include "event_table.h"

/**
 * struct pmcgrp_names - names
 * @machine: where they are from; what names point to is theirs
 * @kind: of those that are being added
 */
struct pmcgrp_names {
	struct event_machine machine;
	enum pmcgrp_name_kind kind;
	struct pmcgrp_name *at;
	unsigned int nr;
};

static void name_free(struct pmcgrp_name *name)
{
	free((void *)name->name);
	free((void *)name->alias);
	free((void *)name->pmu);
	free((void *)name->cpus);
	free((void *)name->terms);
	free((void *)name->unit);
	free((void *)name->desc);
	free((void *)name->topic);
	free((void *)name->counter);
}

/* A copy of a text that there may be. */
static int copy_if(const char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return text && !*out ? -ENOMEM : 0;
}

/* @name is taken, and freed on failure. */
static int append(struct pmcgrp_names *names, char *name, const char *alias, const char *pmu,
		  const struct pmu_alias *event)
{
	struct pmcgrp_name *at = reallocarray(names->at, names->nr + 1, sizeof(*at));
	struct pmcgrp_name *new;

	if (!name || !at) {
		if (at)
			names->at = at;
		free(name);
		return -ENOMEM;
	}
	names->at = at;
	new = &at[names->nr];
	*new = (struct pmcgrp_name){
		.kind = names->kind,
		.name = name,
		.unit = strdup(event ? event->unit : ""),
	};
	if (!new->unit || copy_if(&new->alias, alias) < 0 || copy_if(&new->pmu, pmu) < 0 ||
	    copy_if(&new->terms, event ? event->terms : NULL) < 0) {
		name_free(new);
		return -ENOMEM;
	}
	names->nr++;
	return 0;
}

static int add_kernel(void *ctx, const char *name, const char *alias)
{
	return append(ctx, strdup(name), alias, NULL, NULL);
}

/* An event of a PMU, which @pmu_name stands for. */
static int append_of(struct pmcgrp_names *names, char *name, const struct pmu *pmu,
		     const char *pmu_name, const struct pmu_alias *event)
{
	int ret = append(names, name, NULL, pmu_name, event);

	return ret < 0 || !pmu->uncore ? ret : copy_if(&names->at[names->nr - 1].cpus, pmu->cpus);
}

static int add_event(void *ctx, const struct pmu *pmu, const char *name)
{
	struct pmcgrp_names *names = ctx;
	struct pmu_alias event;
	char *shown;

	if (pmu_alias(&names->machine.pmus, pmu, name, &event) < 0)
		return 0; /* a file that is malformed */
	if (asprintf(&shown, "%s/%s/", pmu->name, name) < 0)
		return -ENOMEM;
	return append_of(names, shown, pmu, pmu->name, &event);
}

static int add_pmus(struct pmcgrp_names *names)
{
	const struct pmus *pmus = event_machine_pmus(&names->machine);
	int ret = pmus ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !ret && i < pmus->nr; i++)
		ret = pmu_each_alias(pmus, &pmus->at[i], add_event, names);
	return ret;
}

static int add_tracepoint(void *ctx, const char *name, uint64_t id)
{
	(void)id;
	return append(ctx, strdup(name), NULL, NULL, NULL);
}

static int add_entry(struct pmcgrp_names *names, const struct event_table_entry *entry,
		     const struct pmu *pmu)
{
	bool core = !strcmp(entry->pmu, EVENT_TABLE_CORE);
	struct pmu_alias event = { .scale = entry->scale };
	struct pmcgrp_name *name;
	int ret;

	snprintf(event.terms, sizeof(event.terms), "%s", entry->terms ? entry->terms : "");
	snprintf(event.unit, sizeof(event.unit), "%s", entry->unit ? entry->unit : "");
	ret = append_of(names, strdup(entry->name), pmu, core ? "cpu" : entry->pmu, &event);
	if (ret < 0)
		return ret;
	name = &names->at[names->nr - 1];
	name->deprecated = entry->deprecated;
	if (copy_if(&name->desc, entry->desc ? entry->desc : entry->long_desc) < 0 ||
	    copy_if(&name->topic, entry->topic) < 0 || copy_if(&name->counter, entry->counter) < 0)
		return -ENOMEM;
	return 0;
}

/* Events of PMUs that this machine has. */
static int add_table(struct pmcgrp_names *names, const struct event_table *table)
{
	const struct pmus *pmus = event_machine_pmus(&names->machine);
	size_t i, k, nr = table ? event_table_nr(table) : 0;
	int ret = pmus ? 0 : -ENOMEM;

	for (i = 0; i < nr && !ret; i++) {
		const struct event_table_entry *entry = event_table_entry(table, i);

		for (k = 0; k < pmus->nr; k++) {
			if (event_machine_has(&names->machine, &pmus->at[k], entry))
				break;
		}
		if (k < pmus->nr)
			ret = add_entry(names, entry, &pmus->at[k]);
	}
	return ret;
}

static int add_tables(struct pmcgrp_names *names)
{
	int ret;

	event_machine_tables(&names->machine);
	ret = add_table(names, names->machine.table);
	return ret ? ret : add_table(names, names->machine.sys);
}

static int add_kind(struct pmcgrp_names *names, enum pmcgrp_name_kind kind)
{
	int ret;

	names->kind = kind;
	switch (kind) {
	case PMCGRP_NAME_HARDWARE:
		return kernel_name_each(PERF_TYPE_HARDWARE, add_kernel, names);
	case PMCGRP_NAME_SOFTWARE:
		return kernel_name_each(PERF_TYPE_SOFTWARE, add_kernel, names);
	case PMCGRP_NAME_CACHE:
		return kernel_name_each(PERF_TYPE_HW_CACHE, add_kernel, names);
	case PMCGRP_NAME_PMU:
		return add_pmus(names);
	case PMCGRP_NAME_TABLE:
		return add_tables(names);
	default:
		ret = tracefs_glob(names->machine.tracing, "*:*", add_tracepoint, names);
		return ret == -ENOMEM ? ret : 0;
	}
}

int pmcgrp_names_new(struct pmcgrp_names **out, unsigned int kinds)
{
	struct pmcgrp_names *names;
	unsigned int kind;
	int ret = 0;

	if (!out || kinds >= 2 * PMCGRP_NAME_TABLE)
		return -EINVAL;
	*out = NULL;
	names = calloc(1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	names->machine = event_machine_here;
	for (kind = 1; kind <= PMCGRP_NAME_TABLE && !ret; kind *= 2) {
		if (kinds & kind)
			ret = add_kind(names, kind);
	}
	if (ret < 0) {
		pmcgrp_names_free(names);
		return ret;
	}
	*out = names;
	return 0;
}

void pmcgrp_names_free(struct pmcgrp_names *names)
{
	if (!names)
		return;
	while (names->nr)
		name_free(&names->at[--names->nr]);
	event_machine_close(&names->machine);
	free(names->at);
	free(names);
}

unsigned int pmcgrp_names_nr(const struct pmcgrp_names *names)
{
	return names->nr;
}

const struct pmcgrp_name *pmcgrp_names_at(const struct pmcgrp_names *names, unsigned int i)
{
	return i < names->nr ? &names->at[i] : NULL;
}
