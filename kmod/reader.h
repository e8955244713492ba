/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_READER_H
#define PMCGRP_READER_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include "cpu.h"
#include "user_access.h"

void pmcgrp_reader_changes(struct pmcgrp_cpu *pcpu, bool reader);
bool pmcgrp_reader_check(struct pmcgrp_cpu *pcpu);
void pmcgrp_reader_assume(void);

/**
 * pmcgrp_reader_switch - keep idle counters from the task that a CPU switches to
 * @pcpu: this CPU's scheduler
 * @prev: running task, which is switched from
 * @next: the task that is switched to
 *
 * Context: interrupts off, in the context switch, before perf core's part of it.
 */
static __always_inline void pmcgrp_reader_switch(struct pmcgrp_cpu *pcpu,
						 const struct task_struct *prev,
						 const struct task_struct *next)
{
	bool reader = pmcgrp_user_access_comes(prev, next, pcpu->reader, &pcpu->ctx_generation);

	if (unlikely(reader || pcpu->reader))
		pmcgrp_reader_changes(pcpu, reader);
}

#endif /* PMCGRP_READER_H */
