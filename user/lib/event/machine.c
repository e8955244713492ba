// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Where events are looked up: read when it is asked for, as most lists need none of it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include "machine.h"
#include "event_table.h"

#ifndef PERF_PMU_TYPE_SHIFT
#define PERF_PMU_TYPE_SHIFT 32
#endif

struct event_machine event_machine_here = {
	.devices = PMUS_FOLDER,
	.tracing = tracefs_events,
};

static int open_pmus(struct event_machine *machine)
{
	if (machine->given)
		return pmus_open_given(&machine->pmus, machine->given);
	return pmus_open(&machine->pmus, machine->devices);
}

const struct pmus *event_machine_pmus(struct event_machine *machine)
{
	if (!machine->known && open_pmus(machine) < 0)
		return NULL;
	machine->known = true;
	return &machine->pmus;
}

uint64_t event_machine_extended(struct event_machine *machine, const struct pmu *pmu)
{
	const struct pmus *pmus = event_machine_pmus(machine);

	if (!pmus || !pmu || !pmu->core || pmus->nr_core < 2)
		return 0;
	return (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT;
}

void event_machine_tables(struct event_machine *machine)
{
	struct failure why; /* without tables there are fewer names */

	if (machine->tables_read)
		return;
	machine->tables_read = true;
	if (machine->given && !machine->cpuid)
		return;
	if (event_table_open(&machine->table, machine->tables, machine->arch, machine->cpuid, &why) < 0)
		machine->table = NULL;
	if (machine->given)
		return;
	if (event_table_open_sys(&machine->sys, machine->tables, NULL, &why) < 0)
		machine->sys = NULL;
}

/* PMUs outside CPUs say which they are: their events are those of that model. */
static bool is_compatible(const struct event_machine *machine, const struct pmu *pmu,
			  const struct event_table_entry *entry)
{
	char identifier[128];

	return !entry->compat ||
	       (!pmu_identifier(&machine->pmus, pmu, identifier, sizeof(identifier)) &&
		event_table_compatible(entry->compat, identifier));
}

bool event_machine_has(const struct event_machine *machine, const struct pmu *pmu,
		       const struct event_table_entry *entry)
{
	if (!is_compatible(machine, pmu, entry))
		return false;
	if (!strcmp(entry->pmu, EVENT_TABLE_CORE))
		return pmu->core;
	return event_table_pmu_matches(entry->pmu, pmu->name);
}

static const struct event_table_entry *entry_find(const struct event_machine *machine,
						  const struct event_table *table,
						  const struct pmu *pmu, const char *name)
{
	const struct event_table_entry *entry = table ? event_table_find(table, NULL, name) : NULL;

	while (entry && !event_machine_has(machine, pmu, entry))
		entry = event_table_find_next(table, entry, NULL);
	return entry;
}

int event_machine_alias(struct event_machine *machine, const struct pmu *pmu, const char *name,
			struct pmu_alias *alias)
{
	const struct event_table_entry *entry;
	int ret = pmu_alias(&machine->pmus, pmu, name, alias);

	if (ret != -ENOENT)
		return ret;
	event_machine_tables(machine);
	entry = entry_find(machine, machine->table, pmu, name);
	if (!entry)
		entry = entry_find(machine, machine->sys, pmu, name);
	if (!entry || !entry->terms)
		return -ENOENT;
	*alias = (struct pmu_alias){ .scale = entry->scale, .per_pkg = entry->per_pkg };
	if (snprintf(alias->terms, sizeof(alias->terms), "%s", entry->terms) >=
	    (int)sizeof(alias->terms))
		return -EINVAL;
	snprintf(alias->unit, sizeof(alias->unit), "%s", entry->unit ? entry->unit : "");
	return 0;
}

void event_machine_close(struct event_machine *machine)
{
	pmus_close(&machine->pmus);
	event_table_close(machine->table);
	event_table_close(machine->sys);
	machine->table = NULL;
	machine->sys = NULL;
	machine->chosen = NULL;
	machine->known = false;
	machine->tables_read = false;
}
