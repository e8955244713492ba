/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ARBITER_H
#define PMCGRP_ARBITER_H

#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "arbiter/backoff.h"
#include "arbiter/contention.h"

struct pmcgrp_cpu;
struct pmcgrp_evlist;
struct pmcgrp_evset;

/* Ticks for which perf events are taken to wait after they were last seen to. */
#define PMCGRP_CONTEND_TICKS 8

/**
 * enum pmcgrp_verdict - what the arbiter asks of rotation
 * @PMCGRP_KEEP: pmcgrp's sets may be on the PMU
 * @PMCGRP_YIELD: perf's slice begins: the caller takes the flexible sets off with
 *	counters of pmcgrp_arbiter.pmus, and evicts idle counters
 * @PMCGRP_YIELDED: perf's slice goes on: none of these sets is on
 */
enum pmcgrp_verdict {
	PMCGRP_KEEP,
	PMCGRP_YIELD,
	PMCGRP_YIELDED,
};

/**
 * struct pmcgrp_arbiter - one CPU's arbitration with flexible perf events; that CPU,
 *	interrupts off
 * @contended: number of ticks for which perf and pmcgrp are still taken to compete
 * @pmus: PMUs where perf has its slice or had the last one
 * @yielding: perf has its slice: no flexible set is placed that needs a counter of @pmus
 * @paused: only one side wants @pmus while the running task runs: no slice passes (turn.c).
 *	@contended is 0 then.
 * @paused_cpu: with @paused: perf wants them for events of the CPU, so sets that come make it go on
 * @paused_yield: with @paused: it is perf's slice that goes on then
 * @perf_waited: perf events have waited in pmcgrp's slice, and may gain by one of theirs
 * @with_cpu: perf's side are events of the CPU, too: since @contended or @paused began they have
 *	waited, or sets for them.  Else those that are there do not compete, and slices are of the
 *	time of tasks.
 * @resumed: perf's slice has gone on after a pause; until the irq_work has checked who needs it
 * @left: with @paused: nanoseconds left of the slice; negative if it was longer than planned
 * @check_pending: the CPU was idle at a check: the next set that is placed has it made
 * @busy: @work is queued or runs; cleared by it
 * @by_clock: with @busy: slices do not pause, as @work makes reservation events, or recovers pinned
 *	ones
 * @way_used: a way event has made room for sets of the running task (turn.c)
 * @waiting_since: local_clock() when pmcgrp began to wait for a slice; 0 once a flexible set
 *	with counters of @pmus has been placed
 * @checked_at: local_clock() at the last check whether perf events wait for a set's counters
 * @until: local_clock() until which pmcgrp's slice lasts at least
 * @backoff: pause where perf gains nothing by its slices
 * @request_after: local_clock() before which no counters are requested; written by @work
 * @reschedule: @work has perf core reschedule this CPU, by an event made from @attr
 * @attr: event of the PMU to be rescheduled
 * @requester: group that @work gets counters for, with a reference, or NULL
 * @placed: a flexible set with counters of @pmus has been placed since the last request; read by
 *	@work
 * @task: the task, with a reference, if a way event helps @requester; or NULL
 * @check_timer: checks now and then whether perf events wait, and ends the time of idle counters;
 *	does not wake an idle CPU
 * @kick: irq_work that queues @work
 * @work: worker, which gets counters from perf (reserve.c)
 */
struct pmcgrp_arbiter {
	unsigned int contended;
	struct pmcgrp_contended pmus;
	bool yielding;
	bool paused;
	bool paused_cpu;
	bool paused_yield;
	bool perf_waited;
	bool with_cpu;
	bool resumed;
	s64 left;
	bool check_pending;
	bool busy;
	bool by_clock;
	bool way_used;
	u64 waiting_since;
	u64 checked_at;
	u64 until;
	struct pmcgrp_backoff backoff;
	u64 request_after;
	bool reschedule;
	struct perf_event_attr attr;
	struct pmcgrp_evlist *requester;
	bool placed;
	struct task_struct *task;
	struct timer_list check_timer;
	struct irq_work kick;
	struct work_struct work;
};

void pmcgrp_arbiter_init(struct pmcgrp_arbiter *arbiter, work_func_t worker,
			 void (*check)(struct timer_list *timer));
void pmcgrp_arbiter_watch(struct pmcgrp_arbiter *arbiter);
void pmcgrp_arbiter_placed_slow(struct pmcgrp_arbiter *arbiter, const struct pmcgrp_evset *set);
bool pmcgrp_arbiter_request(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);
u64 pmcgrp_arbiter_interval_ns(struct pmcgrp_cpu *pcpu);
enum pmcgrp_verdict pmcgrp_arbiter_end_slice(struct pmcgrp_cpu *pcpu);
enum pmcgrp_verdict pmcgrp_arbiter_tick(struct pmcgrp_cpu *pcpu);
void pmcgrp_arbiter_check(struct pmcgrp_cpu *pcpu, u64 now);
void pmcgrp_arbiter_contends(struct pmcgrp_arbiter *arbiter, const struct pmcgrp_contended *pmus);
void pmcgrp_arbiter_end(struct pmcgrp_cpu *pcpu);
void pmcgrp_arbiter_flush(void);

/**
 * pmcgrp_arbiter_placed - note that a flexible set has been placed
 * @arbiter: this CPU's arbiter
 * @set: the set
 *
 * Context: interrupts off; perf core's locks may be held.
 */
static inline void pmcgrp_arbiter_placed(struct pmcgrp_arbiter *arbiter,
					 const struct pmcgrp_evset *set)
{
	lockdep_assert_irqs_disabled();
	if (unlikely(arbiter->waiting_since || arbiter->contended || arbiter->check_pending ||
		     !timer_pending(&arbiter->check_timer)))
		pmcgrp_arbiter_placed_slow(arbiter, set);
}

#endif /* PMCGRP_ARBITER_H */
