// SPDX-License-Identifier: GPL-2.0-only
/* What is known of the PMUs of x86's cores (arch/x86/events/core.c). */
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <asm/cpufeature.h>
#include <asm/perf_event.h>
#include <asm/processor.h>
#include "compat.h"
#include "core_pmu.h"

/* Of Intel's CPUID leaf 0xa, EAX: the version of the PMU. */
#define VERSION_LEAF 0xa
#define VERSION_MASK 0xff

/* Of a raw config of Intel's: event 0 is that of events that only a fixed counter counts. */
#define INTEL_EVENT 0xff

/**
 * pmcgrp_pmu_is_core - whether a PMU is one of the cores' own
 * @pmu: the PMU
 *
 * Whatever kinds of cores there are (intel_pmu_init()); cpu_clock is another PMU, and has no
 * registers that user space could read.
 */
bool pmcgrp_pmu_is_core(const struct pmu *pmu)
{
	const char *name = pmu->name; /* those of core's have none, in 6.1 */

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
	if (!pmcgrp_pmu_is_core(pmu))
		return true;
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		return boot_cpu_has(X86_FEATURE_ARCH_PERFMON) &&
		       (cpuid_eax(VERSION_LEAF) & VERSION_MASK) > 1;
	return boot_cpu_has(X86_FEATURE_PERFMON_V2);
}

/**
 * pmcgrp_event_may_use - whether what an event has may be what another one waits for
 * @has: an event on its PMU
 * @wants: one that is not, of the same PMU
 *
 * A fixed counter of Intel's is in the way of an event that no other counter counts, and of no
 * other: an event that both kinds count would have had a general one
 * (arch/x86/events/intel/core.c: intel_skl_event_constraints and the like).
 */
bool pmcgrp_event_may_use(const struct perf_event *has, const struct perf_event *wants)
{
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || !pmcgrp_pmu_is_core(has->pmu))
		return true;
	return (has->hw.idx >= INTEL_PMC_IDX_FIXED) == !(wants->hw.config & INTEL_EVENT);
}

/**
 * pmcgrp_pmu_is_shared - whether an event may find no room for what counts on another CPU
 * @pmu: the PMU
 *
 * Threads of a core may have registers in common, or counters that one takes from the other
 * (arch/x86/events/intel/core.c: __intel_shared_reg_get_constraints(),
 * intel_get_excl_constraints()).
 *
 * Context: preemption off.
 */
bool pmcgrp_pmu_is_shared(const struct pmu *pmu)
{
	return pmcgrp_pmu_is_core(pmu) &&
	       cpumask_weight(topology_sibling_cpumask(smp_processor_id())) > 1;
}
