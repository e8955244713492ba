// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From a model and a machine's setup to a PMU, and from codes to events of it. */
#include "model.h"

/* The kernel whose behaviour is meant where none is named. */
#define KERNEL_DEFAULT PMCGRP_PLAN_KERNEL(6, 12, 255)

/* Codes of a plain model's generic events, which no raw code is. */
#define PLAIN_GENERIC (1ULL << 63)

/* arch/x86/include/asm/perf_event.h: HSW_IN_TX_CHECKPOINTED */
#define IN_TX_CHECKPOINTED (1ULL << 33)

/* Of a counter of which setups say whether it is there: up to fixed counter 2. */
#define MEASURED ((1ULL << (PMCGRP_PLAN_FIXED + 3)) - 1)

static unsigned int kernel_of(const struct plan_setup *setup)
{
	return setup->kernel ? setup->kernel : KERNEL_DEFAULT;
}

/* Whether a kernel has what there is from one version to another. */
static bool in_kernel(unsigned int kernel, unsigned int since, unsigned int until)
{
	return kernel >= since && (!until || kernel < until);
}

/* The number of bits up to the highest. */
static unsigned int bit_length(uint64_t mask)
{
	return mask ? 64 - (unsigned int)__builtin_clzll(mask) : 0;
}

static void set_counters(struct plan_pmu *pmu)
{
	uint64_t counters = model_counters(pmu->model, pmu->setup.ht), gp_mask;

	if (pmu->setup.counters)
		counters = (counters & ~MEASURED) | (pmu->setup.counters & MEASURED);
	gp_mask = (1ULL << PMCGRP_PLAN_FIXED) - 1;
	pmu->counters = counters;
	pmu->pmu.nr_gp = bit_length(counters & gp_mask);
	pmu->pmu.nr_fixed = bit_length(counters >> PMCGRP_PLAN_FIXED &
				       ((1ULL << (PMCGRP_PLAN_METRIC - PMCGRP_PLAN_FIXED)) - 1));
}

static bool heeds_umask(enum model_when when, uint64_t code)
{
	unsigned int umask = code >> 8 & 0xff;

	switch (when) {
	case MODEL_UMASK_SEVERAL:
		return umask & (umask - 1);
	case MODEL_UMASK_HALVES:
		return umask & 0xf && umask & 0xf0;
	case MODEL_ALWAYS:
		break;
	}
	return true;
}

/* arch/x86/events/perf_event.h: constraint_match(); the first of the table counts. */
static const struct model_constraint *find_constraint(const struct plan_pmu *pmu, uint64_t code)
{
	const struct plan_model *model = pmu->model;
	size_t i;

	for (i = 0; i < model->nr_constraints; i++) {
		const struct model_constraint *c = &model->constraints[i];

		if ((code & c->cmask) - c->code <= c->last - c->code && heeds_umask(c->when, code) &&
		    in_kernel(kernel_of(&pmu->setup), c->since, c->until))
			return c;
	}
	return NULL;
}

/* arch/x86/events/core.c: x86_pmu_extra_regs() */
static void set_extra(const struct plan_model *model, uint64_t config1,
		      struct pmcgrp_plan_event *event)
{
	size_t i;

	for (i = 0; i < model->nr_extras; i++) {
		const struct model_extra *extra = &model->extras[i];

		if ((event->code & extra->cmask) != extra->code)
			continue;
		if (config1 & ~extra->valid)
			event->flags |= PMCGRP_PLAN_UNSUPPORTED;
		event->config1 = config1;
		event->extra = 1 + extra->kind;
		return;
	}
}

/* Counters and flags of a code that the kernel programs. */
static void set_code(const struct plan_pmu *pmu, uint64_t code, uint64_t config1,
		     struct pmcgrp_plan_event *event)
{
	const struct model_constraint *c = find_constraint(pmu, code);

	event->code = code;
	event->mask = pmu->counters & ((1ULL << PMCGRP_PLAN_FIXED) - 1);
	if (c) {
		event->mask = c->mask & pmu->counters;
		event->flags = c->flags;
	}
	if (!pmu->ht_workaround)
		event->flags &= ~(unsigned int)PMCGRP_PLAN_EXCLUSIVE;
	/* arch/x86/events/intel/core.c: hsw_get_event_constraints() */
	if (pmu->model->in_tx_cp && code & IN_TX_CHECKPOINTED)
		event->mask &= pmu->model->in_tx_cp;
	set_extra(pmu->model, config1, event);
	if (!event->mask)
		event->flags |= PMCGRP_PLAN_UNSUPPORTED;
}

static struct pmcgrp_plan_event blank(const struct pmcgrp_plan_event *event)
{
	return (struct pmcgrp_plan_event){ .name = event->name };
}

