// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Plans: interval by interval, until what happens has happened before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define MUX_US		4000
#define TABLE_BITS	16

/* What has been, for a look whether it is the same again. */
struct past {
	uint64_t state[PMCGRP_PLAN_INTERVALS];
	uint16_t table[1 << TABLE_BITS];	/* 1 + an interval, or 0 */
};

/* What is counted, interval by interval. */
struct run {
	struct sim sim;
	struct past past;
	unsigned int nr;		/* intervals so far */
	uint64_t *on[PMCGRP_PLAN_EVENTS_MAX];	/* of each row, a bit for each interval */
	uint64_t *bits;
};

#define WORDS ((PMCGRP_PLAN_INTERVALS + 63) / 64)

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static uint64_t group_state(const struct sim_group *group)
{
	uint64_t hash = group->on | group->waits << 1 | group->rests << 2;

	hash = mix(hash, (uint64_t)group->time);
	hash = mix(hash, group->on ? (uint64_t)group->since : 0);
	return mix(hash, group->failed);
}

/* All that decides about the intervals to come. */
static uint64_t state_of(const struct sim *sim)
{
	uint64_t hash = sim->waits, refusals = 0;
	unsigned int i, k;

	for (i = 0; i < sim->nr; i++) {
		hash = mix(hash, sim->order[i]);
		hash = mix(hash, group_state(&sim->groups[i]));
	}
	for (i = 0; i < sim->nr_slots; i++)
		hash = mix(hash, (uint64_t)sim->slots[i].idle << 16 |
					 (uint64_t)(sim->slots[i].counter + 1) << 8 | sim->slots[i].reg);
	hash = mix(hash, (uint64_t)sim->watchdog.counter);
	hash = mix(hash, (uint64_t)sim->capacity.nr << 32 | sim->capacity.refused << 16 | sim->capacity.trust);
	for (i = 0; i < SIM_REFUSALS; i++) /* wherever they are */
		refusals += mix(sim->refusal[i].key, sim->refusal[i].ticks);
	hash = mix(hash, refusals);
	for (i = 0; i < sim->cpu.nr; i++)
		for (k = 0; k < sim->nr_slots; k++)
			if (&sim->slots[k] == sim->cpu.slot[i])
				hash = mix(hash, k);
	return hash;
}

/* The interval before whose state was the same, or -1. */
static int find_same(struct past *past, uint64_t state, unsigned int now)
{
	unsigned int at = (unsigned int)(state >> (64 - TABLE_BITS));

	past->state[now] = state;
	while (past->table[at]) {
		if (past->state[past->table[at] - 1] == state)
			return past->table[at] - 1;
		at = (at + 1) % (1 << TABLE_BITS);
	}
	past->table[at] = (uint16_t)(now + 1);
	return -1;
}

static void add_counter(struct pmcgrp_plan_row *row, int counter)
{
	unsigned int i;

	for (i = 0; i < row->nr_counters; i++)
		if (row->counters[i] == counter)
			return;
	row->counters[row->nr_counters++] = (uint8_t)counter;
}

static void slice(struct pmcgrp_plan *plan, const struct sim *sim)
{
	struct pmcgrp_plan_slice *slice = &plan->slices[plan->nr_slices++];
	unsigned int i;

	for (i = 0; i < SIM_COUNTERS; i++)
		slice->row[i] = PMCGRP_PLAN_FREE;
	for (i = 0; i < sim->cpu.nr; i++) {
		const struct sim_slot *slot = sim->cpu.slot[i];

		slice->row[slot->counter] = (int16_t)slot->row;
		if (slot->event->flags & PMCGRP_PLAN_PAIR && slot->counter + 1 < SIM_COUNTERS)
			slice->row[slot->counter + 1] = (int16_t)slot->row;
	}
}

/* Put down what is on in this interval. */
static void note(struct run *run, struct pmcgrp_plan *plan)
{
	const struct sim *sim = &run->sim;
	unsigned int i, k, row;

	for (i = 0; i < sim->nr; i++) {
		const struct sim_group *group = &sim->groups[i];

		if (!group->on)
			continue;
		for (k = 0; k < group->nr; k++) {
			row = (unsigned int)sim->slots[&group->slot[k] - sim->of_group].row;
			run->on[row][run->nr / 64] |= 1ULL << run->nr % 64;
			add_counter(&plan->rows[row], group->slot[k]->counter);
		}
	}
	if (plan->nr_slices < PMCGRP_PLAN_SLICES)
		slice(plan, sim);
	plan->multiplexed |= sim->waits;
	run->nr++;
}

