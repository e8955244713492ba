/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ROW_H
#define PMCGRP_ROW_H

#include <linux/lockdep.h>
#include <linux/types.h>
#include "attr.h"
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
