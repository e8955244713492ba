/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Groups in as few passes as there can be: what the files of passes*.c share.
 *
 * Two questions are asked of a set of groups.  Whether there is *room* for it is answered here, by
 * a maximum matching of events and counters, by registers and by limits.  No kernel can do with
 * less, room for a set is room for each part of it, and the order of the groups is no matter.  So
 * numbers of passes are refuted by room alone.  Whether the set *fits* is answered by the planner,
 * which assigns counters as the kernel does: not always as well as they could be, nor whatever the
 * order.  No pass is ever returned that it refuses.
 *
 * The least is what no kernel can do without.  If there is room in so many passes, but the planner
 * refuses what has been found, all divisions are tried.  When it refuses them all, in whatever order
 * the groups are or in the order that they have, the least is one more: for this kernel.
 */
#ifndef PMCGRP_PLAN_PASSES_H
#define PMCGRP_PLAN_PASSES_H

#include "pmcgrp_plan.h"

/* Words of a set of groups, events or values. */
#define PASSES_WORDS (PMCGRP_PLAN_EVENTS_MAX / 64)

/* Sets of counters that are looked at. */
#define PASSES_CUTS 64

/* Whether the planner has all events of groups counted; @group: their numbers, in their order. */
typedef bool (*passes_fits_fn)(void *arg, const unsigned int *group, unsigned int nr);

/*
 * struct passes_need - a counter that an event needs
 * @mask: counters that will do
 * @event: number of what it counts if other groups count it by the same counter, or -1
 * @value: number of its extra register's value if other groups have it, too; or -1
 * @own_value: no other group has it, nor an event before it in its own: each of the kind has one
 * @extra: kind of that register
 * @second: of a pair of counters
 * @exclusive: PMCGRP_PLAN_EXCLUSIVE
 * @owned: it is in no other group that comes earlier, so it can be added up
 */
struct passes_need {
	uint64_t mask;
	int event;
	int value;
	bool own_value;
	unsigned int extra;
	bool second;
	bool exclusive;
	bool owned;
};

/*
 * struct passes_kind - groups that are alike
 * @need: the first of what each needs
 * @nr_need: how many
 * @member: the first in passes_problem.member
 * @nr: how many groups
 * @pinned: they are scheduled before those that are not
 * @exclusive: no other that is pinned as they are may be on; if they are, no other at all
 * @hard: how hard they are to place
 */
struct passes_kind {
	unsigned int need;
	unsigned int nr_need;
	unsigned int member;
	unsigned int nr;
	bool pinned;
	bool exclusive;
	double hard;
};

/*
 * enum passes_cut_what - what limits a pass
 * @PASSES_COUNTERS: counters for events that can have no others
 * @PASSES_HT: counters of a hyper-thread while one of the two counts exclusive events
 */
enum passes_cut_what {
	PASSES_COUNTERS,
	PASSES_HT,
};

/*
 * struct passes_cut - a sum that no pass exceeds
 * @what: enum passes_cut_what
 * @set: the counters
 * @room: of a pass
 * @limited: of a pass with exclusive events, where a hyper-thread has fewer counters
 * @watchdog: the NMI watchdog has one of them
 * @size: what a group of each kind adds to the sum
 */
struct passes_cut {
	enum passes_cut_what what;
	uint64_t set;
	unsigned int room;
	unsigned int limited;
	bool watchdog;
	uint8_t size[PMCGRP_PLAN_EVENTS_MAX];
};

/*
 * struct passes_problem - groups, sorted by kinds
 * @pmu, @groups, @nr, @options: as pmcgrp_plan_passes() has got them
 * @watched: the NMI watchdog has a counter
 * @sharing: groups of a pass share the counters of equal events
 * @alike: of each group the first that is the same to the planner
 * @event: numbers of all groups' events, by what they count
 * @value: and by the values of their extra registers; -1: none
 * @first: of each group, its first event in these
 * @nr_values: how many values there are
 * @value_extra: the kind of register of each
 * @watchdog: what the NMI watchdog needs
 * @need: what all kinds need
 * @kind: the kinds, the hardest first
 * @nr_kinds: how many
 * @member: groups of all kinds
 * @nr_cuts: how many of @cut there are
 * @cut: sums that no pass exceeds
 */