static bool is_on(const struct run *run, unsigned int row, unsigned int interval)
{
	return run->on[row][interval / 64] >> interval % 64 & 1;
}

static void rotate(struct sim *sim)
{
	if (sim->cpu.options->who == PMCGRP_PLAN_PMCGRP)
		sim_own_rotate(sim);
	else
		sim_perf_rotate(sim);
}

static void start(struct sim *sim)
{
	if (sim->cpu.options->who == PMCGRP_PLAN_PMCGRP)
		sim_own_start(sim);
	else
		sim_perf_start(sim);
}

/* Until @max intervals are over, or a state comes again if the run does not end by itself. */
static void go(struct run *run, struct pmcgrp_plan *plan, unsigned int max, bool ends)
{
	int same;

	start(&run->sim);
	if (run->sim.watchdog.event)
		plan->watchdog = run->sim.watchdog.counter;
	for (;;) {
		same = find_same(&run->past, state_of(&run->sim), run->nr);
		if (same >= 0 && !ends) {
			plan->before = (unsigned int)same;
			plan->cycle = run->nr - plan->before;
			return;
		}
		note(run, plan);
		if (run->nr == max)
			return;
		rotate(&run->sim);
	}
}

/* Time for which a row is on, of that from interval @from to @to; in us. */
static uint64_t time_on(const struct run *run, unsigned int row, unsigned int from, unsigned int to,
			uint64_t mux, uint64_t last)
{
	uint64_t time = 0;
	unsigned int i;

	for (i = from; i < to; i++)
		if (is_on(run, row, i))
			time += i + 1 == to ? last : mux;
	return time;
}

static const struct sim_group *group_of(const struct sim *sim, unsigned int row)
{
	unsigned int i, k;

	for (i = 0; i < sim->nr; i++)
		for (k = 0; k < sim->groups[i].nr; k++)
			if (sim->slots[&sim->groups[i].slot[k] - sim->of_group].row == (int)row)
				return &sim->groups[i];
	return NULL;
}

/* Whether perf stat cannot read a group, as one of its events was refused. */
static bool is_incomplete(const struct sim *sim, const struct pmcgrp_plan *plan,
			  const struct pmcgrp_plan_group *groups, unsigned int row)
{
	unsigned int i, group = plan->rows[row].group;

	if (sim->cpu.options->who == PMCGRP_PLAN_PMCGRP || groups[group].weak)
		return false;
	for (i = 0; i < plan->nr; i++)
		if (plan->rows[i].group == group && plan->rows[i].status == PMCGRP_PLAN_NOT_SUPPORTED)
			return true;
	return false;
}

static void judge(const struct run *run, struct pmcgrp_plan *plan,
		  const struct pmcgrp_plan_group *groups, unsigned int row, double kernel_share)
{
	const struct sim_group *group = group_of(&run->sim, row);
	struct pmcgrp_plan_row *r = &plan->rows[row];

	r->kernel_share = kernel_share;
	if (is_incomplete(&run->sim, plan, groups, row) || (group && group->error)) {
		r->status = PMCGRP_PLAN_NOT_COUNTED;
		return;
	}
	r->has_share = true;
	r->share = kernel_share;
	r->status = !r->on ? PMCGRP_PLAN_NOT_COUNTED :
		    r->on == r->of ? PMCGRP_PLAN_COUNTED : PMCGRP_PLAN_MULTIPLEXED;
}

/* A software event is on as its group is. */
static unsigned int representative(const struct sim *sim, const struct pmcgrp_plan *plan,
				   unsigned int row)
{
	unsigned int i;

	for (i = 0; i < sim->nr_slots; i++)
		if (plan->rows[sim->slots[i].row].group == plan->rows[row].group)
			return (unsigned int)sim->slots[i].row;
	return row;
}

static void shares(const struct run *run, struct pmcgrp_plan *plan,
		   const struct pmcgrp_plan_group *groups, uint64_t mux, uint64_t run_us)
{
	unsigned int from = 0, to = run->nr, i, k, row;
	uint64_t last = mux, all;
	bool alone;

	if (run_us)
		last = run_us - (run->nr - 1) * mux;
	else if (plan->cycle)
		from = plan->before;
	all = (to - from - 1) * mux + last;
	for (i = 0; i < plan->nr; i++) {
		struct pmcgrp_plan_row *r = &plan->rows[i];

		if (r->status == PMCGRP_PLAN_NOT_SUPPORTED)
			continue;
		row = i;
		if (r->event->flags & PMCGRP_PLAN_SOFTWARE && !run->sim.apart[r->group])
			row = representative(&run->sim, plan, i);
		alone = plan->rows[row].event->flags & PMCGRP_PLAN_SOFTWARE;
		r->of = to - from;
		for (k = from; k < to; k++)
			r->on += alone || is_on(run, row, k);
		judge(run, plan, groups, i,
		      alone ? 100.0 : 100.0 * (double)time_on(run, row, from, to, mux, last) / (double)all);
	}
}

