/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What user space can read of counters, as the processor and the PMU's driver have it: the clock,
 * the registers, and who may.  For user_page.c and count_page.c.
 *
 * The PMU driver, not this module, gives user space access to counters:
 *
 * - arm64: armv8pmu_start() (drivers/perf/arm_pmuv3.c) decides whenever the PMU is enabled.
 *   It grants access if sysctl kernel.perf_user_access is set and the running task has an event
 *   with PERF_EVENT_FLAG_USER_READ_CNT.  perf core counts these events in ctx->nr_user
 *   (kernel/events/core.c: list_add_event()).
 *   Carriers of groups with a user page have the flag.  A carrier is no event of that PMU, so perf
 *   core does not restart the PMU when it schedules the carrier.  user_page.c does.
 *   User space may read the counters while the page changes, and notices that afterwards.
 *   Therefore access lasts until the task has left this CPU.
 *   On a PMUv3p9 the driver of Linux 6.13 gives access to each counter apart, and none to those of
 *   members (counters_are_gated()): user reads are refused there.
 * - x86: CR4.PCE grants access to all threads of an mm that maps a perf event, as far as the sysfs
 *   file `rdpmc` of the PMU allows it (arch/x86/events/core.c: x86_pmu_event_mapped();
 *   arch/x86/mm/tlb.c: cr4_update_pce_mm()).
 *   The mapping of a user page or count page counts as one: the driver's callbacks are called with
 *   an event that has the flag.  The callbacks use nothing else.
 *
 * A driver that decided by something else would break this; selftests/counts/user_read.c checks it.
 */
#ifndef PMCGRP_USER_READ_H
#define PMCGRP_USER_READ_H

#include <linux/clocksource.h>
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "group/group.h"
#include "set/evset.h"

/* pmcgrp_user_clock.ticks is that in 2^USER_PAGE_TICK_SHIFT ns. */
#define USER_PAGE_TICK_SHIFT 20

/**
 * struct pmcgrp_user_clock - conversion factors of the clock that user space reads
 * @mult: nanoseconds are ticks * @mult >> @shift; 0: there is no such clock
 * @shift: at most 32
 * @ticks: number of ticks
 */
struct pmcgrp_user_clock {
	u32 mult;
	u32 shift;
	u32 ticks;
};

/* An event that user space reads. */
extern struct perf_event pmcgrp_user_reads;

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <linux/perf/arm_pmu.h>
#include <asm/arch_timer.h>
#include "platform/pmuver.h"

#define OPENED_BY_CARRIER 1
#define COUNTERS_MOVE 0

static inline bool can_open(const struct pmcgrp_user_clock *clock)
{
	return pmcgrp_core_has_one_context();
}

/*
 * Whether user space reads zero instead of a counter.  The driver decides by the flags of the
 * events on the PMU.  Members have none, as perf core has no mapping of them, and other groups may
 * count by the same counter.
 */
static inline bool counters_are_gated(struct pmu *pmu)
{
	return pmcgrp_core_gates_counters() &&
	       pmcgrp_pmuver_gates_counters(to_arm_pmu(pmu)->pmuver);
}

static inline void clock_init(struct pmcgrp_user_clock *clock)
{
	u32 rate = arch_timer_get_cntfrq();

	/* The same factor as in kernel/time/sched_clock.c, which does not export it. */
	clocks_calc_mult_shift(&clock->mult, &clock->shift, rate, NSEC_PER_SEC, 3600);
	WRITE_ONCE(clock->ticks, div_u64((u64)rate << USER_PAGE_TICK_SHIFT, NSEC_PER_SEC));
}

/* Whether it still is what clock_init() has found. */
static inline bool clock_is_good(const struct pmcgrp_user_clock *clock)
{
	return clock->mult;
}

/* The hardware clock behind local_clock(); user space reads it, too. */
static inline u64 clock_now(void)
{
	return read_sysreg(cntvct_el0);
}

static inline u32 counter_index(const struct perf_event *event)
{
	return pmcgrp_armv8_counter(event->hw.idx);
}

/* The driver returns an index only if access is allowed (armv8pmu_user_event_idx()). */
static inline bool access_is_allowed(struct pmu *pmu)
{
	return pmu->event_idx(&pmcgrp_user_reads);
}

static inline u32 why_not_here(const struct pmcgrp_user_read *user_read)
{
	return access_is_allowed(user_read->pmu) ? PMCGRP_WHY_NONE : PMCGRP_WHY_USER_READ_DENIED;
}

static inline bool registers_stay_here(const struct pmcgrp_evset *set)
{
	return true;
}

static inline bool is_open_here(const struct pmcgrp_evset *set)
{
	return true;
}

static inline void mapping_opens(struct pmu *pmu, struct vm_area_struct *vma)
{
}

static inline void mapping_closes(struct pmu *pmu, struct vm_area_struct *vma)
{
}

static inline void open_mapping(struct pmu *pmu, struct vm_area_struct *vma)
{
}

#elif defined(CONFIG_X86)

#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>
#include <asm/tsc.h>
#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "counter/counter.h"

#define OPENED_BY_CARRIER 0
#define COUNTERS_MOVE 1

/* Needs a stable TSC: local_clock() is derived from it, and user space reads it. */
static inline bool can_open(const struct pmcgrp_user_clock *clock)
{
	return clock->mult;
}

/*
 * Compute the factor from tsc_khz, as __set_cyc2ns_scale() does (arch/x86/kernel/tsc.c).  If the
 * frequency changes later, time_cpufreq_notifier() marks the TSC as unstable.
 */
