/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between kernel versions, each under the newest kernel's name
 * and with the reason.  No other file may look at LINUX_VERSION_CODE.
 */
#ifndef PMCGRP_COMPAT_H
#define PMCGRP_COMPAT_H

#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "pmcgrp needs Linux 6.1 or newer"
#endif

/* 6.6 brought __counted_by(), and stable kernels before may lack it. */
#ifndef __counted_by
#define __counted_by(...)
#endif

/*
 * hrtimer_setup() came with 6.13; before, the callback was set by hand after
 * hrtimer_init().
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/*
 * The depth at which this CPU's part of a PMU is disabled, the one that perf
 * core's static perf_pmu_disable() and perf_pmu_enable() count with
 * (kernel/events/core.c).  Sharing it is what makes pmcgrp's own sections nest
 * in perf core's; a kernel that moves it again fails to build here.
 */
static inline int *pmcgrp_pmu_disable_count(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	return this_cpu_ptr(pmu->pmu_disable_count);
#else
	return &(*this_cpu_ptr(pmu->cpu_pmu_context))->pmu_disable_count;
#endif
}

/*
 * Without a device in sysfs nobody can write the PMU's perf_event_mux_interval_ms,
 * which arms per-CPU hrtimers that perf_pmu_unregister() frees without cancelling
 * them.  6.8 brought that choice; before, the timers of a software PMU stay idle.
 */
#ifdef PMU_NULL_DEV
#define PMCGRP_PMU_DEV	PMU_NULL_DEV
#else
#define PMCGRP_PMU_DEV	NULL
#endif

/*
 * Before 6.2 a task's software context keeps a pointer to the PMU of its first
 * event for as long as the task lives (alloc_perf_context()); a carrier's would
 * dangle once the module is gone.  An event of core's own PMU has to come first.
 */
static inline int pmcgrp_prime_task(struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_DUMMY,
		.disabled	= 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, task, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
#endif
	return 0;
}

#endif /* PMCGRP_COMPAT_H */
