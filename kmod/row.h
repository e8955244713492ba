/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ROW_H
#define PMCGRP_ROW_H

#include <linux/lockdep.h>
#include <linux/types.h>
#include "attr.h"

struct pmcgrp_group;
struct pmcgrp_ring;
struct pmcgrp_evset;
struct pmcgrp_counter;

/**
 * struct pmcgrp_row - a group on one CPU: its counters and who uses them
 * @in: the set whose carrier is in here, or NULL.  Never two: a group's carriers
 *	all follow tasks, of which one runs here, or all follow CPUs.  That CPU,
 *	interrupts off.
 * @cpu_set: the set of this CPU for a group of CPUs, or NULL; owned by the group,
 *	constant once the group is made
 * @ring: where what the group does here is recorded, or NULL; pmcgrp_rings.mutex
 * @generation: pmcgrp_cpu_generation() in which the counters may be used
 * @has_cpu_events: some may be used in no other: pmcgrp_counter.is_cpu_event
 * @complete: every event has a counter
 * @counter: one for each distinct event; in a group with a leader one more while it is
 *	being added, and NULL behind that
 *
 * The counters are written under pmcgrp_groups_mutex while nothing can use them: before
 * the group has a carrier, while the CPU's gang is closed, or while the group is frozen.
 */
struct pmcgrp_row {
	struct pmcgrp_evset *in;
	struct pmcgrp_evset *cpu_set;
	struct pmcgrp_ring __rcu *ring;
	u64 generation;
	bool has_cpu_events;
	bool complete;
	struct pmcgrp_counter *counter[];
};

int pmcgrp_rows_make(struct pmcgrp_group *group, struct pmcgrp_failure *fail);
void pmcgrp_rows_drop(struct pmcgrp_group *group);
void pmcgrp_rows_orphan(struct pmcgrp_group *group);
int pmcgrp_rows_extend(struct pmcgrp_group *group, const struct perf_event_attr *attr,
		       struct pmcgrp_failure *fail);
void pmcgrp_rows_trim(struct pmcgrp_group *group);
unsigned int pmcgrp_rows_insert(struct pmcgrp_group *group);
void pmcgrp_rows_take_out(struct pmcgrp_group *group, unsigned int at);
void pmcgrp_rows_renumber(struct pmcgrp_group *group);
void pmcgrp_row_rebuild(struct pmcgrp_group *group, int cpu);
void pmcgrp_row_drop(struct pmcgrp_group *group, int cpu);

/**
 * pmcgrp_row_counters - a group's counters on this CPU
 * @row: the group's, here
 * @generation: the CPU's
 *
 * Context: interrupts off.
 * Return: one counter for each event, or NULL where the group cannot count.
 */
static inline struct pmcgrp_counter *const *pmcgrp_row_counters(const struct pmcgrp_row *row,
								u64 generation)
{
	lockdep_assert_irqs_disabled();
	return row->complete && row->generation == generation ? row->counter : NULL;
}

#endif /* PMCGRP_ROW_H */