static int check(const struct pmcgrp_plan_pmu *pmu, const struct pmcgrp_plan_group *groups,
		 unsigned int nr, unsigned int *nr_rows)
{
	unsigned int i, k;

	if (pmu->nr_gp > PMCGRP_PLAN_FIXED || pmu->nr_fixed > PMCGRP_PLAN_METRIC - PMCGRP_PLAN_FIXED)
		return -EINVAL;
	for (i = 0; i < PMCGRP_PLAN_EXTRA_MAX; i++)
		if (pmu->nr_extra[i] > SIM_REGS)
			return -EINVAL;
	for (i = 0, *nr_rows = 0; i < nr; i++) {
		if (!groups[i].nr)
			return -EINVAL;
		if (groups[i].nr > PMCGRP_PLAN_EVENTS_MAX - *nr_rows)
			return -E2BIG;
		*nr_rows += groups[i].nr;
		for (k = 0; k < groups[i].nr; k++) {
			const struct pmcgrp_plan_event *event = groups[i].events[k];

			if (event->extra > PMCGRP_PLAN_EXTRA_MAX)
				return -EINVAL;
			/* The kernel's search would take the same fixed counter for ever. */
			if (event->flags & PMCGRP_PLAN_OVERLAP && event->mask >> PMCGRP_PLAN_FIXED)
				return -EINVAL;
		}
	}
	return 0;
}

static void rows(struct pmcgrp_plan *plan, const struct pmcgrp_plan_group *groups, unsigned int nr)
{
	unsigned int i, k, row = 0;

	for (i = 0; i < nr; i++)
		for (k = 0; k < groups[i].nr; k++, row++)
			plan->rows[row] = (struct pmcgrp_plan_row){
				.group = i, .event = groups[i].events[k],
				.status = PMCGRP_PLAN_NOT_COUNTED
			};
}

static struct run *run_new(const struct pmcgrp_plan *plan)
{
	struct run *run = calloc(1, sizeof(*run));
	unsigned int i;

	if (!run)
		return NULL;
	run->bits = calloc((size_t)plan->nr * WORDS + 1, sizeof(*run->bits));
	if (!run->bits) {
		free(run);
		return NULL;
	}
	for (i = 0; i < plan->nr; i++)
		run->on[i] = run->bits + (size_t)i * WORDS;
	return run;
}

static struct pmcgrp_plan *plan_new(unsigned int nr)
{
	struct pmcgrp_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->rows = calloc(nr + 1, sizeof(*plan->rows));
	plan->nr = nr;
	plan->watchdog = -1;
	if (!plan->rows) {
		free(plan);
		return NULL;
	}
	return plan;
}

int pmcgrp_plan(struct pmcgrp_plan **ret, const struct pmcgrp_plan_pmu *pmu,
		const struct pmcgrp_plan_group *groups, unsigned int nr,
		const struct pmcgrp_plan_options *options)
{
	uint64_t mux = options && options->mux_us ? options->mux_us : MUX_US;
	uint64_t run_us = options ? options->run_us : 0;
	unsigned int max = PMCGRP_PLAN_INTERVALS;
	struct pmcgrp_plan *plan;
	unsigned int nr_rows;
	struct run *run;
	int err;

	err = check(pmu, groups, nr, &nr_rows);
	if (err)
		return err;
	plan = plan_new(nr_rows);
	run = plan ? run_new(plan) : NULL;
	if (!run) {
		pmcgrp_plan_free(plan);
		return -ENOMEM;
	}
	rows(plan, groups, nr);
	if (run_us && (run_us - 1) / mux + 1 < max)
		max = (unsigned int)((run_us - 1) / mux + 1);
	else
		run_us = 0;	/* it is as long as if it did not end */
	run->sim.cpu = sim_cpu_of(pmu, options);
	run->sim.watchdog = (struct sim_slot){ .event = pmu->watchdog, .row = PMCGRP_PLAN_WATCHDOG,
					       .counter = -1 };
	sim_open(&run->sim, plan, groups, nr);
	go(run, plan, max, run_us);
	shares(run, plan, groups, mux, run_us);
	sim_explain(&run->sim, plan);
	free(run->bits);
	free(run);
	*ret = plan;
	return 0;
}

void pmcgrp_plan_free(struct pmcgrp_plan *plan)
{
	if (!plan)
		return;
	free(plan->rows);
	free(plan);
}
