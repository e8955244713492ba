/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PINNED_ROOM_H
#define PMCGRP_PINNED_ROOM_H

#include <linux/compiler.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/types.h>
#include "compat.h"
#include "cpu.h"

struct pmcgrp_context;
struct task_struct;

void pmcgrp_pinned_room_make(struct pmcgrp_cpu *pcpu, struct perf_event_context *ctx,
			     const struct pmcgrp_context *in);
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
 * @in: its context, which is about to be scheduled in, or NULL
 *
 * Context: interrupts off, in the context switch, before perf core's part of it.
 */
static __always_inline void pmcgrp_pinned_room_switch(struct pmcgrp_cpu *pcpu,
						      const struct task_struct *prev,
						      const struct task_struct *next,
						      const struct pmcgrp_context *in)
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
	if (in || pcpu->has_idle || !list_empty(&pcpu->sets))
		pmcgrp_pinned_room_make(pcpu, ctx, in);
}

#endif /* PMCGRP_PINNED_ROOM_H */
