/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The events and metrics of a model of CPUs, as perf's tables have them. user/events/convert makes
 * the files of which they are read; where those are is told in share_path.h: events/<arch>/.
 *
 * Whatever points into a table is gone when the table is closed.
 */
#ifndef PMCGRP_EVENT_TABLE_H
#define PMCGRP_EVENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "failure.h"

/* The CPU's own PMU, whatever its name (x86: cpu): what to ask for, and what an entry names. */
#define EVENT_TABLE_CORE "default_core"

/* A string that the table does not have is NULL. */
struct event_table_entry {
	const char *name;	/* in lower case */
	const char *pmu;	/* without its number: "uncore_cbox"; or EVENT_TABLE_CORE */
	const char *terms;	/* "event=0xc0,umask=0x1,period=2000003", as perf writes it */
	const char *desc;
	const char *long_desc;
	const char *topic;
	const char *unit;	/* of the count times scale */
	const char *counter;	/* "0,1,2,3", "Fixed counter 0" */
	const char *errata;	/* desc names them, too */
	const char *compat;	/* of sys: see event_table_compatible() */
	double scale;
	bool per_pkg;
	bool deprecated;
};

/* When the events of a metric cannot be one group. */
enum event_table_constraint {
	EVENT_TABLE_GROUP,
	EVENT_TABLE_NO_GROUP,		/* never */
	EVENT_TABLE_NO_GROUP_NMI,	/* not while the NMI watchdog has a counter */
	EVENT_TABLE_NO_GROUP_SMT,	/* not while two threads share a core */
	EVENT_TABLE_NO_THRESHOLD_NMI,	/* not with the threshold's while the watchdog has one */
};

struct event_table_metric {
	const char *name;
	const char *pmu;
	const char *expr;
	const char *groups;		/* "Mem;MemoryBW" */
	const char *desc;
	const char *long_desc;
	const char *threshold;		/* an expression: the metric is remarkable */
	const char *unit;		/* of the value times scale */
	const char *no_group;		/* groups in which its events are not one group */
	const char *default_group;
	const char *aggregation;	/* "PerChip", "PerCore" */
	const char *compat;
	double scale;
	enum event_table_constraint constraint;
	const char *file;		/* the user's that it is of, and its line; or NULL: perf's */
	unsigned int line;
};

struct event_table;

/*
 * event_cpuid - what this machine's CPU is called in the tables
 * @buf: "GenuineIntel-6-55-4": vendor, family, model, stepping; arm64: the MIDR of the first CPU
 *	that has one, "0x00000000410fd0c0"
 *
 * $PERF_CPUID goes before the machine's own, as for perf.
 * Returns 0; -ENAMETOOLONG: @size is too small; -ENODEV: the machine does not say it.
 */
int event_cpuid(char *buf, size_t size);

/* The same of one of these CPUs, where a machine has several kinds (arm64). */
int event_cpuid_of(const struct pmcgrp_cpus *cpus, char *buf, size_t size);

/*
 * event_cpuid_matches - whether a pattern of the tables is of this CPU
 * @pattern: a MIDR of the least version, or an extended regular expression for all of @cpuid, and
 *	for all but the stepping if it names none
 */
bool event_cpuid_matches(const char *pattern, const char *cpuid);

/*
 * event_table_open - reads the table of a model
 * @folder: of all architectures; NULL: the one that is installed
 * @arch: "x86", "arm64"; NULL: this machine's
 * @cpuid: NULL: this machine's
 * @failure: the sentence, if it fails
 *
 * Returns 0 or
 *   -ENOENT	no tables are installed: what to do is said
 *   -ENODEV	the tables have no such model, or this machine does not say which it is
 *   -EINVAL	a file is malformed
 *   or another negative errno.
 */
int event_table_open(struct event_table **out, const char *folder, const char *arch,
		     const char *cpuid, struct failure *failure);

/* The same of PMUs outside the CPUs (arm64), of all systems; -ENODEV: the architecture has none. */
int event_table_open_sys(struct event_table **out, const char *folder, const char *arch,
			 struct failure *failure);

/*
 * event_table_empty - a table without events and metrics, for those of files
 * @missing: why there is no other: see event_table_missing()
 *
 * Returns 0 or -ENOMEM.
 */
int event_table_empty(struct event_table **out, const char *missing);

/* Why the table has no entries of perf's; NULL: it may have. */
const char *event_table_missing(const struct event_table *table);

void event_table_close(struct event_table *table);

/* "skylakex", "arm/neoverse-n1", "sys" */
const char *event_table_model(const struct event_table *table);

/* All entries, by PMU and name. */
size_t event_table_nr(const struct event_table *table);
const struct event_table_entry *event_table_entry(const struct event_table *table, size_t i);

/*
 * event_table_find - the event of this name, whatever its case
 * @pmu: as sysfs names it ("uncore_cbox_3"), EVENT_TABLE_CORE for a core PMU, or NULL for any
 *
 * Returns the first, or NULL. A hybrid CPU has one for each kind of core, a system table one for
 * each system: event_table_find_next() returns the one after @entry.
 */
const struct event_table_entry *event_table_find(const struct event_table *table,
						 const char *pmu, const char *name);
const struct event_table_entry *event_table_find_next(const struct event_table *table,
						      const struct event_table_entry *entry,
						      const char *pmu);

/* All metrics, by PMU and name. */
size_t event_table_nr_metrics(const struct event_table *table);
const struct event_table_metric *event_table_metric(const struct event_table *table, size_t i);

/*
 * event_table_find_metric - the metric after @metric (NULL: the first) of this name, or of this
 *	group; whatever their case
 */
const struct event_table_metric *event_table_find_metric(const struct event_table *table,
							 const struct event_table_metric *metric,
							 const char *name);
const struct event_table_metric *event_table_find_group(const struct event_table *table,
							const struct event_table_metric *metric,
							const char *group);

/* What a group of metrics is about; NULL: not known. */
const char *event_table_group_desc(const struct event_table *table, const char *group);

/*
 * event_table_pmu_matches - whether a table's PMU is the one that sysfs has
 * @pmu: "uncore_cbox" is uncore_cbox, uncore_cbox_3 and uncore_cbox3; "hisi_sccl,l3c" is
 *	hisi_sccl1_l3c4
 */
bool event_table_pmu_matches(const char *pmu, const char *sysfs);

/* Whether the identifier in a PMU's folder of sysfs is what an entry's compat asks for. */
bool event_table_compatible(const char *compat, const char *identifier);

#endif
