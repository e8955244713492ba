// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Arm's driver: an event gets the first counter that is free, and keeps it as long as it is on
 * (drivers/perf/arm_pmu.c: armpmu_add(); arm_pmuv3.c: armv8pmu_get_event_idx()).
 */
#include "sim.h"

static int find(const struct sim_cpu *cpu, const struct pmcgrp_plan_event *event)
{
	uint64_t mask = sim_mask(cpu, event), own;
	unsigned int i;

	for (i = 0; i < cpu->nr; i++)
		mask &= ~(1ULL << cpu->slot[i]->next);
	if (!mask)
		return -1;
	own = event->mask & ~sim_gp_mask(cpu->pmu);
	if (event->flags & PMCGRP_PLAN_CYCLES && mask & own)
		mask &= own;
	return __builtin_ctzll(mask);
}

bool sim_arm_add(struct sim_cpu *cpu, struct sim_slot *const *slots, unsigned int nr)
{
	unsigned int i;
	int counter;

	for (i = 0; i < nr; i++) {
		counter = cpu->nr < SIM_COUNTERS ? find(cpu, slots[i]->event) : -1;
		if (counter < 0) {
			while (i)
				sim_del(cpu, slots[--i]);
			return false;
		}
		slots[i]->next = counter;
		cpu->slot[cpu->nr++] = slots[i];
	}
	return true;
}
