/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_READER_H
#define PMCGRP_READER_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include "arbiter/cpu.h"
#include "platform/user_access.h"

void pmcgrp_reader_changes(struct pmcgrp_cpu *pcpu, bool reader);
bool pmcgrp_reader_check(struct pmcgrp_cpu *pcpu);
void pmcgrp_reader_assume(void);

/**
 * pmcgrp_reader_comes - check whether user mode can read counters while the next task runs
 * @pcpu: this CPU's scheduler
 * @prev: running task, which is switched from
 * @next: the task that is switched to
 *
 * Context: interrupts off, in the context switch, before perf core's part of it; once in a switch.
 * Return: argument for pmcgrp_reader_changes(), if this or pmcgrp_cpu.reader is true.
 */
static __always_inline bool pmcgrp_reader_comes(struct pmcgrp_cpu *pcpu,
						const struct task_struct *prev,
						const struct task_struct *next)
{
	return pmcgrp_user_access_comes(prev, next, pcpu->reader, &pcpu->ctx_generation);
}

#endif /* PMCGRP_READER_H */
