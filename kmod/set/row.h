/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ROW_H
#define PMCGRP_ROW_H

#include <linux/lockdep.h>
#include <linux/types.h>
#include "counter/attr.h"
#include "counter/event.h"
#include "platform/cpu_state.h"
#include "set/evlist.h"

int pmcgrp_rows_make(struct pmcgrp_evlist *list, const struct perf_event_attr *const *attr,
		     unsigned int nr, struct pmcgrp_failure *fail);
void pmcgrp_rows_drop(struct pmcgrp_evlist *list);
void pmcgrp_rows_count_groups(struct pmcgrp_evlist *list, int more);
struct pmcgrp_event *pmcgrp_row_event_get(const struct pmcgrp_evlist *list,
					  const struct perf_event_attr *attr);
void pmcgrp_row_event_put(const struct pmcgrp_evlist *list, struct pmcgrp_event *ev);
u32 pmcgrp_row_why(int err, int cpu, u64 generation);
struct pmcgrp_counter *pmcgrp_row_bind(const struct pmcgrp_evlist *list, unsigned int i, int cpu,
				       u64 generation);
bool pmcgrp_row_may_have(const struct pmcgrp_evlist *list, unsigned int i, int cpu);
void pmcgrp_row_rebuild(struct pmcgrp_evlist *list, int cpu);
struct pmcgrp_counter *const *pmcgrp_row_look_up(const struct pmcgrp_evlist *list,
						 struct pmcgrp_row *row);
void pmcgrp_row_drop(struct pmcgrp_evlist *list, int cpu);

/**
 * pmcgrp_row_event_before - tell which event comes first: hardware, then PMU by PMU
 * @a: an event
 * @b: another one
 */
static inline bool pmcgrp_row_event_before(const struct pmcgrp_event *a,
					   const struct pmcgrp_event *b)
{
	if (a->is_software != b->is_software)
		return b->is_software;
	return a->pmu->type < b->pmu->type;
}

/**
 * pmcgrp_row_is_bound - whether each CPU of a list has a counter of an event for good
 * @list: the event list
 * @ev: the event
 */
static inline bool pmcgrp_row_is_bound(const struct pmcgrp_evlist *list,
				       const struct pmcgrp_event *ev)
{
	return ev->is_bound || pmcgrp_evlist_counts_cpus(list);
}

/**
 * pmcgrp_row_is_filled - whether a list's counters on this CPU are still those of a look-up
 * @row: the list's, here
 *
 * Context: interrupts off.
 */
static inline bool pmcgrp_row_is_filled(const struct pmcgrp_row *row)
{
	lockdep_assert_irqs_disabled();
	return row->lookups == pmcgrp_lookups_here();
}

/**
 * pmcgrp_row_counters - a list's counters on this CPU, which is usable
 * @list: the event list
 * @row: its row, here
 *
 * Context: interrupts off; perf core's locks may be held.
 * Return: one counter for each event, or NULL where the list cannot count, or not yet.
 */
static inline struct pmcgrp_counter *const *pmcgrp_row_counters(const struct pmcgrp_evlist *list,
								struct pmcgrp_row *row)
{
	if (likely(pmcgrp_row_is_filled(row)))
		return row->counter;
	return pmcgrp_row_look_up(list, row);
}

#endif /* PMCGRP_ROW_H */
