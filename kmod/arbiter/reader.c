// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep idle counters from tasks that can read registers.
 *
 * An idle counter goes on counting whatever runs on its CPU, the kernel included.  A task without
 * privileges can read the registers of all counters of its CPU once it has mapped a perf event of
 * its own (user_access.h).  perf core zeroes the counters that no event has; an idle counter has
 * one.  So no counter is idle while user mode can read counters:
 *
 *  - The probe on sched_switch (follow.c) evicts the idle counters before such a task comes in.
 *    perf core has not begun its own work on the switch, and holds no PMU.
 *  - Meanwhile pmcgrp_cpu.reader is set: counters leave the PMU with their set (rotate.h).  The
 *    previous task's sets are scheduled out after that.
 *  - In pmcgrp's slice the idle counters may be those that the task is to find (reserve.c).  Then
 *    an irq_work evicts what its sets have left, as soon as interrupts are on.
 *  - A task may get access while it runs.  The check of idle counters finds that out (arbiter.c):
 *    within 4 intervals and a jiffy.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include "arbiter/cpu.h"
#include "arbiter/reader.h"
#include "counter/idle.h"
#include "platform/recursion.h"
#include "platform/user_access.h"

static void reader_comes(struct pmcgrp_cpu *pcpu)
{
	if (!pcpu->has_idle)
		return;
	if (pmcgrp_cpu_has_slice(pcpu)) {
		irq_work_queue(&pcpu->work);
		return;
	}
	pmcgrp_recursion_enter();
	pmcgrp_idle_evict_all();
	pmcgrp_recursion_leave();
	pcpu->has_idle = false;
}

/**
 * pmcgrp_reader_changes - note whether user mode can read counters while the next task runs
 * @pcpu: this CPU's scheduler
 * @reader: whether it can
 *
 * Context: as pmcgrp_reader_comes().
 */
void pmcgrp_reader_changes(struct pmcgrp_cpu *pcpu, bool reader)
{
	lockdep_assert_irqs_disabled();
	pcpu->reader = reader;
	__this_cpu_write(pmcgrp_user_access_found, reader);
	if (reader)
		reader_comes(pcpu);
}

/**
 * pmcgrp_reader_check - find out whether user mode has got access to counters since the switch
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off, not inside perf core.
 * Return: true if user mode can read counters here: no counter may be idle.
 */
bool pmcgrp_reader_check(struct pmcgrp_cpu *pcpu)
{
	lockdep_assert_irqs_disabled();
	if (current->mm && pmcgrp_user_access_is_open()) {
		pcpu->reader = true;
		__this_cpu_write(pmcgrp_user_access_found, true);
	}
	return pcpu->reader;
}

/**
 * pmcgrp_reader_assume - keep no idle counters on any CPU, for want of a probe
 *
 * Context: any.
 */
void pmcgrp_reader_assume(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		WRITE_ONCE(pmcgrp_cpu_of(cpu)->reader, true);
		WRITE_ONCE(*per_cpu_ptr(&pmcgrp_user_access_found, cpu), true);
	}
}
