/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PINNED_ROOM_H
#define PMCGRP_PINNED_ROOM_H

#include <linux/compiler.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/types.h>
#include "compat.h"
#include "arbiter/cpu.h"

struct task_struct;

void pmcgrp_pinned_room_make(struct pmcgrp_cpu *pcpu, struct perf_event_context *ctx,
			     bool sets_come);
void pmcgrp_pinned_room_exec(void);
void pmcgrp_pinned_room_init(void);

/* The perf context of a task that has pinned events, or NULL. */
static __always_inline struct perf_event_context *
pmcgrp_pinned_ctx(const struct task_struct *task)
{
	struct perf_event_context *ctx = pmcgrp_task_ctx(task);

	return likely(!ctx) || RB_EMPTY_ROOT(&ctx->pinned_groups.tree) ? NULL : ctx;
}

/**
 * pmcgrp_pinned_room_switch - make room for the pinned perf events of the next task
 * @pcpu: this CPU's scheduler
 * @prev: running task, which is switched from
 * @next: the task that is switched to
 * @sets_come: sets are about to be scheduled in with it
 *
 * Context: interrupts off, in the context switch, before perf core's part of it.
 */
static __always_inline void pmcgrp_pinned_room_switch(struct pmcgrp_cpu *pcpu,
						      const struct task_struct *prev,
						      const struct task_struct *next,
						      bool sets_come)
{
	struct perf_event_context *ctx = pmcgrp_pinned_ctx(next);

	pcpu->pinned_comes = false;
	pcpu->pinned_at_exec = false;
	/*
	 * Sets that wait may find room when prev's pinned events have gone.  Not where they would
	 * stay as these come again.
	 */
	if (pmcgrp_core_makes_way() && unlikely(pcpu->nr_waiting) && pmcgrp_pinned_ctx(prev))
		irq_work_queue(&pcpu->work);
	if (likely(!ctx))
		return;
	if (sets_come || pcpu->has_idle || !list_empty(&pcpu->sets))
		pmcgrp_pinned_room_make(pcpu, ctx, sets_come);
}

/* Whether pmcgrp_pinned_room_switch() has anything to do, where the next task has no sets. */
static __always_inline bool pmcgrp_pinned_room_concerns(const struct pmcgrp_cpu *pcpu,
							const struct task_struct *next)
{
	return pcpu->pinned_comes || pcpu->pinned_at_exec || pcpu->nr_waiting ||
	       pmcgrp_pinned_ctx(next);
}

#endif /* PMCGRP_PINNED_ROOM_H */
