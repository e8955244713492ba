// SPDX-License-Identifier: GPL-2.0-only
/* Access of user mode to the registers of counters (user_access.h). */
#include <linux/lockdep.h>
#include "platform/core_pmu.h"
#include "platform/counter_reg.h"
#include "platform/user_access.h"

DEFINE_PER_CPU(bool, pmcgrp_user_access_found);

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <linux/init.h>
#include <linux/perf/arm_pmu.h>
#include <asm/sysreg.h>
#include "platform/pmuver.h"

bool pmcgrp_has_pmuserenr __ro_after_init;

/**
 * pmcgrp_user_access_init - find out whether the processor has PMUSERENR_EL0
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_user_access_init(void)
{
	pmcgrp_has_pmuserenr = pmcgrp_pmuver_is_pmuv3(pmcgrp_pmuver(read_sysreg(id_aa64dfr0_el1)));
}

/*
 * Read no register at each pmu->del(): a hypervisor may emulate it.  If access is open but not
 * found yet, the PMU starts as it is released, and the driver zeroes the register.
 */
static bool may_be_read(void)
{
	return __this_cpu_read(pmcgrp_user_access_found) && pmcgrp_user_access_is_open();
}

static bool has_register(const struct perf_event *event)
{
	return pmcgrp_pmu_is_armv8(event->pmu);
}

static void zero_register(struct perf_event *event)
{
	to_arm_pmu(event->pmu)->write_counter(event, 0);
}

#elif defined(CONFIG_X86)

#include <asm/msr.h>

/* Also while a kernel thread runs: perf core does not zero registers after it. */
static bool may_be_read(void)
{
	return pmcgrp_user_access_is_open();
}

static bool has_register(const struct perf_event *event)
{
	return pmcgrp_pmu_is_core(event->pmu) && event->hw.event_base;
}

static void zero_register(struct perf_event *event)
{
	wrmsr(event->hw.event_base, 0, 0);
}

#else

static bool may_be_read(void)
{
	return false;
}

static bool has_register(const struct perf_event *event)
{
	return false;
}

static void zero_register(struct perf_event *event)
{
}

#endif

/**
 * pmcgrp_user_access_zero - stop an event and zero its register, if user mode can read counters
 * @event: event that the PMU has programmed, and that pmu->del() is about to take off
 *
 * Where user mode cannot read counters now, perf core zeroes the registers before it can.
 *
 * Context: interrupts off, the PMU held.
 */
void pmcgrp_user_access_zero(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	if (likely(!may_be_read()) || !has_register(event))
		return;
	event->pmu->stop(event, PERF_EF_UPDATE);
	zero_register(event);
}
