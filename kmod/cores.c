// SPDX-License-Identifier: GPL-2.0-only
/* What is known of the PMUs of x86's cores (arch/x86/events/core.c). */
#include <linux/perf_event.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include "compat.h"
#include "cores.h"

/* Of Intel's CPUID leaf 0xa, EAX: the version of the PMU. */
#define VERSION_LEAF	0xa
#define VERSION_MASK	0xff

/**
 * pmcgrp_pmu_is_of_cores - whether a PMU is one of the cores' own
 * @pmu: the PMU
 *
 * Whatever kinds of cores there are (intel_pmu_init()); cpu_clock is another PMU, and has no
 * registers that user space could read.
 */
bool pmcgrp_pmu_is_of_cores(const struct pmu *pmu)
{
	const char *name = pmu->name;	/* those of core's have none, in 6.1 */

	return pmu->event_mapped && name && !strncmp(name, "cpu", 3) &&
	       (!name[3] || name[3] == '_');
}

/**
 * pmcgrp_pmu_stops_at_once - whether a PMU has all counters stop and start at one instant
 * @pmu: the PMU
 *
 * Intel's from version 2 on and AMD's with PerfMonV2 have a register for that.  The driver of
 * an earlier one stops and starts one counter after the other (x86_pmu_disable_all(),
 * amd_pmu_disable_all()).
 */
bool pmcgrp_pmu_stops_at_once(const struct pmu *pmu)
{
	if (!pmcgrp_pmu_is_of_cores(pmu))
		return true;
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		return boot_cpu_has(X86_FEATURE_ARCH_PERFMON) &&
		       (cpuid_eax(VERSION_LEAF) & VERSION_MASK) > 1;
	return boot_cpu_has(X86_FEATURE_PERFMON_V2);
}
