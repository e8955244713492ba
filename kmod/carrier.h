/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CARRIER_H
#define PMCGRP_CARRIER_H

#include <linux/perf_event.h>

struct pmcgrp_crew;
struct pmcgrp_group;

int pmcgrp_carrier_init(void);
void pmcgrp_carrier_exit(void);
struct perf_event *pmcgrp_carrier_create(struct pmcgrp_group *group, struct task_struct *task,
					 int cpu);
struct perf_event *pmcgrp_crew_carrier_create(struct pmcgrp_crew *crew,
					      struct task_struct *task);
struct perf_event *pmcgrp_guard_event_create(int cpu);
struct perf_event *pmcgrp_sentry_create(struct pmcgrp_group *group, struct task_struct *task);
struct perf_event *pmcgrp_latch_create(struct pmcgrp_group *group, struct task_struct *task);

/* Has perf core let go of a carrier, for its task has exited? */
static inline bool pmcgrp_carrier_has_ended(const struct perf_event *carrier)
{
	/* kernel/events/core.c: perf_event_exit_event() */
	return READ_ONCE(carrier->state) <= PERF_EVENT_STATE_EXIT;
}

#endif /* PMCGRP_CARRIER_H */
