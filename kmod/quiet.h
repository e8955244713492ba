/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quiet sections of a CPU: its rides and slots are being changed or read, and nobody
 * else may look.  With interrupts off that can only be a trigger's handler (record.c),
 * which comes by NMI, or from a probe in the midst of such a section: it finds the CPU
 * not quiet and counts the snapshot as missed.
 *
 * Not covered is perf core's own work on a slot, for which it holds the PMU:
 * pmcgrp_slots_may_move().
 */
#ifndef PMCGRP_QUIET_H
#define PMCGRP_QUIET_H

#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/types.h>

DECLARE_PER_CPU(unsigned int, pmcgrp_quiet_depth);

/**
 * pmcgrp_quiet_enter - rides or slots of this CPU are about to change
 *
 * Sections nest.
 *
 * Context: interrupts off until pmcgrp_quiet_leave().
 */
static inline void pmcgrp_quiet_enter(void)
{
	lockdep_assert_irqs_disabled();
	__this_cpu_inc(pmcgrp_quiet_depth);
	barrier();
}

/**
 * pmcgrp_quiet_leave - they are whole again
 */
static inline void pmcgrp_quiet_leave(void)
{
	barrier();
	__this_cpu_dec(pmcgrp_quiet_depth);
}

/**
 * pmcgrp_quiet_try - enter, unless someone is in already
 *
 * Context: interrupts off; NMI included.
 */
static inline bool pmcgrp_quiet_try(void)
{
	if (__this_cpu_read(pmcgrp_quiet_depth))
		return false;
	pmcgrp_quiet_enter();
	return true;
}

/**
 * pmcgrp_quiet_end - leave what pmcgrp_quiet_try() has entered
 */
static inline void pmcgrp_quiet_end(void)
{
	lockdep_assert(__this_cpu_read(pmcgrp_quiet_depth) == 1);
	barrier();
	__this_cpu_write(pmcgrp_quiet_depth, 0);
}

/**
 * pmcgrp_assert_quiet - this is within a section
 */
static __always_inline void pmcgrp_assert_quiet(void)
{
	lockdep_assert(__this_cpu_read(pmcgrp_quiet_depth));
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

#endif /* PMCGRP_QUIET_H */
