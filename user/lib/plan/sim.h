/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A PMU of one CPU, and what schedules groups on it, interval by interval. */
#ifndef PMCGRP_PLAN_SIM_H
#define PMCGRP_PLAN_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmcgrp_plan.h"

#define SIM_COUNTERS	64	/* bits of a mask */
#define SIM_REGS	4	/* extra registers of one kind, at most */

/**
 * struct sim_slot - an event that is open
 * @event: the event
 * @row: its row of the plan, or PMCGRP_PLAN_WATCHDOG
 * @counter: the counter that it has, or had last; -1: none yet
 * @next: the counter that it gets once all groups are scheduled
 * @reg: the extra register of its kind that is tried first
 * @has_reg: it has that register
 * @users: groups of pmcgrp that it counts for; of the watchdog: 1
 * @idle: intervals since pmcgrp's last user of it went off
 */
struct sim_slot {
	const struct pmcgrp_plan_event *event;
	int row;
	int counter;
	int next;
	unsigned int reg;
	bool has_reg;
	unsigned int users;
	unsigned int idle;
};

/**
 * struct sim_cpu - the PMU of a CPU
 * @pmu: what it has
 * @options: what else decides
 * @kernel: version
 * @is_fake: an empty one, on which a group is tried before it is opened
 * @slot: events that are on it, in the order in which they came
 * @nr: how many
 * @reg: extra registers, of each kind
 */
struct sim_cpu {
	const struct pmcgrp_plan_pmu *pmu;
	const struct pmcgrp_plan_options *options;
	unsigned int kernel;
	bool is_fake;
	struct sim_slot *slot[SIM_COUNTERS];
	unsigned int nr;
	struct sim_reg {
		unsigned int users;
		uint64_t value;
	} reg[PMCGRP_PLAN_EXTRA_MAX][SIM_REGS];
};

/**
 * struct sim_group - a group that is open
 * @slot: its hardware events
 * @nr: how many; 0: all are software events
 * @group: its number
 * @pinned: as the plan's group
 * @exclusive: as the plan's group
 * @on: it is counted
 * @error: it is pinned, and found no counters
 * @waits: of pmcgrp: it is to be tried
 * @rests: of pmcgrp: it is in the backlog
 * @time: of pmcgrp: its vruntime; that of the group with the least is 0
 * @since: of pmcgrp: when it came on
 * @failed: of pmcgrp: refusals on a PMU without others, and intervals since
 */
struct sim_group {
	struct sim_slot **slot;
	unsigned int nr;
	unsigned int group;
	bool pinned;
	bool exclusive;
	bool on;
	bool error;
	bool waits;
	bool rests;
	int64_t time;
	int64_t since;
	unsigned int failed;
};

#define SIM_REFUSALS	64

/**
 * struct sim_capacity - how many counters pmcgrp takes to fit; kmod/counter/placement.c: struct
 *	pmu_capacity
 * @known: something has been refused
 * @nr: the estimate
 * @refused: grows with refusals of so many, and falls
 * @trust: uses until one more is tried
 */
struct sim_capacity {
	bool known;
	unsigned int nr;
	unsigned int refused;
	unsigned int trust;
};

/**
 * struct sim_refusal - what pmcgrp takes not to fit; kmod/arbiter/refusal.c: struct refusal
 * @key: kinds of events, and those beside which they were refused
 * @ticks: until it is tried again
 */
struct sim_refusal {
	uint64_t key;
	unsigned int ticks;
};

/**
 * struct sim - what there is to be scheduled
 * @cpu: the PMU
 * @watchdog: its slot, if the PMU has the event
 * @nr_slots: of @slots
 * @slots: all hardware events that are open
 * @nr: of @groups
 * @groups: all groups that are open, in the order in which they were
 * @apart: of each of the plan's groups whether it is weak, was refused, and became a group for each event
 * @order: their numbers in @groups, in the order in which they are tried
 * @waits: a group waits for its turn
 * @now: of pmcgrp: the time since the timer has expired
 * @refused: of pmcgrp: groups that the driver has refused in this rotation
 * @capacity: of pmcgrp: how many counters are thought to fit
 * @refusal: of pmcgrp: what is thought not to fit
 */
struct sim {
	struct sim_cpu cpu;
	struct sim_slot watchdog;
	unsigned int nr_slots;
	struct sim_slot slots[PMCGRP_PLAN_EVENTS_MAX];
	struct sim_slot *of_group[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int nr;
	struct sim_group groups[PMCGRP_PLAN_EVENTS_MAX];
	bool apart[PMCGRP_PLAN_EVENTS_MAX];
	uint16_t order[PMCGRP_PLAN_EVENTS_MAX];
	bool waits;
	int64_t now;
	unsigned int refused;
	struct sim_capacity capacity;
	struct sim_refusal refusal[SIM_REFUSALS];
};

static inline unsigned int sim_bits(uint64_t mask)
{
	return (unsigned int)__builtin_popcountll(mask);
}

static inline uint64_t sim_gp_mask(const struct pmcgrp_plan_pmu *pmu)
{
	return (1ULL << pmu->nr_gp) - 1;
}

/* An empty PMU; @options may be NULL. */
struct sim_cpu sim_cpu_of(const struct pmcgrp_plan_pmu *pmu, const struct pmcgrp_plan_options *options);

/* Whether two events program the PMU alike. */
bool sim_same_event(const struct pmcgrp_plan_event *a, const struct pmcgrp_plan_event *b);

/* Counters that the driver considers for an event on this CPU. */
uint64_t sim_mask(const struct sim_cpu *cpu, const struct pmcgrp_plan_event *event);

/* How many counters the hyper-threading erratum leaves with these events; 0: it leaves all. */
unsigned int sim_ht_limit(const struct sim_cpu *cpu, struct sim_slot *const *slots, unsigned int nr);

/* Add all of @slots to what is on the PMU, or none. */
bool sim_x86_add(struct sim_cpu *cpu, struct sim_slot *const *slots, unsigned int nr);
bool sim_arm_add(struct sim_cpu *cpu, struct sim_slot *const *slots, unsigned int nr);

static inline bool sim_add(struct sim_cpu *cpu, struct sim_slot *const *slots, unsigned int nr)
{
	return cpu->pmu->style == PMCGRP_PLAN_ARM ? sim_arm_add(cpu, slots, nr) :
						    sim_x86_add(cpu, slots, nr);
}

/* Delete one that is on it. */
void sim_del(struct sim_cpu *cpu, struct sim_slot *slot);

/* All groups are scheduled: counters are programmed. */
void sim_enable(struct sim_cpu *cpu);

/* The first interval, and each one after it. */
void sim_perf_start(struct sim *sim);
void sim_perf_rotate(struct sim *sim);
void sim_own_start(struct sim *sim);
void sim_own_rotate(struct sim *sim);

/**
 * sim_open - open all groups of a plan
 * @sim: set
 * @plan: its rows get the status of what is refused
 * @groups: the groups
 * @nr: how many
 */
void sim_open(struct sim *sim, struct pmcgrp_plan *plan, const struct pmcgrp_plan_group *groups,
	      unsigned int nr);

/**
 * sim_explain - say of each row that is not counted all the time why
 * @sim: after the last interval
 * @plan: the plan
 */
void sim_explain(const struct sim *sim, struct pmcgrp_plan *plan);

#endif
