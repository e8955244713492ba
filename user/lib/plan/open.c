// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * How groups are opened: which events are refused, and what perf stat makes of it.
 *
 * An event that leads must have a counter; one that joins a group must find room beside the members,
 * on a PMU that is empty otherwise (arch/x86/events/core.c: validate_event(), validate_group();
 * drivers/perf/arm_pmu.c: validate_group()). perf stat leaves out what is refused. It then cannot
 * read the group, as it expects all members. A weak group is opened again, event by event, once all
 * others are open.
 */
#include <stdio.h>

#include "sim.h"

/* An empty PMU. */
static struct sim_cpu fake_of(const struct sim_cpu *cpu)
{
	return (struct sim_cpu){ .pmu = cpu->pmu, .options = cpu->options, .kernel = cpu->kernel,
				 .is_fake = true };
}

static bool fits(const struct sim_cpu *cpu, const struct pmcgrp_plan_event *const *events,
		 unsigned int nr)
{
	struct sim_slot slot[SIM_COUNTERS], *slots[SIM_COUNTERS];
	struct sim_cpu fake = fake_of(cpu);
	unsigned int i;

	if (nr > SIM_COUNTERS)
		return false;
	for (i = 0; i < nr; i++) {
		slot[i] = (struct sim_slot){ .event = events[i], .counter = -1 };
		slots[i] = &slot[i];
	}
	return sim_add(&fake, slots, nr);
}

/* What of a group is open. */
struct opened {
	const struct pmcgrp_plan_event *hw[SIM_COUNTERS];
	unsigned int nr_hw;
	unsigned int refused;
};

static bool try(const struct sim_cpu *cpu, struct opened *opened,
		const struct pmcgrp_plan_event *event)
{
	if (event->flags & PMCGRP_PLAN_UNSUPPORTED)
		return false;
	if (event->flags & PMCGRP_PLAN_SOFTWARE)
		return true;
	if (opened->nr_hw == SIM_COUNTERS || !sim_mask(cpu, event))
		return false;
	opened->hw[opened->nr_hw] = event;
	if (!fits(cpu, opened->hw, opened->nr_hw + 1))
		return false;
	opened->nr_hw++;
	return true;
}

/* A group with those of the rows from @first that are not refused. */
static void take(struct sim *sim, const struct pmcgrp_plan *plan,
		 const struct pmcgrp_plan_group *group, unsigned int number, unsigned int first,
		 unsigned int nr)
{
	struct sim_group *taken = &sim->groups[sim->nr];
	struct sim_slot *slot;
	unsigned int i;

	*taken = (struct sim_group){ .slot = sim->of_group + sim->nr_slots, .group = number,
				     .pinned = group->pinned, .exclusive = group->exclusive };
	for (i = first; i < first + nr; i++) {
		if (plan->rows[i].status == PMCGRP_PLAN_NOT_SUPPORTED ||
		    plan->rows[i].event->flags & PMCGRP_PLAN_SOFTWARE)
			continue;
		slot = &sim->slots[sim->nr_slots];
		*slot = (struct sim_slot){ .event = plan->rows[i].event, .row = (int)i, .counter = -1 };
		sim->of_group[sim->nr_slots++] = slot;
		taken->nr++;
	}
	sim->order[sim->nr] = (uint16_t)sim->nr;
	sim->nr++;
}

/* Each event of a weak group that was refused becomes a group. */
static void take_apart(struct sim *sim, struct pmcgrp_plan *plan,
		       const struct pmcgrp_plan_group *group, unsigned int number, unsigned int first)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		struct opened alone = { .nr_hw = 0 };
		struct pmcgrp_plan_row *row = &plan->rows[first + i];

		row->status = try(&sim->cpu, &alone, row->event) ? PMCGRP_PLAN_NOT_COUNTED :
								     PMCGRP_PLAN_NOT_SUPPORTED;
		if (row->status != PMCGRP_PLAN_NOT_SUPPORTED)
			take(sim, plan, group, number, first + i, 1);
	}
}

/* Returns how many events were refused. */
static unsigned int open_group(const struct sim *sim, struct pmcgrp_plan *plan,
			       const struct pmcgrp_plan_group *group, unsigned int first)
{
	struct opened opened = { .nr_hw = 0 };
	struct pmcgrp_plan_row *row;
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		row = &plan->rows[first + i];
		/* Without its leader a group cannot be opened: perf stat gives up. */
		if ((i && plan->rows[first].status == PMCGRP_PLAN_NOT_SUPPORTED) ||
		    !try(&sim->cpu, &opened, row->event)) {
			row->status = PMCGRP_PLAN_NOT_SUPPORTED;
			opened.refused++;
		}
	}
	return opened.refused;
}

static bool is_unsupported(const struct pmcgrp_plan_event *event)
{
	return event->flags & PMCGRP_PLAN_UNSUPPORTED;
}

/* A group of pmcgrp: without events that the PMU has not; the others fit together, or all are refused. */
static unsigned int open_own(const struct sim *sim, struct pmcgrp_plan *plan,
			     const struct pmcgrp_plan_group *group, unsigned int first)
{
	const struct pmcgrp_plan_event *hw[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int i, k, nr = 0, refused = 0;

	for (i = 0; i < group->nr; i++) {
		const struct pmcgrp_plan_event *event = group->events[i];

		if (is_unsupported(event)) {
			plan->rows[first + i].status = PMCGRP_PLAN_NOT_SUPPORTED;
			refused++;
		}
		if (event->flags & PMCGRP_PLAN_SOFTWARE || is_unsupported(event))
			continue;
		for (k = 0; k < nr && !sim_same_event(hw[k], event); k++)
			;
		if (k == nr)
			hw[nr++] = event;
	}
	if (!nr || fits(&sim->cpu, hw, nr))
		return refused == group->nr ? refused : 0;
	for (i = 0; i < group->nr; i++)
		plan->rows[first + i].status = PMCGRP_PLAN_NOT_SUPPORTED;
	return group->nr;
}

/* Weak groups that were refused are opened at last. */
static void reopen(struct sim *sim, struct pmcgrp_plan *plan, const struct pmcgrp_plan_group *groups,
		   unsigned int nr)
{
	unsigned int i, first = 0;

	for (i = 0; i < nr; i++) {
		if (sim->apart[i])
			take_apart(sim, plan, &groups[i], i, first);
		first += groups[i].nr;
	}
}

void sim_open(struct sim *sim, struct pmcgrp_plan *plan, const struct pmcgrp_plan_group *groups,
	      unsigned int nr)
{
	bool own = sim->cpu.options->who == PMCGRP_PLAN_PMCGRP;
	unsigned int i, refused, first = 0;

	for (i = 0; i < nr; i++) {
		const struct pmcgrp_plan_group *group = &groups[i];

		refused = own ? open_own(sim, plan, group, first) : open_group(sim, plan, group, first);
		sim->apart[i] = refused && group->weak && group->nr > 1;
		if (!sim->apart[i] && refused < group->nr)
			take(sim, plan, group, i, first, group->nr);
		first += group->nr;
	}
	reopen(sim, plan, groups, nr);
}

bool pmcgrp_plan_fits(const struct pmcgrp_plan_pmu *pmu, const struct pmcgrp_plan_event *const *events,
		      unsigned int nr, const struct pmcgrp_plan_options *options)
{
	const struct sim_cpu cpu = sim_cpu_of(pmu, options);
	struct opened opened = { .nr_hw = 0 };
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!try(&cpu, &opened, events[i]))
			return false;
	return true;
}
