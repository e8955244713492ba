/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TRUCE_H
#define PMCGRP_TRUCE_H

#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "vain.h"

struct pmcgrp_gang;
struct pmcgrp_group;
struct pmcgrp_ride;

/**
 * struct pmcgrp_truce - one CPU's turns with perf's events; that CPU, interrupts off
 * @contended: perf and we want the same counters, for so many ticks more
 * @yielding: it is perf's turn, no ride that takes turns is placed
 * @busy: the worker is at it
 * @wanting: since when we have been without our turn; 0 while we have it
 * @looked: the last tick before it was seen whether perf waits for whoever had our turn
 * @until: how long our turn lasts at least
 * @vain: whether perf gains by its turns
 * @claim_after: local_clock() from which there may be claims again; written by the worker
 * @nudge: the worker shall make perf core schedule this CPU anew, by an event like this
 * @attr: an event of the PMU in question
 * @claimant: for whom the worker shall get counters, with a reference, or NULL
 * @watch: looks now and then, when the CPU is not idle, whether perf waits
 * @kick: starts the worker, right after whatever runs now
 * @work: the worker
 */
struct pmcgrp_truce {
	unsigned int		contended;
	bool			yielding;
	bool			busy;
	u64			wanting;
	u64			looked;
	u64			until;
	struct pmcgrp_vain	vain;
	u64			claim_after;
	bool			nudge;
	struct perf_event_attr	attr;
	struct pmcgrp_group	*claimant;
	struct timer_list	watch;
	struct irq_work		kick;
	struct work_struct	work;
};

void pmcgrp_truce_init(struct pmcgrp_truce *truce);
void pmcgrp_truce_note(struct pmcgrp_truce *truce);
bool pmcgrp_truce_claim(struct pmcgrp_gang *gang, struct pmcgrp_ride *ride);
u64 pmcgrp_truce_interval_ns(struct pmcgrp_gang *gang);
bool pmcgrp_truce_work(struct pmcgrp_gang *gang);
bool pmcgrp_truce_tick(struct pmcgrp_gang *gang);
void pmcgrp_truce_end(struct pmcgrp_gang *gang);
void pmcgrp_truce_flush(void);
void pmcgrp_claim_work(struct work_struct *work);

/**
 * pmcgrp_truce_placed - a ride that takes turns has been placed
 * @truce: this CPU's
 *
 * Context: interrupts off; perf core's locks may be held.
 */
static inline void pmcgrp_truce_placed(struct pmcgrp_truce *truce)
{
	lockdep_assert_irqs_disabled();
	if (unlikely(truce->wanting || truce->contended || !timer_pending(&truce->watch)))
		pmcgrp_truce_note(truce);
}

#endif /* PMCGRP_TRUCE_H */
