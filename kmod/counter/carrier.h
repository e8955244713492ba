/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CARRIER_H
#define PMCGRP_CARRIER_H

#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

/**
 * enum pmcgrp_carrier_kind - what an event of pmcgrp's own PMU is for
 * @PMCGRP_CARRIER_GROUP: an event list follows a task or CPU (carried.c)
 * @PMCGRP_CARRIER_LATCH: execve() enables an event list (latch.c)
 * @PMCGRP_CARRIER_GUARD: pinned perf events are about to be scheduled in (pinned_room.c)
 * @PMCGRP_CARRIER_WAY: perf core makes way for sets of a task (way.c)
 * @PMCGRP_CARRIER_SENTRY: perf core reschedules another PMU (user_page.c)
 * @PMCGRP_CARRIER_KINDS: number of kinds
 */
enum pmcgrp_carrier_kind {
	PMCGRP_CARRIER_GROUP,
	PMCGRP_CARRIER_LATCH,
	PMCGRP_CARRIER_GUARD,
	PMCGRP_CARRIER_WAY,
	PMCGRP_CARRIER_SENTRY,
	PMCGRP_CARRIER_KINDS,
};

/**
 * struct pmcgrp_carrier_ops - what the owner of a carrier does; each may be NULL
 * @among: return the PMU among whose events the carrier is scheduled, instead of its own; may sleep
 * @init: a carrier is created; event->pmu_private is the owner, which this
 *	may change; may sleep, perf core's mutexes may be held.  Return 0 or an errno.
 * @add: the carrier is scheduled in; interrupts off, under perf core's ctx->lock, in a context
 *	switch also under the run-queue lock
 * @del: the carrier is scheduled out; as @add
 */
struct pmcgrp_carrier_ops {
	struct pmu *(*among)(const void *owner);
	int (*init)(struct perf_event *event);
	void (*add)(struct perf_event *event);
	void (*del)(struct perf_event *event);
};

void pmcgrp_carrier_register(enum pmcgrp_carrier_kind kind, const struct pmcgrp_carrier_ops *ops);
int pmcgrp_carrier_init(void);
void pmcgrp_carrier_exit(void);
struct perf_event *pmcgrp_carrier_create(enum pmcgrp_carrier_kind kind,
					 struct perf_event_attr *attr, void *owner,
					 struct task_struct *task, int cpu);

struct pmu *pmcgrp_carrier_pmu(void);

DECLARE_PER_CPU(bool, pmcgrp_carrier_called);

/*
 * Whether perf core schedules a carrier in or out on this CPU: it has its ctx->lock, though perhaps
 * no PMU but the carrier's disabled; interrupts off.
 */
static inline bool pmcgrp_carrier_is_called(void)
{
	lockdep_assert_irqs_disabled();
	return this_cpu_read(pmcgrp_carrier_called);
}

/* Whether perf core has let go of a carrier, as its task has exited. */
static inline bool pmcgrp_carrier_has_ended(const struct perf_event *carrier)
{
	/* kernel/events/core.c: perf_event_exit_event() */
	return READ_ONCE(carrier->state) <= PERF_EVENT_STATE_EXIT;
}

#endif /* PMCGRP_CARRIER_H */
