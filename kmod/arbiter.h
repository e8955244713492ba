/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ARBITER_H
#define PMCGRP_ARBITER_H

#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "backoff.h"

struct pmcgrp_cpu;
struct pmcgrp_group;
struct pmcgrp_evset;

/**
 * struct pmcgrp_arbiter - one CPU's turns with perf's events; that CPU, interrupts off
 * @contended: perf and we want the same counters, for so many ticks more
 * @yielding: it is perf's turn, no set that takes turns is placed
 * @busy: the worker is at it
 * @waiting_since: since when we have been without our turn; 0 while we have it
 * @checked_at: the last tick before it was seen whether perf waits for whoever had our turn
 * @until: how long our turn lasts at least
 * @backoff: whether perf gains by its turns
 * @want_after: local_clock() from which there may be claims again; written by the worker
 * @reschedule: the worker shall make perf core schedule this CPU anew, by an event like this
 * @attr: an event of the PMU in question
 * @requester: for whom the worker shall get counters, with a reference, or NULL
 * @check_timer: looks now and then, when the CPU is not idle, whether perf waits
 * @kick: starts the worker, right after whatever runs now
 * @work: the worker
 */
struct pmcgrp_arbiter {
	unsigned int contended;
	bool yielding;
	bool busy;
	u64 waiting_since;
	u64 checked_at;
	u64 until;
	struct pmcgrp_backoff backoff;
	u64 want_after;
	bool reschedule;
	struct perf_event_attr attr;
	struct pmcgrp_group *requester;
	struct timer_list check_timer;
	struct irq_work kick;
	struct work_struct work;
};

void pmcgrp_arbiter_init(struct pmcgrp_arbiter *arbiter);
void pmcgrp_arbiter_note(struct pmcgrp_arbiter *arbiter);
bool pmcgrp_arbiter_want(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);
u64 pmcgrp_arbiter_interval_ns(struct pmcgrp_cpu *pcpu);
bool pmcgrp_arbiter_work(struct pmcgrp_cpu *pcpu);
bool pmcgrp_arbiter_tick(struct pmcgrp_cpu *pcpu);
void pmcgrp_arbiter_end(struct pmcgrp_cpu *pcpu);
void pmcgrp_arbiter_flush(void);
void pmcgrp_reserve_work(struct work_struct *work);

/**
 * pmcgrp_arbiter_placed - a set that takes turns has been placed
 * @arbiter: this CPU's
 *
 * Context: interrupts off; perf core's locks may be held.
 */
static inline void pmcgrp_arbiter_placed(struct pmcgrp_arbiter *arbiter)
{
	lockdep_assert_irqs_disabled();
	if (unlikely(arbiter->waiting_since || arbiter->contended ||
		     !timer_pending(&arbiter->check_timer)))
		pmcgrp_arbiter_note(arbiter);
}

#endif /* PMCGRP_ARBITER_H */