struct passes_problem {
	const struct pmcgrp_plan_pmu *pmu;
	const struct pmcgrp_plan_group *groups;
	unsigned int nr;
	const struct pmcgrp_plan_options *options;
	bool watched;
	bool sharing;
	unsigned int alike[PMCGRP_PLAN_EVENTS_MAX];
	int event[PMCGRP_PLAN_EVENTS_MAX];
	int value[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int first[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int nr_values;
	unsigned int value_extra[PMCGRP_PLAN_EVENTS_MAX];
	struct passes_need watchdog;
	struct passes_need need[2 * PMCGRP_PLAN_EVENTS_MAX];
	struct passes_kind kind[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int nr_kinds;
	unsigned int member[PMCGRP_PLAN_EVENTS_MAX];
	unsigned int nr_cuts;
	struct passes_cut cut[PASSES_CUTS];
};

/*
 * struct passes_room - what groups of one pass take
 * @nr: counters
 * @need: for which needs
 * @at: of each counter's bit the index in @need, or -1
 * @events: what is counted, if that is shared
 * @values: values of extra registers
 * @nr_values: how many of each kind of register
 * @limited: exclusive events are among them, or the sibling hyper-thread counts such
 * @groups: how many groups are flexible, and how many are pinned
 * @alone: whether one of these is exclusive
 */
struct passes_room {
	unsigned int nr;
	const struct passes_need *need[64];
	int8_t at[64];
	uint64_t events[PASSES_WORDS];
	uint64_t values[PASSES_WORDS];
	unsigned int nr_values[PMCGRP_PLAN_EXTRA_MAX];
	bool limited;
	unsigned int groups[2];
	bool alone[2];
};

/* Whether a group needs counters; software events alone do not, and it can be in any pass. */
bool passes_needs(const struct pmcgrp_plan_group *group);

/*
 * passes_problem_new - look at groups, and find out which are the same to the planner
 * @p: set, for free()
 *
 * Return: 0, or a negative errno as pmcgrp_plan().
 */
int passes_problem_new(struct passes_problem **p, const struct pmcgrp_plan_pmu *pmu,
		       const struct pmcgrp_plan_group *groups, unsigned int nr,
		       const struct pmcgrp_plan_options *options);

/*
 * passes_kinds - sort the groups that are searched into kinds
 * @in_order: alike are only those between which there is no other
 */
void passes_kinds(struct passes_problem *p, bool in_order);

/* Set @room to that of a pass without groups. */
void passes_room_empty(const struct passes_problem *p, struct passes_room *room);

/* Add a group; return false, with @room undefined, if there is no room for it. */
bool passes_room_add(const struct passes_problem *p, struct passes_room *room,
		     const struct passes_kind *kind);

/*
 * Whether groups of kind @b have room wherever one of kind @a has been, and need less: each need of
 * theirs is one of @a's, or easier.
 */
bool passes_easier(const struct passes_problem *p, unsigned int a, unsigned int b);

/* Find the sums that no pass exceeds, for passes_bound(). */
void passes_cuts(struct passes_problem *p);

/* The least number of passes for @left groups of each kind, as far as sums show it. */
unsigned int passes_bound(const struct passes_problem *p, const uint16_t *left);

/* The same for all groups, as far as pairs that do not go together show it, too; @why: for the reason. */
unsigned int passes_bound_why(const struct passes_problem *p, char why[PMCGRP_PLAN_REASON]);

/*
 * struct passes_limits - when a search gives up
 * @nodes: sets of groups that it may yet look at
 * @until_us: time of CLOCK_MONOTONIC in us
 */
struct passes_limits {
	uint64_t nodes;
	uint64_t until_us;
};

/* CLOCK_MONOTONIC in us. */
uint64_t passes_now(void);

struct passes_oracle;

/* Ask the planner, or a memory of its answers, about a pass: the groups whose bits are set. */
bool passes_ask(struct passes_oracle *oracle, const uint64_t groups[PASSES_WORDS]);

/*
 * The same, of these groups in any order: it is refused only if it is in all.  Of more groups than
 * PASSES_ANY_ORDER it is not known, and true.
 */
#define PASSES_ANY_ORDER 6
bool passes_ask_any_order(struct passes_oracle *oracle, const uint64_t groups[PASSES_WORDS]);

/* Answers of @fits will be remembered. Return: for free(), or NULL. */
struct passes_oracle *passes_oracle_new(const struct passes_problem *p, passes_fits_fn fits, void *arg);

/*
 * enum passes_found - what a search has come to
 * @PASSES_FOUND: passes
 * @PASSES_NONE: there are none
 * @PASSES_STOPPED: it has met its limits
 * @PASSES_NO_MEMORY: there was none for it
 */
enum passes_found {
	PASSES_FOUND,
	PASSES_NONE,
	PASSES_STOPPED,
	PASSES_NO_MEMORY,
};

/*
 * passes_search - divide the kinds' groups into passes
 * @p: the groups, after passes_kinds() and passes_cuts()
 * @nr: passes
 * @oracle: that accepts each pass, or NULL: there is room for each
 * @any_order: it may have the groups in any order
 * @limits: what of them is used is taken off
 * @pass: set to the pass of each group that is searched
 *
 * No more than 9 MB are used.
 */
enum passes_found passes_search(const struct passes_problem *p, unsigned int nr,
				struct passes_oracle *oracle, bool any_order,
				struct passes_limits *limits, unsigned int *pass);

/*
 * passes_find - pmcgrp_plan_passes() with any planner
 * @fits: the planner
 * @arg: for @fits
 * @limits: when it gives up; but a first answer there always is
 *
 * No more than 10 MB are used, and 1 MB of the stack.
 */
int passes_find(struct pmcgrp_plan_passes *passes, const struct pmcgrp_plan_pmu *pmu,
		const struct pmcgrp_plan_group *groups, unsigned int nr,
		const struct pmcgrp_plan_options *options, passes_fits_fn fits, void *arg,
		struct passes_limits *limits);

#endif
