/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Models of PMUs, of which pmcgrp_plan.h's are made, and the events that they have.
 *
 * A model is a file in JSON, user/models/README has its keys.
 */
#ifndef PMCGRP_PLAN_MODEL_H
#define PMCGRP_PLAN_MODEL_H

#include <linux/perf_event.h>

#include "failure.h"
#include "pmcgrp_events.h"
#include "pmcgrp_plan.h"

struct plan_model;

/*
 * plan_model_open - read a model
 * @name: of one that is installed, capitals or not; or a file: with a slash in it, or ".json" at
 *	its end
 *
 * Returns 0; -ENOENT: there is none; -EINVAL: the file is wrong; or another negative errno. @failure
 * has the sentence, with file, line and field.
 */
int plan_model_open(struct plan_model **out, const char *name, struct failure *failure);

/* The same of a text. @path: for @failure, and the model's name if it has none itself */
int plan_model_read(struct plan_model **out, const char *text, size_t size, const char *path,
		    struct failure *failure);

/*
 * plan_model_here - the model of this machine's CPU, by CPUID or MIDR
 *
 * Where no model is of this CPU it is one that knows no constraints: plan_model_is_plain(). Events are
 * looked up on this machine then, not in the model.
 */
int plan_model_here(struct plan_model **out, struct failure *failure);

void plan_model_close(struct plan_model *model);

const char *plan_model_name(const struct plan_model *model);

/* Whether it has nothing but counters: constraints are not known. */
bool plan_model_is_plain(const struct plan_model *model);

/* Call a function with the name of each model that is installed, in order. */
int plan_model_each(void (*each)(void *ctx, const char *name), void *ctx, struct failure *failure);

/*
 * plan_kernel_parse - a version as pmcgrp_plan_options.kernel has it: "4.6", "4.7-rc7", "6.12.1"
 *
 * Returns what stands behind it; NULL: it is none.
 */
const char *plan_kernel_parse(const char *text, unsigned int *kernel);

/**
 * struct plan_setup - what decides beside the model
 * @ht: hyper-threads share the core
 * @watchdog: the NMI watchdog has an event
 * @no_pmc3: pmcgrp_plan_options.no_pmc3 is wanted
 * @kernel: as pmcgrp_plan_options has it; 0: 6.12
 * @counters: bits of the counters that there are, up to fixed counter 2; 0: as the model says
 */
struct plan_setup {
	bool ht;
	bool watchdog;
	bool no_pmc3;
	unsigned int kernel;
	uint64_t counters;
};

/* That of this machine, without @counters. @root: in front of each path; "" for this machine */
void plan_setup_here(struct plan_setup *setup, const char *root);

/**
 * struct plan_pmu - a PMU for pmcgrp_plan(); it stays where it is, as it points into itself
 * @pmu: the PMU
 * @model: of which it is
 * @setup: as it was asked for
 * @counters: bits of all counters
 * @ht_workaround: exclusive events are so
 * @no_pmc3: for pmcgrp_plan_options: false where model or kernel have no such switch
 * @watchdog: for @pmu
 */
struct plan_pmu {
	struct pmcgrp_plan_pmu pmu;
	const struct plan_model *model;
	struct plan_setup setup;
	uint64_t counters;
	bool ht_workaround;
	bool no_pmc3;
	struct pmcgrp_plan_event watchdog;
};

/* @model has to stay open. */
void plan_pmu_begin(struct plan_pmu *pmu, const struct plan_model *model, const struct plan_setup *setup);

/* The event that a raw code is; its name is left alone. */
void plan_pmu_code(const struct plan_pmu *pmu, uint64_t config, uint64_t config1,
		   struct pmcgrp_plan_event *event);

/* The same of what perf_event_open(2) gets; of a PMU that is no core's it is a software event. */
void plan_pmu_attr(const struct plan_pmu *pmu, const struct perf_event_attr *attr,
		   struct pmcgrp_plan_event *event);

/**
 * struct plan_groups - what a list of events stands for
 * @groups: for pmcgrp_plan()
 * @nr: how many
 * @events: what they point to, in the order of @list
 * @list: as it was parsed; NULL: it is the caller's
 */
struct plan_groups {
	struct pmcgrp_plan_group *groups;
	unsigned int nr;
	struct pmcgrp_plan_event *events;
	const struct pmcgrp_plan_event **members;
	struct pmcgrp_events *list;
};

/*
 * plan_groups_parse - the groups of a text as perf stat's -e has it
 * @pmu: whose model has the events
 *
 * Returns 0, then plan_groups_free() frees what it holds; -EINVAL with @error filled in: malformed, or
 * an event that the model does not have; or -ENOMEM.
 */
int plan_groups_parse(struct plan_groups *groups, const struct plan_pmu *pmu, const char *text,
		      struct pmcgrp_events_error *error);

/*
 * plan_groups_of - the same of a list, whose events are this machine's
 * @list: stays the caller's, and has to stay as long
 */
int plan_groups_of(struct plan_groups *groups, const struct plan_pmu *pmu,
		   const struct pmcgrp_events *list, struct pmcgrp_events_error *error);

void plan_groups_free(struct plan_groups *groups);

#endif
