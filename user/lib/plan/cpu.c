// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What both drivers have in common: extra registers, and what is on the PMU. */
#include <stdio.h>

#include "sim.h"

struct sim_cpu sim_cpu_of(const struct pmcgrp_plan_pmu *pmu, const struct pmcgrp_plan_options *options)
{
	static const struct pmcgrp_plan_options none;
	struct sim_cpu cpu = { .pmu = pmu, .options = options ? options : &none };

	cpu.kernel = cpu.options->kernel ? cpu.options->kernel : PMCGRP_PLAN_KERNEL(6, 12, 255);
	return cpu;
}

bool sim_same_event(const struct pmcgrp_plan_event *a, const struct pmcgrp_plan_event *b)
{
	return a == b || (a->identity == b->identity && a->code == b->code && a->config1 == b->config1 &&
			  a->mask == b->mask && a->extra == b->extra && a->flags == b->flags);
}

/*
 * Counters that the sibling hyper-thread leaves (Intel's HT erratum): where it counts an exclusive
 * event, none of ours may be; where it counts another one, no exclusive one of ours
 * (arch/x86/events/intel/core.c: intel_get_excl_constraints()).
 */
static uint64_t beside_sibling(const struct sim_cpu *cpu, const struct pmcgrp_plan_event *event)
{
	uint64_t taken;

	if (!cpu->pmu->ht_limit || cpu->is_fake)
		return ~0ULL;
	taken = cpu->options->sibling_exclusive;
	if (event->flags & PMCGRP_PLAN_EXCLUSIVE)
		taken |= cpu->options->sibling_shared;
	return ~taken;
}

uint64_t sim_mask(const struct sim_cpu *cpu, const struct pmcgrp_plan_event *event)
{
	uint64_t mask = event->mask & beside_sibling(cpu, event);

	/* tfa_get_event_constraints() */
	if (cpu->options->no_pmc3)
		mask &= ~(1ULL << 3);
	return mask;
}

unsigned int sim_ht_limit(const struct sim_cpu *cpu, struct sim_slot *const *slots, unsigned int nr)
{
	unsigned int i;

	if (!cpu->pmu->ht_limit || cpu->is_fake)
		return 0;
	if (cpu->options->sibling_exclusive)
		return cpu->pmu->ht_limit;
	for (i = 0; i < nr; i++)
		if (slots[i]->event->flags & PMCGRP_PLAN_EXCLUSIVE)
			return cpu->pmu->ht_limit;
	return 0;
}

static void put_reg(struct sim_cpu *cpu, struct sim_slot *slot)
{
	if (slot->has_reg)
		cpu->reg[slot->event->extra - 1][slot->reg].users--;
	slot->has_reg = false;
}

void sim_del(struct sim_cpu *cpu, struct sim_slot *slot)
{
	unsigned int i;

	for (i = 0; i < cpu->nr && cpu->slot[i] != slot; i++)
		;
	if (i == cpu->nr)
		return;
	put_reg(cpu, slot);
	cpu->nr--;
	for (; i < cpu->nr; i++)
		cpu->slot[i] = cpu->slot[i + 1];
}

void sim_enable(struct sim_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < cpu->nr; i++)
		cpu->slot[i]->counter = cpu->slot[i]->next;
}

void pmcgrp_plan_counter(char *text, size_t size, unsigned int bit)
{
	if (bit >= PMCGRP_PLAN_METRIC)
		snprintf(text, size, "METRIC%u", bit - PMCGRP_PLAN_METRIC);
	else if (bit >= PMCGRP_PLAN_FIXED)
		snprintf(text, size, "FIXED%u", bit - PMCGRP_PLAN_FIXED);
	else
		snprintf(text, size, "GP%u", bit);
}