static inline void clock_init(struct pmcgrp_user_clock *clock)
{
	if (!boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz || check_tsc_unstable())
		return;
	clocks_calc_mult_shift(&clock->mult, &clock->shift, tsc_khz, NSEC_PER_MSEC, MSEC_PER_SEC);
	WRITE_ONCE(clock->ticks, div_u64((u64)tsc_khz << USER_PAGE_TICK_SHIFT, NSEC_PER_MSEC));
}

/* Whether it still is what clock_init() has found: a TSC may be found unstable at any time. */
static inline bool clock_is_good(const struct pmcgrp_user_clock *clock)
{
	return clock->mult && !check_tsc_unstable();
}

static inline u64 clock_now(void)
{
	return rdtsc();
}

static inline u32 counter_index(const struct perf_event *event)
{
	return event->hw.event_base_rdpmc;
}

static inline bool counters_are_gated(struct pmu *pmu)
{
	return false;
}

static inline const struct device_attribute *attribute_of(const struct pmu *pmu, const char *name)
{
	const struct attribute_group **group;
	struct attribute **attr;

	for (group = pmu->attr_groups; group && *group; group++)
		for (attr = (*group)->attrs; attr && *attr; attr++)
			if (!strcmp((*attr)->name, name))
				return container_of(*attr, struct device_attribute, attr);
	return NULL;
}

/*
 * Only the driver's sysfs file `rdpmc` shows the setting (get_attr_rdpmc()).  If the file cannot be
 * read, assume that access is allowed: why_not_here() finds out once a user page is mapped.  A
 * count page then shows a register that cannot be read, as perf's does.
 */
static inline bool access_is_allowed(struct pmu *pmu)
{
	const struct device_attribute *rdpmc = attribute_of(pmu, "rdpmc");
	char *page = rdpmc && rdpmc->show ? (char *)get_zeroed_page(GFP_KERNEL) : NULL;
	bool allowed = true;

	if (page && rdpmc->show(pmu->dev, (struct device_attribute *)rdpmc, page) > 0)
		allowed = page[0] != '0';
	free_page((unsigned long)page);
	return allowed;
}

/* The mm of the running task decides.  Without a mapping, keep the answer so far. */
static inline u32 why_not_here(const struct pmcgrp_user_read *user_read)
{
	if (__read_cr4() & X86_CR4_PCE)
		return PMCGRP_WHY_NONE;
	if (current->mm && atomic_read(&current->mm->context.perf_rdpmc_allowed))
		return PMCGRP_WHY_USER_READ_DENIED;
	return user_read->page->why;
}

/*
 * While the PMU is disabled, the driver has not assigned counters yet; the next read() publishes,
 * or an irq_work (count_page.c).  With cgroup events on this CPU a user page stays invalid, and a
 * count page has no register: perf_cgroup_switch() changes events without scheduling out the
 * sentry.  The first one that comes is reported by newcomer.c.
 */
static inline bool registers_stay_here(const struct pmcgrp_evset *set)
{
	const struct perf_event_context *cpu_ctx = pmcgrp_cpu_ctx(set->counter[0]->pmu);

	return !pmcgrp_counters_are_held(set->counter, set->nr_hw) &&
	       !(cpu_ctx && pmcgrp_ctx_has_cgroups(cpu_ctx));
}

static inline bool is_open_here(const struct pmcgrp_evset *set)
{
	return __read_cr4() & X86_CR4_PCE && !check_tsc_unstable() && registers_stay_here(set);
}

/* The driver requires mmap_lock, which is held for writing. */
static inline void mapping_opens(struct pmu *pmu, struct vm_area_struct *vma)
{
	pmu->event_mapped(&pmcgrp_user_reads, vma->vm_mm);
}

/* Called once for each open, also of mremap(); at the latest when the mm ends. */
static inline void mapping_closes(struct pmu *pmu, struct vm_area_struct *vma)
{
	pmu->event_unmapped(&pmcgrp_user_reads, vma->vm_mm);
}

static inline void user_page_opens(struct vm_area_struct *vma)
{
	mapping_opens(vma->vm_private_data, vma);
}

static inline void user_page_closes(struct vm_area_struct *vma)
{
	mapping_closes(vma->vm_private_data, vma);
}

static const struct vm_operations_struct mapping_ops = {
	.open = user_page_opens,
	.close = user_page_closes,
};

static inline void open_mapping(struct pmu *pmu, struct vm_area_struct *vma)
{
	if (!pmu)
		return;
	vma->vm_private_data = pmu;
	vma->vm_ops = &mapping_ops;
	mapping_opens(pmu, vma);
}

#else

#define OPENED_BY_CARRIER 0
#define COUNTERS_MOVE 0

static inline bool can_open(const struct pmcgrp_user_clock *clock)
{
	return false;
}

static inline void clock_init(struct pmcgrp_user_clock *clock)
{
}

static inline bool clock_is_good(const struct pmcgrp_user_clock *clock)
{
	return false;
}

static inline u64 clock_now(void)
{
	return 0;
}

static inline u32 counter_index(const struct perf_event *event)
{
	return 0;
}

static inline bool counters_are_gated(struct pmu *pmu)
{
	return false;
}

static inline bool access_is_allowed(struct pmu *pmu)
{
	return false;
}

static inline u32 why_not_here(const struct pmcgrp_user_read *user_read)
{
	return PMCGRP_WHY_USER_READ_UNSUPPORTED;
}

static inline bool registers_stay_here(const struct pmcgrp_evset *set)
{
	return false;
}

static inline bool is_open_here(const struct pmcgrp_evset *set)
{
	return false;
}

static inline void mapping_opens(struct pmu *pmu, struct vm_area_struct *vma)
{
}

static inline void mapping_closes(struct pmu *pmu, struct vm_area_struct *vma)
{
}

static inline void open_mapping(struct pmu *pmu, struct vm_area_struct *vma)
{
}

#endif

#endif /* PMCGRP_USER_READ_H */
