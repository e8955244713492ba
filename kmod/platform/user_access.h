/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access of user mode to the registers of counters, as the PMU's driver and the processor give it.
 *
 * x86: CR4.PCE lets user mode read all counters of the CPU.  perf core sets it for a memory map
 * with a mapped perf event, or for all (arch/x86/mm/tlb.c: cr4_update_pce_mm()).  It then zeroes
 * the registers that events have left (arch/x86/events/core.c: perf_clear_dirty_counters()).  It
 * does neither if the next task has the memory map that is loaded already, as after a kernel thread
 * (switch_mm_irqs_off()).
 *
 * arm64: PMUSERENR_EL0 lets user mode read all counters of the CPU.  The driver decides when it
 * starts the PMU (drivers/perf/arm_pmuv3.c: armv8pmu_start()), by the nr_user of the running task's
 * context.  It then zeroes the registers that no event has.  So access may outlast the task: if the
 * event leaves the context without a start of the PMU (kernel/events/core.c:
 * __perf_remove_from_context()), it lasts until the PMU is started for anyone.  A PMU without
 * events is not started (drivers/perf/arm_pmu.c: armpmu_enable()).
 *
 * Both take an idle counter for one in use.
 */
#ifndef PMCGRP_USER_ACCESS_H
#define PMCGRP_USER_ACCESS_H

#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/types.h>
#include "compat.h"

/* User mode was last found to be able to read counters on this CPU (reader.c); interrupts off. */
DECLARE_PER_CPU(bool, pmcgrp_user_access_found);

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <asm/sysreg.h>

extern bool pmcgrp_has_pmuserenr;

void pmcgrp_user_access_init(void);

/* Check whether user mode can read counters on this CPU now.  Context: preemption off. */
static inline bool pmcgrp_user_access_is_open(void)
{
	return pmcgrp_has_pmuserenr && read_sysreg(pmuserenr_el0);
}

/**
 * pmcgrp_user_access_comes - check whether user mode may read counters once a task is switched to
 * @prev: running task, which is switched from
 * @next: the task that is switched to
 * @was_open: result for @prev
 * @generation: in: value for @prev; out: for @next.  Its context's number of changes of events.
 *
 * A hypervisor may emulate PMUSERENR_EL0.  So it is read only where access may have outlasted
 * events: after a task whose events have changed while it ran, and on from there.
 *
 * Context: interrupts off, in the context switch.
 */
static __always_inline bool pmcgrp_user_access_comes(const struct task_struct *prev,
						     const struct task_struct *next, bool was_open,
						     u64 *generation)
{
	const struct perf_event_context *ctx = pmcgrp_task_ctx(prev);
	bool changed = ctx && READ_ONCE(ctx->generation) != *generation;

	ctx = pmcgrp_task_ctx(next);
	if (ctx) {
		*generation = READ_ONCE(ctx->generation);
		if (unlikely(READ_ONCE(ctx->nr_user)))
			return true;
	}
	return unlikely(was_open || changed) && pmcgrp_user_access_is_open();
}

#elif defined(CONFIG_X86)

#include <linux/atomic.h>
#include <linux/mm_types.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

static inline void pmcgrp_user_access_init(void)
{
}

/* Check whether user mode can read counters on this CPU now.  Context: preemption off. */
static inline bool pmcgrp_user_access_is_open(void)
{
	return __read_cr4() & X86_CR4_PCE;
}

/**
 * pmcgrp_user_access_comes - check whether user mode may read counters once a task is switched to
 * @prev: running task, which is switched from
 * @next: the task that is switched to
 * @was_open: result for @prev
 * @generation: not used
 *
 * If user mode can read them now, that may be because all tasks can, which the kernel does not
 * export (rdpmc_always_available_key).
 *
 * Context: interrupts off, in the context switch.
 */
static __always_inline bool pmcgrp_user_access_comes(const struct task_struct *prev,
						     const struct task_struct *next, bool was_open,
						     u64 *generation)
{
	const struct mm_struct *mm = next->mm;

	return mm && (unlikely(atomic_read(&mm->context.perf_rdpmc_allowed)) ||
		      unlikely(pmcgrp_user_access_is_open()));
}

#else

static inline void pmcgrp_user_access_init(void)
{
}

static inline bool pmcgrp_user_access_is_open(void)
{
	return false;
}

static inline bool pmcgrp_user_access_comes(const struct task_struct *prev,
					    const struct task_struct *next, bool was_open,
					    u64 *generation)
{
	return false;
}

#endif

void pmcgrp_user_access_zero(struct perf_event *event);

#endif /* PMCGRP_USER_ACCESS_H */