void plan_pmu_code(const struct plan_pmu *pmu, uint64_t config, uint64_t config1,
		   struct pmcgrp_plan_event *event)
{
	*event = blank(event);
	set_code(pmu, config & pmu->model->raw_mask, config1, event);
}

/*
 * Of a PMU that is not known: all events for all PMUs, and those that Intel has fixed counters for
 * also on these, if there are any.
 */
static void set_plain(const struct plan_pmu *pmu, const struct perf_event_attr *attr,
		      struct pmcgrp_plan_event *event)
{
	static const unsigned int fixed[PERF_COUNT_HW_MAX] = {
		[PERF_COUNT_HW_INSTRUCTIONS] = PMCGRP_PLAN_FIXED,
		[PERF_COUNT_HW_CPU_CYCLES] = PMCGRP_PLAN_FIXED + 1,
		[PERF_COUNT_HW_REF_CPU_CYCLES] = PMCGRP_PLAN_FIXED + 2,
	};
	uint64_t config = (uint32_t)attr->config;

	set_code(pmu, PLAIN_GENERIC | (uint64_t)attr->type << 32 | config, 0, event);
	if (attr->type == PERF_TYPE_HARDWARE && config < PERF_COUNT_HW_MAX && fixed[config])
		event->mask |= pmu->counters & 1ULL << fixed[config];
}

static void set_generic(const struct plan_pmu *pmu, const struct perf_event_attr *attr,
			struct pmcgrp_plan_event *event)
{
	const struct plan_model *model = pmu->model;
	size_t i;

	if (model->is_plain) {
		set_plain(pmu, attr, event);
		return;
	}
	for (i = 0; i < model->nr_generics; i++) {
		const struct model_generic *generic = &model->generics[i];

		/* The upper half names a PMU. */
		if (generic->type == attr->type && generic->config == (uint32_t)attr->config) {
			set_code(pmu, generic->code, generic->config1, event);
			return;
		}
	}
	event->flags = PMCGRP_PLAN_UNSUPPORTED;
}

/* What pmcgrp tells events apart by: not what they make of the PMU, but what they ask for. */
static uint64_t identity_of(const struct perf_event_attr *attr)
{
	const uint64_t parts[] = { attr->type, attr->config, attr->config1, attr->config2,
				   attr->exclude_user | attr->exclude_kernel << 1 |
					   attr->exclude_hv << 2 | attr->exclude_guest << 3 |
					   attr->exclude_host << 4 };
	uint64_t hash = 1;
	unsigned int i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		hash = (hash ^ parts[i]) * 0x9e3779b97f4a7c15ULL + 1;
	return hash;
}

void plan_pmu_attr(const struct plan_pmu *pmu, const struct perf_event_attr *attr,
		   struct pmcgrp_plan_event *event)
{
	*event = blank(event);
	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_BREAKPOINT:
		event->flags = PMCGRP_PLAN_SOFTWARE;
		return;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		set_generic(pmu, attr, event);
		break;
	default:
		plan_pmu_code(pmu, attr->config, attr->config1, event);
		break;
	}
	/* arch/x86/events/core.c: x86_pmu_hw_config(): precise events are for samples alone. */
	if (attr->precise_ip && pmu->model->style == PMCGRP_PLAN_X86)
		event->flags |= PMCGRP_PLAN_UNSUPPORTED;
	event->identity = identity_of(attr);
}

static void set_watchdog(struct plan_pmu *pmu)
{
	const struct plan_model *model = pmu->model;
	const struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};

	pmu->watchdog.name = "the NMI watchdog";
	if (model->is_plain)
		plan_pmu_attr(pmu, &cycles, &pmu->watchdog);
	else if (model->watchdog)
		set_code(pmu, model->watchdog->code, model->watchdog->config1, &pmu->watchdog);
	else
		return;
	pmu->pmu.watchdog = &pmu->watchdog;
}

void plan_pmu_begin(struct plan_pmu *pmu, const struct plan_model *model, const struct plan_setup *setup)
{
	unsigned int i, kernel = kernel_of(setup);

	*pmu = (struct plan_pmu){ .pmu.style = model->style, .model = model, .setup = *setup };
	set_counters(pmu);
	pmu->ht_workaround = setup->ht && model->ht_workaround && kernel >= model->ht_workaround;
	if (pmu->ht_workaround)
		pmu->pmu.ht_limit = pmu->pmu.nr_gp / 2;
	pmu->no_pmc3 = setup->no_pmc3 && model->tfa && kernel >= model->tfa;
	for (i = 0; i < model->nr_kinds; i++) {
		pmu->pmu.extra_name[i] = model->kinds[i].name;
		pmu->pmu.nr_extra[i] = model->kinds[i].nr;
	}
	if (setup->watchdog)
		set_watchdog(pmu);
}
