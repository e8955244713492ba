/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TURN_H
#define PMCGRP_TURN_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/types.h>
#include "compat.h"
#include "arbiter/cpu.h"

struct task_struct;

void pmcgrp_turn_init(void);
void pmcgrp_turn_leaves(struct pmcgrp_cpu *pcpu);
void pmcgrp_turn_enters(struct pmcgrp_cpu *pcpu, const struct task_struct *next, bool sets_come);

/*
 * Whether the functions of this file have anything to do at a switch between tasks without sets.
 * While slices are paused only perf events of the next task can make them go on.
 */
static __always_inline bool pmcgrp_turn_concerns(const struct pmcgrp_cpu *pcpu,
						 const struct task_struct *prev,
						 const struct task_struct *next)
{
	return pcpu->arbiter.contended ||
	       (pcpu->arbiter.paused && pmcgrp_task_has_perf_events(next)) ||
	       (pmcgrp_task_has_perf_events(prev) && !list_empty(&pcpu->sets));
}

/* The same if one of them may have sets. */
static __always_inline bool pmcgrp_turn_applies(const struct pmcgrp_cpu *pcpu,
						const struct task_struct *prev,
						const struct task_struct *next)
{
	return (pcpu->arbiter.paused_cpu | pcpu->nr_waiting) ||
	       pmcgrp_turn_concerns(pcpu, prev, next);
}

#endif /* PMCGRP_TURN_H */
