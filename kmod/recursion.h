/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quiet sections of a CPU: its sets and counters are being changed or read, and nobody
 * else may look.  With interrupts off that can only be a trigger's handler (sample.c),
 * which comes by NMI, or from a probe in the midst of such a section: it finds the CPU
 * not quiet and counts the snapshot as missed.
 *
 * Not covered is perf core's own work on a counter, for which it holds the PMU:
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
 * pmcgrp_recursion_enter - sets or counters of this CPU are about to change
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
 * pmcgrp_recursion_leave - they are whole again
 */
static inline void pmcgrp_recursion_leave(void)
{
	barrier();
	__this_cpu_dec(pmcgrp_recursion_depth);
}

/**
 * pmcgrp_recursion_try - enter, unless someone is in already
 *
 * Context: interrupts off; NMI included.
 */
static inline bool pmcgrp_recursion_try(void)
{
	if (__this_cpu_read(pmcgrp_recursion_depth))
		return false;
	pmcgrp_recursion_enter();
	return true;
}

/**
 * pmcgrp_recursion_end - leave what pmcgrp_recursion_try() has entered
 */
static inline void pmcgrp_recursion_end(void)
{
	lockdep_assert(__this_cpu_read(pmcgrp_recursion_depth) == 1);
	barrier();
	__this_cpu_write(pmcgrp_recursion_depth, 0);
}

/**
 * pmcgrp_assert_recursion - this is within a section
 */
static __always_inline void pmcgrp_assert_recursion(void)
{
	lockdep_assert(__this_cpu_read(pmcgrp_recursion_depth));
}

/**
 * pmcgrp_assert_here - what belongs to a CPU is changed or read there alone
 * @cpu: the CPU; interrupts are off
 *
 * Kernels without lockdep do not check it: each switch of tasks comes by many times.
 */
static __always_inline void pmcgrp_assert_here(int cpu)
{
	lockdep_assert_irqs_disabled();
	lockdep_assert(cpu == smp_processor_id());
}

#endif /* PMCGRP_RECURSION_H */
