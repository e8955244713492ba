/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CREW_H
#define PMCGRP_CREW_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct pmcgrp_cpu;
struct pmcgrp_group;
struct pmcgrp_evset;
struct task_struct;

/**
 * struct pmcgrp_crew - the sets of groups of one task that come in by one carrier
 * @node: in the table of crews, by @task; pmcgrp_groups_mutex
 * @task: whom the carrier follows, and holds.  Constant.
 * @carrier: perf core's event; owns the crew.  Constant.
 * @nr: groups that have a set in it; pmcgrp_groups_mutex
 * @mutex: who boards and who lands; inside the mutexes of groups, outside perf core's
 * @nr_boarded: sets on either list; @mutex
 * @lock: guards the lists while the carrier is in nowhere; innermost but perf core's
 *	ctx->lock, and the run-queue lock
 * @cpu: the CPU where the carrier is in, or -1; written there under @lock.  Everything
 *	below belongs to that CPU, interrupts off, or to who holds @lock while there is none.
 * @aboard: sets that come in, in the order of the last rotation
 * @resting: sets that do not for now, the one that has rested longest first
 * @nr_resting: how many
 * @time: nanoseconds that the carrier has been in, up to @since
 * @since: local_clock() when it came in
 * @exchanged: @time when sets went to rest and came back last
 */
struct pmcgrp_crew {
	struct hlist_node node;
	const struct task_struct *task;
	struct perf_event *carrier;
	unsigned int nr;
	struct mutex mutex;
	unsigned int nr_boarded;
	raw_spinlock_t lock;
	int cpu;
	struct list_head aboard;
	struct list_head resting;
	unsigned int nr_resting;
	u64 time;
	u64 since;
	u64 exchanged;
};

void pmcgrp_crew_init(void);
struct pmcgrp_evset *pmcgrp_crew_join(struct pmcgrp_group *group, struct task_struct *task);
void pmcgrp_crew_quit(struct pmcgrp_evset *set);
void pmcgrp_crew_note_first(struct pmcgrp_group *group, const struct task_struct *task);
void pmcgrp_crew_forget_first(struct pmcgrp_group *group);
void pmcgrp_crew_board(struct pmcgrp_evset *set);
void pmcgrp_crew_land(struct pmcgrp_evset *set);
void pmcgrp_crew_catch_up(struct pmcgrp_evset *set);

const struct pmcgrp_evset *pmcgrp_crew_resting_here(const struct pmcgrp_evset *set);

void pmcgrp_crew_wake(struct pmcgrp_cpu *pcpu);
void pmcgrp_crew_rest(struct pmcgrp_cpu *pcpu);

#endif /* PMCGRP_CREW_H */
