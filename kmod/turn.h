/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TURN_H
#define PMCGRP_TURN_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/types.h>
#include "compat.h"
#include "cpu.h"

struct task_struct;

void pmcgrp_turn_init(void);
void pmcgrp_turn_leaves(struct pmcgrp_cpu *pcpu);
void pmcgrp_turn_enters(struct pmcgrp_cpu *pcpu, const struct task_struct *next, bool sets_come);

/*
 * Whether the functions of this file have anything to do at a switch.  While slices are paused only
 * perf events of the next task, or its sets, can make them go on.
 */
static __always_inline bool pmcgrp_turn_concerns(const struct pmcgrp_cpu *pcpu,
						 const struct task_struct *prev,
						 const struct task_struct *next)
{
	return pcpu->arbiter.contended ||
	       (pcpu->arbiter.paused && pmcgrp_task_has_perf_events(next)) ||
	       (!list_empty(&pcpu->sets) && pmcgrp_task_has_perf_events(prev));
}

#endif /* PMCGRP_TURN_H */
