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
 * struct pmcgrp_crew - sets of a task that one carrier schedules in and out
 * @node: in the table of crews, by @task; pmcgrp_groups_mutex
 * @task: the task that the carrier follows and holds.  Constant.
 * @carrier: perf core's event; owns the crew.  Constant.
 * @nr: groups that have a set in it; pmcgrp_groups_mutex
 * @mutex: protects pmcgrp_evset.crew_enabled; inside the mutexes of groups, outside perf core's
 * @nr_enabled: sets on either list; @mutex
 * @lock: protects what follows @cpu while the carrier is scheduled in nowhere; inside perf core's
 *	ctx->lock and the run-queue lock
 * @cpu: the CPU where the carrier is scheduled in, or -1; written there under @lock.  Everything
 *	below is protected by interrupts off on that CPU, or by @lock while @cpu is -1.
 * @active: sets that are scheduled in with the carrier, in the order of the last rotation
 * @resting: enabled sets that are not, the one that has rested longest first
 * @nr_resting: number of sets in @resting
 * @time: nanoseconds for which the carrier has been scheduled in, up to @since
 * @since: local_clock() of its last schedule-in
 * @exchanged: @time when resting sets were exchanged last
 */
struct pmcgrp_crew {
	struct hlist_node node;
	const struct task_struct *task;
	struct perf_event *carrier;
	unsigned int nr;
	struct mutex mutex;
	unsigned int nr_enabled;
	raw_spinlock_t lock;
	int cpu;
	struct list_head active;
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
void pmcgrp_crew_enable(struct pmcgrp_evset *set);
void pmcgrp_crew_disable(struct pmcgrp_evset *set);
void pmcgrp_crew_catch_up(struct pmcgrp_evset *set);

const struct pmcgrp_evset *pmcgrp_crew_resting_here(const struct pmcgrp_evset *set);

void pmcgrp_crew_wake(struct pmcgrp_cpu *pcpu);
void pmcgrp_crew_rest(struct pmcgrp_cpu *pcpu);

#endif /* PMCGRP_CREW_H */
