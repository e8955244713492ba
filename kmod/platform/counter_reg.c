// SPDX-License-Identifier: GPL-2.0-only
/* Decide which events have a register that can be read directly (counter_reg.h). */
#include <linux/string.h>
#include "platform/core_pmu.h"
#include "platform/counter_reg.h"

static bool enabled; /* constant after init */

/**
 * pmcgrp_counter_reg_init - enable or disable register reads; once, before any counter exists
 * @enable: module parameter `register_read`
 */
void pmcgrp_counter_reg_init(bool enable)
{
	enabled = enable;
}

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <asm/cpufeature.h>
#include <linux/perf/arm_pmu.h>

/**
 * pmcgrp_pmu_is_armv8 - check whether a PMU is one of arm_pmuv3.c
 * @pmu: the PMU
 *
 * They are recognised by their names, armv8_* and since 5.18 armv9_* (PMUV3_INIT_SIMPLE()): another
 * driver must not use these prefixes.
 */
bool pmcgrp_pmu_is_armv8(const struct pmu *pmu)
{
	/* In 6.1 perf core's have no name. */
	return pmu->name && (!strncmp(pmu->name, "armv8_", 6) || !strncmp(pmu->name, "armv9_", 6));
}

/**
 * pmcgrp_reg_has_value - check whether pmcgrp_reg_value() equals the result of pmu->read()
 * @event: the event
 *
 * From event_init() on hw.flags says whether an event has 64 bits.
 *
 * A PMU without an interrupt is excluded: only pmu->read() keeps its counters from wrapping
 * around.  Pseudo-NMIs are excluded, too: such an overflow interrupt may come between the reads
 * of the register and of count.  It may change both and leave prev_count as it was.
 */
bool pmcgrp_reg_has_value(const struct perf_event *event)
{
	return enabled && pmcgrp_pmu_is_armv8(event->pmu) &&
	       !(event->hw.flags & ARMPMU_EVT_64BIT) &&
	       !(event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) &&
	       !system_uses_irq_prio_masking();
}

#elif defined(CONFIG_X86)

#include <asm/cpufeature.h>
#include <asm/processor.h>

/* Intel's CPUID leaf 0xa, EAX: width of the counters in bits. */
#define WIDTH_LEAF 0xa
#define WIDTH_SHIFT 16
#define WIDTH_MASK 0xff

/* The pseudo event of a guest that uses the LBR; it has no counter (vlbr_constraint). */
#define VLBR_EVENT 0x1b00
#define EVENT_MASK 0xffff

/*
 * Return the width that the driver assumes (x86_pmu.cntval_bits), or 0 if that is not known.
 * Intel's comes from CPUID (intel_pmu_init()), AMD's is constant (amd_pmu).  In a hybrid machine
 * CPUID says the same on all cores.
 */
static unsigned int counter_width(void)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		if (!boot_cpu_has(X86_FEATURE_ARCH_PERFMON))
			return 0;
		return cpuid_eax(WIDTH_LEAF) >> WIDTH_SHIFT & WIDTH_MASK;
	case X86_VENDOR_AMD:
	case X86_VENDOR_HYGON:
		return 48;
	default:
		return 0;
	}
}

/**
 * pmcgrp_reg_has_value - check whether pmcgrp_reg_value() equals the result of pmu->read()
 * @event: the event
 *
 * intel_pmu_read_event() computes two kinds of events differently.  Neither can be a member:
 * topdown metrics need a leader, and auto-reloaded PEBS events need attr.precise_ip.
 *
 * A guest under Xen PV is excluded: its kernel asks the hypervisor for a counter.
 */
bool pmcgrp_reg_has_value(const struct perf_event *event)
{
	return enabled && pmcgrp_pmu_is_core(event->pmu) &&
	       counter_width() == PMCGRP_REG_BITS &&
	       (event->hw.config & EVENT_MASK) != VLBR_EVENT &&
	       !(event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) &&
	       !boot_cpu_has(X86_FEATURE_XENPV);
}

#else

bool pmcgrp_reg_has_value(const struct perf_event *event)
{
	return false;
}

#endif
