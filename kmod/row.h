/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ROW_H
#define PMCGRP_ROW_H

#include <linux/lockdep.h>
#include <linux/types.h>
#include "attr.h"
#include "cpu_state.h"
#include "group.h"

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
struct pmcgrp_counter *const *pmcgrp_row_look_up(const struct pmcgrp_group *group,
						 struct pmcgrp_row *row);
void pmcgrp_row_drop(struct pmcgrp_group *group, int cpu);

/**
 * pmcgrp_row_is_filled - whether a group's counters on this CPU are still those of a look-up
 * @row: the group's, here
 *
 * Context: interrupts off.
 */
static inline bool pmcgrp_row_is_filled(const struct pmcgrp_row *row)
{
	lockdep_assert_irqs_disabled();
	return row->lookups == pmcgrp_lookups_here();
}

/**
 * pmcgrp_row_counters - a group's counters on this CPU, which is usable
 * @group: the group
 * @row: its row, here
 *
 * Context: interrupts off; perf core's locks may be held.
 * Return: one counter for each event, or NULL where the group cannot count, or not yet.
 */
static inline struct pmcgrp_counter *const *pmcgrp_row_counters(const struct pmcgrp_group *group,
								struct pmcgrp_row *row)
{
	if (likely(pmcgrp_row_is_filled(row)))
		return row->counter;
	return pmcgrp_row_look_up(group, row);
}

#endif /* PMCGRP_ROW_H */
