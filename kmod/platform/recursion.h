/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recursion sections: marks of code that a sample must not interrupt.
 *
 * In a section, sets and counters of this CPU are being changed or read, and are inconsistent.
 * Interrupts are off, so only a trigger's handler can interrupt it: by NMI, or by a probe inside
 * the section.  The handler sees that a section is active, takes no sample, and counts it as not
 * taken (sample.c).
 *
 * perf core's own work on a counter is not covered.  perf core holds the PMU meanwhile:
 * pmcgrp_counters_may_move().
 */
#ifndef PMCGRP_RECURSION_H
#define PMCGRP_RECURSION_H

#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/types.h>

DECLARE_PER_CPU(unsigned int, pmcgrp_recursion_depth);

/**
 * pmcgrp_recursion_enter - begin a section: sets or counters of this CPU are about to change
 *
 * Sections nest.
 *
 * Context: interrupts off until pmcgrp_recursion_leave().
 */
static inline void pmcgrp_recursion_enter(void)
{
	lockdep_assert_irqs_disabled();
	__this_cpu_inc(pmcgrp_recursion_depth);
	barrier();
}

/**
 * pmcgrp_recursion_leave - end a section: sets and counters are consistent again
 */
static inline void pmcgrp_recursion_leave(void)
{
	barrier();
	__this_cpu_dec(pmcgrp_recursion_depth);
}

/**
 * pmcgrp_recursion_try - begin a section, unless one is active on this CPU
 *
 * Context: interrupts off; NMI included.
 * Return: true if the section has begun; pmcgrp_recursion_end() ends it.
 */
static inline bool pmcgrp_recursion_try(void)
{
	if (__this_cpu_read(pmcgrp_recursion_depth))
		return false;
	pmcgrp_recursion_enter();
	return true;
}

/**
 * pmcgrp_recursion_end - end the section of pmcgrp_recursion_try()
 */
static inline void pmcgrp_recursion_end(void)
{
	lockdep_assert(__this_cpu_read(pmcgrp_recursion_depth) == 1);
	barrier();
	__this_cpu_write(pmcgrp_recursion_depth, 0);
}

/**
 * pmcgrp_assert_recursion - assert that the caller is in a section
 */
static __always_inline void pmcgrp_assert_recursion(void)
{
	lockdep_assert(__this_cpu_read(pmcgrp_recursion_depth));
}

/**
 * pmcgrp_assert_here - assert that data of a CPU is used on that CPU, with interrupts off
 * @cpu: the CPU
 *
 * Checked with lockdep only, as each task switch calls it many times.
 */
static __always_inline void pmcgrp_assert_here(int cpu)
{
	lockdep_assert_irqs_disabled();
	lockdep_assert(cpu == smp_processor_id());
}

#endif /* PMCGRP_RECURSION_H */
