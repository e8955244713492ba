/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks in spans: what a group of CPUs or of several tasks counts is split by task while one
 * is in a span, so that a span goes on after its task has slept or been moved (span_task.c).
 */
#ifndef PMCGRP_SPAN_TASK_H
#define PMCGRP_SPAN_TASK_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "include/linux/pmcgrp.h"
#include "set/evset.h"

struct pmcgrp_charge;
struct pmcgrp_evlist;
struct pmcgrp_places;

/**
 * struct pmcgrp_span_task_cpu - the task that is in spans on a CPU; that CPU, interrupts off
 * @task: the task, only to be compared
 * @visit: what its spans have as pmcgrp_section_mark.switches.  No other task's have it, nor its
 *	own after something was not seen of it.  0: it was switched from.
 * @last_visit: the last one that began here
 * @open: how many spans it is in; 0: nothing but the visits is valid
 * @sched_in: nr_sched_in of the set since it is in them, or runs here
 * @resumed: it has begun them before it was switched to; else @waited and @count are 0
 * @waited: nanoseconds without counters, less those of the set of this CPU; and one for each time
 *	that a set did not count and has no such time
 * @count: counts, less those of the set of this CPU
 */
struct pmcgrp_span_task_cpu {
	const struct task_struct *task;
	unsigned long visit;
	unsigned long last_visit;
	unsigned int open;
	u32 sched_in;
	bool resumed;
	u64 waited;
	u64 count[PMCGRP_SECTION_MEMBERS_MAX];
};

/* In pmcgrp_section_mark.switches: it is a visit, not a number of switches.  This is none. */
#define PMCGRP_SPAN_VISIT BIT(BITS_PER_LONG - 1)

/* From a CPU's visit to its next one: no two CPUs have the same. */
#define PMCGRP_SPAN_VISIT_STEP BIT(16)
static_assert(CONFIG_NR_CPUS <= PMCGRP_SPAN_VISIT_STEP);

/**
 * struct pmcgrp_span_tasks - the tasks that are in the calls of one span
 * @node: node in pmcgrp_evlist.span_tasks, an RCU list; the list's mutex
 * @evlist: list of the span's group, a user of which the span is.  Constant.
 * @follows: context switches are seen.  Constant until the probes are about to go.
 * @nr: number of places that are taken
 * @cpu: the tasks that run
 * @places: where the others are
 */
struct pmcgrp_span_tasks {
	struct list_head node;
	struct pmcgrp_evlist *evlist;
	bool follows;
	atomic_t nr;
	struct pmcgrp_span_task_cpu __percpu *cpu;
	struct pmcgrp_places *places;
};

/**
 * pmcgrp_span_task_begin - note that the running task is in one more span
 * @tasks: the span's tasks, which are followed
 * @set: the set that is in here
 * @mark: what was read at the beginning; then as the task's own counts have it
 *
 * Between the probe on sched_switch and the switch itself the running task is not the one whose
 * counts go on here.  If that one is in spans, a span that begins is missed at its end.  The number
 * of switches would not show it: it has grown before the probe.
 *
 * Context: as pmcgrp_section_begin(), in a recursion section.
 */
static __always_inline void pmcgrp_span_task_begin(const struct pmcgrp_span_tasks *tasks,
						   const struct pmcgrp_evset *set,
						   struct pmcgrp_section_mark *mark)
{
	struct pmcgrp_span_task_cpu *cpu = this_cpu_ptr(tasks->cpu);
	unsigned int i;

	if (!cpu->open || cpu->sched_in != set->nr_sched_in) {
		cpu->task = current;
		cpu->last_visit += PMCGRP_SPAN_VISIT_STEP;
		cpu->visit = cpu->last_visit;
		cpu->open = 0;
		cpu->sched_in = set->nr_sched_in;
		cpu->resumed = false;
	} else if (unlikely(cpu->task != current)) {
		mark->switches = PMCGRP_SPAN_VISIT;
		return;
	}
	cpu->open++;
	mark->switches = cpu->visit;
	if (likely(!cpu->resumed))
		return;
	mark->waited += cpu->waited;
	for (i = 0; i < set->nr; i++)
		mark->count[i] += cpu->count[i];
}

/**
 * pmcgrp_span_task_end - end a span that pmcgrp_span_task_begin() has noted
 * @tasks: the span's tasks
 * @set: the set that is in here
 * @mark: where it began; then the counts are what the set had, had the task run here all the time
 *
 * Context: as pmcgrp_section_end(), in a recursion section.
 * Return: false if something was not seen of the task, and its counts are not known.
 */
static __always_inline bool pmcgrp_span_task_end(const struct pmcgrp_span_tasks *tasks,
						 const struct pmcgrp_evset *set,
						 struct pmcgrp_section_mark *mark)
{
	struct pmcgrp_span_task_cpu *cpu = this_cpu_ptr(tasks->cpu);
	unsigned int i;

	if (cpu->visit != mark->switches || cpu->sched_in != set->nr_sched_in ||
	    !READ_ONCE(tasks->follows))
		return false;
	cpu->open--;
	if (likely(!cpu->resumed))
		return true;
	mark->waited -= cpu->waited;
	for (i = 0; i < set->nr; i++)
		mark->count[i] -= cpu->count[i];
	return true;
}

struct pmcgrp_span_tasks *pmcgrp_span_tasks_follow(struct pmcgrp_evlist *evlist,
						   struct pmcgrp_charge *charge,
						   unsigned int max_active, u32 *why);
void pmcgrp_span_tasks_unfollow(struct pmcgrp_span_tasks *tasks);
void pmcgrp_span_tasks_free(struct pmcgrp_span_tasks *tasks);

#endif /* PMCGRP_SPAN_TASK_H */
