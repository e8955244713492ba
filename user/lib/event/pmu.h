/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The PMUs of a machine, as sysfs describes them: types, formats, events, CPUs. */
#ifndef PMCGRP_EVENT_PMU_H
#define PMCGRP_EVENT_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fields that a format's bits may be of. */
enum {
	PMU_CONFIG,
	PMU_CONFIG1,
	PMU_CONFIG2,
	PMU_CONFIG3,
	PMU_CONFIGS,
};

/**
 * struct pmu - a folder of /sys/bus/event_source/devices
 * @name: the folder's
 * @type: perf_event_attr.type
 * @core: its counters are those of the CPUs
 * @uncore: it counts a package, a die or another box outside the CPUs: it has a cpumask
 * @cpus: the CPUs that it counts, of a core PMU; of an uncore PMU its cpumask, one CPU for each
 *	package or what else it counts; else NULL
 */
struct pmu {
	char *name;
	uint32_t type;
	bool core;
	bool uncore;
	char *cpus;
};

/* What is a file in sysfs, and its text. */
struct pmu_text {
	const char *name;
	const char *text;
};

/**
 * struct pmu_given - the core PMU of a machine that is not this one
 * @model: what the machine is called
 * @name: the PMU's
 * @formats: as the files of its folder format have them; the last has no name
 * @events: the same of its folder events; the names may have points
 */
struct pmu_given {
	const char *model;
	const char *name;
	const struct pmu_text *formats;
	const struct pmu_text *events;
};

/**
 * struct pmus - the PMUs of a machine, by name
 * @folder: the folder of their folders
 * @given: NULL, or what is read instead of the folder
 * @nr_core: number of core PMUs
 */
struct pmus {
	const char *folder;
	const struct pmu_given *given;
	struct pmu *at;
	size_t nr;
	size_t nr_core;
};

/* Those of this machine. */
#define PMUS_FOLDER "/sys/bus/event_source/devices"

/* Return: 0, or -ENOMEM.  Without the folder there are none.  pmus_close() frees them. */
int pmus_open(struct pmus *pmus, const char *folder);

/* The same of one PMU that is given. */
int pmus_open_given(struct pmus *pmus, const struct pmu_given *given);

void pmus_close(struct pmus *pmus);

/* The PMU of that name, or NULL. */
const struct pmu *pmus_find(const struct pmus *pmus, const char *name);

/*
 * Whether a name stands for a PMU: its own; its own without "uncore_" or without a number behind
 * it; or a glob.
 */
bool pmu_matches(const struct pmu *pmu, const char *name);

/* The length of a PMU's name without the number of the box: that of "uncore_cha" in "uncore_cha_3". */
size_t pmu_kind_len(const char *name);

/* Whether two PMUs are boxes of one kind: uncore_cha_0 and _1, hisi_sccl1_l3c0 and hisi_sccl3_l3c2. */
bool pmu_same_kind(const struct pmu *a, const struct pmu *b);

/**
 * struct pmu_format - a term that a PMU knows
 * @config: the field: PMU_CONFIG to PMU_CONFIG3
 * @bits: its bits in the field: the first bits of a value go to the lowest ones
 */
struct pmu_format {
	unsigned int config;
	uint64_t bits;
};

/* Return: 0; -ENOENT: it has no such term; -EINVAL: the file is malformed; -EOPNOTSUPP: in config4. */
int pmu_format(const struct pmus *pmus, const struct pmu *pmu, const char *term,
	       struct pmu_format *format);

/* Parse a format's file: "config:0-7,21".  Return: 0, -EINVAL, or -EOPNOTSUPP: in config4. */
int pmu_format_parse(const char *text, struct pmu_format *format);

/* The terms of a PMU, as text for a sentence.  Without room it ends in dots. */
void pmu_formats_list(const struct pmus *pmus, const struct pmu *pmu, char *buf, size_t size);

/**
 * struct pmu_alias - an event that a PMU has in sysfs
 * @terms: what it stands for
 * @unit: what its counts are, after multiplication by @scale; or ""
 * @snapshot: its value is a state, not a count
 * @per_pkg: one of its counters in each package counts all of it
 */
struct pmu_alias {
	char terms[512];
	char unit[32];
	double scale;
	bool snapshot;
	bool per_pkg;
};

/*
 * Look up an event of the PMU, capitals or not.  Return: 0; -ENOENT; -EINVAL: its file is too long.
 */
int pmu_alias(const struct pmus *pmus, const struct pmu *pmu, const char *name,
	      struct pmu_alias *alias);

/* Which model a PMU outside the CPUs is.  Return: 0, or a negative errno: it does not say. */
int pmu_identifier(const struct pmus *pmus, const struct pmu *pmu, char *buf, size_t size);

/*
 * pmu_each_alias - call a function with the name of each event of a PMU, in order
 * @each: not 0 ends it
 *
 * Return: what @each returned last, or -ENOMEM.
 */
int pmu_each_alias(const struct pmus *pmus, const struct pmu *pmu,
		   int (*each)(void *ctx, const struct pmu *pmu, const char *name), void *ctx);

#endif
