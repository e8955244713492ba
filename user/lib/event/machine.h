/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Where events are looked up. */
#ifndef PMCGRP_EVENT_MACHINE_H
#define PMCGRP_EVENT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu.h"
#include "tracefs.h"

struct event_table;
struct event_table_entry;

/**
 * struct event_machine - what a machine has
 * @devices: folder of its PMUs
 * @tracing: TRACEFS_FOLDERS folders of its tracepoints
 * @pmus: its PMUs, after event_machine_pmus()
 * @known: @pmus has been read
 * @chosen: the only PMU that names stand for which are not its own; NULL: all
 * @given: NULL, or the PMU of another machine, of which events are looked up
 * @arch, @cpuid: which of perf's tables is that of @given; of this machine NULL
 * @tables: folder of perf's tables of events; NULL: the one that is installed
 * @table: perf's table of the CPU and @sys, that of PMUs outside CPUs; NULL: there is none
 * @tables_read: @table and @sys have been looked for
 */
struct event_machine {
	const char *devices;
	const char *const *tracing;
	struct pmus pmus;
	bool known;
	const struct pmu *chosen;
	const struct pmu_given *given;
	const char *arch;
	const char *cpuid;
	const char *tables;
	struct event_table *table;
	struct event_table *sys;
	bool tables_read;
};

/* What new lists begin with: the folders of this machine.  A test puts others there. */
extern struct event_machine event_machine_here;

/* Its PMUs, read once; NULL: no memory. */
const struct pmus *event_machine_pmus(struct event_machine *machine);

/*
 * event_machine_alias - look up an event of a PMU, in its folder or in perf's tables
 *
 * Return: as pmu_alias().
 */
int event_machine_alias(struct event_machine *machine, const struct pmu *pmu, const char *name,
			struct pmu_alias *alias);

/* Whether a table's entry is an event of a PMU of this machine. */
bool event_machine_has(const struct event_machine *machine, const struct pmu *pmu,
		       const struct event_table_entry *entry);

/* Whether a name that several PMUs have stands for this one. */
static inline bool event_machine_wants(const struct event_machine *machine, const struct pmu *pmu)
{
	return !machine->chosen || machine->chosen == pmu;
}

/* Look for the tables, once. */
void event_machine_tables(struct event_machine *machine);

/*
 * The number of a PMU that perf core adds to the code of a hardware or cache event, for the event
 * to be counted by that kind of core; 0 where all cores are alike.
 */
uint64_t event_machine_extended(struct event_machine *machine, const struct pmu *pmu);

void event_machine_close(struct event_machine *machine);

#endif
