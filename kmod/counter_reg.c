// SPDX-License-Identifier: GPL-2.0-only
/* Which events can be peeked at (counter_reg.h). */
#include <linux/string.h>
#include "core_pmu.h"
#include "counter_reg.h"

static bool enabled; /* constant after init */

/**
 * pmcgrp_counter_reg_init - once, before there is any counter
 * @enable: whether peeking is wanted
 */
void pmcgrp_counter_reg_init(bool enable)
{
	enabled = enable;
}

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <asm/cpufeature.h>
#include <linux/perf/arm_pmu.h>

/**
 * pmcgrp_event_has_reg - whether pmcgrp_reg_value() gives what pmu->read() would
 * @event: the event
 *
 * arm_pmuv3.c names its PMUs armv8_* (armv8_pmu_init_nomap(), armv8_pmu_driver's table);
 * another driver of such a name would break it. A counter's width is in hw.flags from
 * event_init() on.
 *
 * Not where the PMU has no interrupt, for nothing starts a counter anew then but a read; nor
 * where it is an NMI (pseudo-NMIs): between the register and the sum it may set both anew, and
 * leave the start as it was.
 */
bool pmcgrp_event_has_reg(const struct perf_event *event)
{
	const char *name = event->pmu->name; /* those of core's have none, in 6.1 */

	return enabled && name && !strncmp(name, "armv8_", 6) &&
	       !(event->hw.flags & ARMPMU_EVT_64BIT) &&
	       !(event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) &&
	       !system_uses_irq_prio_masking();
}

#elif defined(CONFIG_X86)

#include <asm/cpufeature.h>
#include <asm/processor.h>

/* Of Intel's CPUID leaf 0xa, EAX: how many bits a counter has. */
#define WIDTH_LEAF 0xa
#define WIDTH_SHIFT 16
#define WIDTH_MASK 0xff

/* An event that says that a guest uses the LBR, and has no counter (vlbr_constraint). */
#define VLBR_EVENT 0x1b00
#define EVENT_MASK 0xffff

/*
 * How many bits the driver takes a counter to have (x86_pmu.cntval_bits), where that is known:
 * for Intel what the processor says (intel_pmu_init()), for AMD a constant (amd_pmu). Processors
 * of different kinds in one machine say the same.
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
 * pmcgrp_event_has_reg - whether pmcgrp_reg_value() gives what pmu->read() would
 * @event: the event
 *
 * Of those whose value is made in another way (intel_pmu_read_event()) a member can be none:
 * topdown metrics need a leader, and what PEBS reloads needs attr.precise_ip.
 *
 * Not under a hypervisor that has the kernel ask for a counter (Xen's PV).
 */
bool pmcgrp_event_has_reg(const struct perf_event *event)
{
	return enabled && pmcgrp_pmu_is_core(event->pmu) &&
	       counter_width() == PMCGRP_REG_BITS &&
	       (event->hw.config & EVENT_MASK) != VLBR_EVENT &&
	       !(event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) &&
	       !boot_cpu_has(X86_FEATURE_XENPV);
}

#else

bool pmcgrp_event_has_reg(const struct perf_event *event)
{
	return false;
}

#endif
