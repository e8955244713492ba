/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A model as its file has it: what reads, checks and uses it share. */
#ifndef PMCGRP_PLAN_MODEL_DATA_H
#define PMCGRP_PLAN_MODEL_DATA_H

#include <jansson.h>

#include "event/pmu.h"
#include "plan_model.h"

/* More is refused: the kernel's largest table has 47. */
#define MODEL_CONSTRAINTS_MAX	256
#define MODEL_EXTRAS_MAX	64

/* What else an event's unit masks have to be, where codes do not say it (AMD family 15h). */
enum model_when {
	MODEL_ALWAYS,
	MODEL_UMASK_SEVERAL,	/* more than one bit */
	MODEL_UMASK_HALVES,	/* bits in both halves */
};

/**
 * struct model_constraint - which counters can count a code
 * @code, @last, @cmask: the codes: (config & @cmask) - @code <= @last - @code
 * @mask: the counters, of those that there are
 * @flags: enum pmcgrp_plan_event_flags
 * @when: enum model_when
 * @since, @until: the first kernel that has it, and the first that has not; 0: there is none
 */
struct model_constraint {
	uint64_t code;
	uint64_t last;
	uint64_t cmask;
	uint64_t mask;
	unsigned int flags;
	enum model_when when;
	unsigned int since;
	unsigned int until;
};

/* An event that needs an extra register: @kind is an index of struct plan_model's. */
struct model_extra {
	uint64_t code;
	uint64_t cmask;
	uint64_t valid;
	unsigned int kind;
};

/* An event that the kernel has for all PMUs. */
struct model_generic {
	const char *name;
	uint32_t type;
	uint64_t config;
	uint64_t code;
	uint64_t config1;
};

/**
 * struct plan_model - a model; its strings are the file's
 * @cpus: a pattern of perf's tables: CPUs that it is of; or NULL
 * @table: the CPU whose table of perf's it has; or NULL
 * @counters, @counters_ht: general-purpose counters without and with hyper-threads
 * @raw_mask: bits of a raw code that the kernel heeds
 * @in_tx_cp: counters for checkpointed events; 0: there are none
 * @ht_workaround, @tfa: the first kernel that has it; 0: none has
 * @kinds: extra registers
 * @watchdog: the generic event that it has; NULL: none
 * @given: its formats and events
 * @is_here: it is this machine's, whose sysfs has the events
 * @is_plain: constraints and codes are not known
 */
struct plan_model {
	json_t *json;
	const char *name;
	const char *cpus;
	const char *table;
	const char *pmu;
	enum pmcgrp_plan_style style;
	unsigned int counters;
	unsigned int counters_ht;
	unsigned int fixed;
	unsigned int metrics;
	uint64_t raw_mask;
	uint64_t in_tx_cp;
	unsigned int ht_workaround;
	unsigned int tfa;
	const char *watchdog_name;
	const struct model_generic *watchdog;
	struct {
		const char *name;
		unsigned int nr;
	} kinds[PMCGRP_PLAN_EXTRA_MAX];
	unsigned int nr_kinds;
	struct model_extra extras[MODEL_EXTRAS_MAX];
	size_t nr_extras;
	struct model_constraint constraints[MODEL_CONSTRAINTS_MAX];
	size_t nr_constraints;
	struct model_generic *generics;
	size_t nr_generics;
	struct pmu_text *formats;
	struct pmu_text *events;
	struct pmu_given given;
	bool is_here;
	bool is_plain;
};

/* All of its counters, as bits. */
static inline uint64_t model_counters(const struct plan_model *model, bool ht)
{
	unsigned int gp = ht && model->counters_ht ? model->counters_ht : model->counters;

	return ((1ULL << gp) - 1) | ((1ULL << model->fixed) - 1) << PMCGRP_PLAN_FIXED |
	       ((1ULL << model->metrics) - 1) << PMCGRP_PLAN_METRIC;
}

/* In which file errors are, and what its text is. */
struct model_file {
	const char *path;
	const char *text;
	json_t *root;
	struct failure *failure;
};

/*
 * model_wrong - say what is wrong with a key
 * @object: that has it
 * @where: what the object is: "constraints[3]"; "" for all of the file
 * @key: the key; NULL: the object itself
 *
 * Return: -EINVAL.
 */
int model_wrong(const struct model_file *file, const json_t *object, const char *where,
		const char *key, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Whether the model can be: what single keys cannot say. */
int model_check(const struct model_file *file, const struct plan_model *model);

#endif
