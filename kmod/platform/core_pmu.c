// SPDX-License-Identifier: GPL-2.0-only
/* Properties of the core PMUs of x86 (arch/x86/events/core.c) that their drivers do not export. */
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <asm/cpufeature.h>
#include <asm/perf_event.h>
#include <asm/processor.h>
#include "compat.h"
#include "platform/core_pmu.h"

/* Intel's CPUID leaf 0xa, EAX: version of the PMU; the next byte: number of its counters. */
#define VERSION_LEAF 0xa
#define VERSION_MASK 0xff

/* Event code in Intel's raw config; 0 stands for events that only fixed counters count. */
#define INTEL_EVENT 0xff

/* Event codes of Intel's memory events, which exclude threads of a core from each other. */
#define INTEL_MEM_TRANS 0xcd
#define INTEL_MEM_FIRST 0xd0
#define INTEL_MEM_LAST 0xd3

/**
 * pmcgrp_pmu_is_core - check whether a PMU is a core PMU: "cpu", or "cpu_*" of a hybrid machine
 * @pmu: the PMU
 *
 * intel_pmu_init() has the names.  event_mapped() excludes cpu_clock, whose events have no
 * registers.
 */
bool pmcgrp_pmu_is_core(const struct pmu *pmu)
{
	const char *name = pmu ? pmu->name : NULL; /* in 6.1 perf core's own PMUs have none */

	return name && pmu->event_mapped && !strncmp(name, "cpu", 3) &&
	       (!name[3] || name[3] == '_');
}

/**
 * pmcgrp_pmu_stops_at_once - check whether all counters of a PMU stop and start at one instant
 * @pmu: the PMU
 *
 * Intel's PMUs from version 2 on, and AMD's with PerfMonV2, have a register for that.  For older
 * ones the driver stops and starts one counter after the other (x86_pmu_disable_all(),
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
 * pmcgrp_pmu_event_may_use - check whether an event may occupy a counter that another one needs
 * @has: event that is on its PMU
 * @wants: event of the same PMU that is not
 *
 * On Intel a fixed counter blocks only events that no general counter counts.  An event that
 * both kinds can count fails only if no general counter is free (arch/x86/events/intel/core.c:
 * intel_skl_event_constraints and the like).
 */
bool pmcgrp_pmu_event_may_use(const struct perf_event *has, const struct perf_event *wants)
{
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || !pmcgrp_pmu_is_core(has->pmu))
		return true;
	return (has->hw.idx >= INTEL_PMC_IDX_FIXED) == !(wants->hw.config & INTEL_EVENT);
}

/**
 * pmcgrp_pmu_is_shared - check whether events on another CPU may leave no room on a PMU here
 * @pmu: the PMU
 *
 * Threads of a core may share registers, or take counters from each other
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

/**
 * pmcgrp_pmu_event_counts_siblings - check whether an event counts what all threads of its core do
 * @event: a hardware event
 *
 * The driver asks current's rights for that whenever such an event is made, also in a task's fork()
 * that inherits it (arch/x86/events/intel/core.c: intel_pmu_hw_config()).
 *
 * Context: any.
 */
bool pmcgrp_pmu_event_counts_siblings(const struct perf_event *event)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && pmcgrp_pmu_is_core(event->pmu) &&
	       event->attr.config & ARCH_PERFMON_EVENTSEL_ANY;
}

/**
 * pmcgrp_pmu_event_is_reloaded - check whether others' overflows are to reload its counter
 * @event: the event
 *
 * The others are named by their places in a perf group, and counters of this module are in none:
 * the driver would take what stands beside them on the PMU (intel_pmu_acr_late_setup()).
 *
 * Context: any.
 */
bool pmcgrp_pmu_event_is_reloaded(const struct perf_event *event)
{
	return pmcgrp_core_reloads_counters() && event->attr.config2 &&
	       boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && pmcgrp_pmu_is_core(event->pmu);
}

/**
 * pmcgrp_pmu_event_takes_shared - check whether an event takes what other threads of its core need
 * @event: a hardware event
 *
 * It does while it is on its PMU, idle or not: a register for its additional value, or counters of
 * the other threads (pmcgrp_pmu_is_shared()).
 *
 * Context: any.
 */
bool pmcgrp_pmu_event_takes_shared(const struct perf_event *event)
{
	u64 code = event->hw.config & INTEL_EVENT;

	if (!event->hw.extra_reg.reg && code != INTEL_MEM_TRANS &&
	    (code < INTEL_MEM_FIRST || code > INTEL_MEM_LAST))
		return false;
	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && pmcgrp_pmu_is_core(event->pmu) &&
	       cpumask_weight(topology_sibling_cpumask(raw_smp_processor_id())) > 1;
}

/**
 * pmcgrp_pmu_room - get the number of counters of a PMU that are not made for certain events
 * @pmu: the PMU
 *
 * So many events fit together, unless one of them is confined to some of the counters or takes two.
 * The kernel's own number is exported to KVM alone; this is what it comes from
 * (arch/x86/events/intel/core.c: intel_pmu_init(), arch/x86/events/amd/core.c:
 * amd_core_pmu_init()). 0: not known, as on a hybrid machine.
 *
 * Context: any.
 */
unsigned int pmcgrp_pmu_room(const struct pmu *pmu)
{
	if (!pmcgrp_pmu_is_core(pmu) || boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return 0;
	if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL)
		return boot_cpu_has(X86_FEATURE_ARCH_PERFMON) ?
			       cpuid_eax(VERSION_LEAF) >> 8 & VERSION_MASK :
			       0;
	return boot_cpu_has(X86_FEATURE_PERFCTR_CORE) ? AMD64_NUM_COUNTERS_CORE :
							AMD64_NUM_COUNTERS;
}
