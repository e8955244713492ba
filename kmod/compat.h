/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between kernel versions, each under the newest kernel's name
 * and with the reason.  No other file may look at LINUX_VERSION_CODE.
 */
#ifndef PMCGRP_COMPAT_H
#define PMCGRP_COMPAT_H

#include <linux/version.h>

/*
 * What a kernel must have, said by #error: `needs` beside this file compiles it for
 * the sake of these, with no header but the one above and the configuration.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "pmcgrp needs Linux 6.1 or newer: use a newer kernel and its headers"
#endif
#ifndef CONFIG_PERF_EVENTS
#error "pmcgrp needs CONFIG_PERF_EVENTS: use a kernel that is built with it"
#endif

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/kernel_stat.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/timer.h>
#ifdef CONFIG_ARM64
#include <asm/cpufeature.h>
#elif defined(PMCGRP_CPUID_API)
#include <asm/cpuid/api.h> /* cpuid_eax(), since 6.15 */
#elif defined(CONFIG_X86)
#include <asm/processor.h>
#endif

/* 6.6 brought __counted_by(), and stable kernels before may lack it. */
#ifndef __counted_by
#define __counted_by(...)
#endif

/*
 * What is on the stack is cleared where the kernel is built to (CONFIG_INIT_STACK_ALL_ZERO);
 * this is not, for it is large, on a path that is called often, and written before it is read.
 */
#ifndef __uninitialized
#define __uninitialized __attribute__((__uninitialized__))
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
 * Which counter of an Armv8 PMU an event's hw.idx stands for; 31: that of cycles.
 * 6.12 made the two the same (drivers/perf/arm_pmuv3.c); before, the cycle counter had
 * index 0 and the others followed.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
static inline int pmcgrp_armv8_counter(int idx)
{
	return (idx - 1) & 31;
}
#else
static inline int pmcgrp_armv8_counter(int idx)
{
	return idx;
}
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
/* perf core's per-CPU part of a PMU. */
static inline struct perf_cpu_pmu_context *pmcgrp_cpc(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	return this_cpu_ptr(pmu->cpu_pmu_context);
#else
	return *this_cpu_ptr(pmu->cpu_pmu_context);
#endif
}
#endif

/*
 * Whether flexible events of a PMU wait for their turn on this CPU, and so perf core
 * rotates: pmu_ctx->rotate_necessary (kernel/events/core.c: merge_sched_in(),
 * __pmu_ctx_sched_out()) of the CPU's or the running task's events.
 */
static inline bool pmcgrp_perf_waits(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_cpu_context *cpc = this_cpu_ptr(pmu->pmu_cpu_context);

	return cpc->ctx.rotate_necessary || (cpc->task_ctx && cpc->task_ctx->rotate_necessary);
#else
	struct perf_cpu_pmu_context *cpc = pmcgrp_cpc(pmu);

	return cpc->epc.rotate_necessary || (cpc->task_epc && cpc->task_epc->rotate_necessary);
#endif
}

/*
 * Whether perf core's timer for that runs: flexible events of some task or of this CPU
 * have waited since its last turn (perf_mux_hrtimer_restart()).
 */
static inline bool pmcgrp_perf_rotates(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return READ_ONCE(this_cpu_ptr(pmu->pmu_cpu_context)->hrtimer_active);
#else
	return READ_ONCE(pmcgrp_cpc(pmu)->hrtimer_active);
#endif
}

/* How many of the events in a list of groups that are on count on a PMU. */
static inline unsigned int pmcgrp_count_active(const struct list_head *active,
					       const struct pmu *pmu)
{
	struct perf_event *leader, *event;
	unsigned int nr = 0;

	list_for_each_entry(leader, active, active_list) {
		nr += leader->pmu == pmu;
		for_each_sibling_event(event, leader)
			nr += event->pmu == pmu && event->state == PERF_EVENT_STATE_ACTIVE;
	}
	return nr;
}

/*
 * Whether flexible events of perf's are on a PMU here, the CPU's or the running task's. A sentry
 * of this module's (carrier.c) is among that PMU's and none of its events.
 */
static inline bool pmcgrp_perf_is_on(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_cpu_context *cpc = this_cpu_ptr(pmu->pmu_cpu_context);

	return !list_empty(&cpc->ctx.flexible_active) ||
	       (cpc->task_ctx && !list_empty(&cpc->task_ctx->flexible_active));
#else
	struct perf_cpu_pmu_context *cpc = pmcgrp_cpc(pmu);

	return pmcgrp_count_active(&cpc->epc.flexible_active, pmu) ||
	       (cpc->task_epc && pmcgrp_count_active(&cpc->task_epc->flexible_active, pmu));
#endif
}

/*
 * How many events of perf's are on a PMU here, the CPU's and the running task's.  The
 * lists change on this CPU only, with interrupts off, as they have to be here.
 */
static inline unsigned int pmcgrp_perf_holds(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_cpu_context *cpc = this_cpu_ptr(pmu->pmu_cpu_context);
	struct perf_event_context *member_values = &cpc->ctx, *task = cpc->task_ctx;
#else
	struct perf_cpu_pmu_context *cpc = pmcgrp_cpc(pmu);
	struct perf_event_pmu_context *member_values = &cpc->epc, *task = cpc->task_epc;
#endif
	unsigned int nr = pmcgrp_count_active(&member_values->pinned_active, pmu) +
			  pmcgrp_count_active(&member_values->flexible_active, pmu);

	if (task)
		nr += pmcgrp_count_active(&task->pinned_active, pmu) +
		      pmcgrp_count_active(&task->flexible_active, pmu);
	return nr;
}

/*
 * Whether the NMI watchdog's event is on a PMU here. Nobody says which that is, but of all that is
 * pinned on a CPU it alone is the kernel's own, interrupts, and has a handler without a context
 * (kernel/watchdog_perf.c: hardlockup_detector_event_create()).
 */
static inline bool pmcgrp_perf_is_watchdog(const struct perf_event *event)
{
	/* kernel/events/core.c: is_kernel_event() */
	return (unsigned long)READ_ONCE(event->owner) == ~0UL && event->attr.sample_period &&
	       !event->overflow_handler_context;
}

static inline bool pmcgrp_perf_has_watchdog(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	const struct list_head *active = &this_cpu_ptr(pmu->pmu_cpu_context)->ctx.pinned_active;
#else
	const struct list_head *active = &pmcgrp_cpc(pmu)->epc.pinned_active;
#endif
	const struct perf_event *leader;

	list_for_each_entry(leader, active, active_list)
		if (leader->pmu == pmu && pmcgrp_perf_is_watchdog(leader))
			return true;
	return false;
}

/* The running task's events of hardware PMUs; since 6.2 a task has one context. */
static inline struct perf_event_context *pmcgrp_current_ctx(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return current->perf_event_ctxp[perf_hw_context];
#else
	return current->perf_event_ctxp;
#endif
}

/*
 * Since 6.2 perf core takes out all flexible events of a CPU before those of a task
 * come in among which there are pinned ones (perf_event_context_sched_in()); before, only
 * those of the same kind of PMU, of which a carrier is not.
 */
static inline bool pmcgrp_core_makes_way(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0);
}

/*
 * Whether a task has one context for the events of all PMUs, since 6.2: so those that user space
 * reads count for the driver of a PMU that they are no events of.
 */
static inline bool pmcgrp_core_has_one_context(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0);
}

/*
 * Whether an event may be among those of another PMU than its own. Since 6.15 not: each PMU has
 * a list of its events with a lock of its own (perf_event_create_kernel_counter(), _free_event()),
 * and an event has to leave it by the PMU by which it came.
 */
static inline bool pmcgrp_core_lets_events_move(void)
{
	return pmcgrp_core_has_one_context() && LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0);
}

/* Whether there are events of cgroups on this context's CPU. */
static inline bool pmcgrp_ctx_has_cgroups(const struct perf_event_context *ctx)
{
#ifdef CONFIG_CGROUP_PERF
	return ctx->nr_cgroups;
#else
	return false;
#endif
}

/*
 * Bits of perf_event_context.is_active: pinned or flexible events are in, or are
 * about to come in (kernel/events/core.c: enum event_type_t, ctx_sched_out()).
 */
#define PMCGRP_EVENT_FLEXIBLE 0x1
#define PMCGRP_EVENT_PINNED 0x2

/* Whether a PMU has events of this CPU, as one with counters here has. */
static inline bool pmcgrp_pmu_is_used_here(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return this_cpu_ptr(pmu->pmu_cpu_context)->ctx.nr_events;
#else
	return pmcgrp_cpc(pmu)->epc.nr_events;
#endif
}

/* perf_event.hw.interrupts of an event that is throttled: kernel/events/core.c alone has it. */
#define PMCGRP_MAX_INTERRUPTS (~0ULL)

/* 6.3 let nobody write vm_flags directly any more. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set,
				unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/*
 * Since 6.19 the callbacks are told of what they were registered with; so they are in stable
 * releases of older series (6.12.117 of them), hence Kbuild looks for it.
 */
#ifndef PMCGRP_STRUCT_SYSCORE
#define PMCGRP_SYSCORE_ARG void
#define PMCGRP_SYSCORE(name, on_suspend, on_resume) \
	static struct syscore_ops name = { .suspend = on_suspend, .resume = on_resume }
#define register_syscore register_syscore_ops
#define unregister_syscore unregister_syscore_ops
#else
#define PMCGRP_SYSCORE_ARG void *data
#define PMCGRP_SYSCORE(name, on_suspend, on_resume)    \
	static const struct syscore_ops name##_ops = { \
		.suspend = on_suspend,                 \
		.resume = on_resume,                   \
	};                                             \
	static struct syscore name = { .ops = &name##_ops }
#endif

/* Named so since 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_delete_sync del_timer_sync
#endif

/*
 * Without a device in sysfs nobody can write the PMU's perf_event_mux_interval_ms,
 * which arms per-CPU hrtimers that perf_pmu_unregister() frees without cancelling
 * them.  6.8 brought that choice; before, the timers of a software PMU stay idle.
 */
#ifdef PMU_NULL_DEV
#define PMCGRP_PMU_DEV PMU_NULL_DEV
#else
#define PMCGRP_PMU_DEV NULL
#endif

/*
 * Before 6.2 all hardware PMUs of a machine share one context, which only those may
 * that say that they belong to different kinds of core; 6.2 gave each a context of
 * its own, and the word went away.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define PMCGRP_PMU_CAP_SHARED_HW_CONTEXT PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define PMCGRP_PMU_CAP_SHARED_HW_CONTEXT 0
#endif

/*
 * perf core's timer for rotation goes on for an interval after a PMU's last event is
 * gone, and since 6.2 perf_pmu_unregister() frees it without cancelling it.  (Before,
 * it belongs to a context that stays.)  To be called with no events left.
 */
static inline void pmcgrp_pmu_cancel_timers(struct pmu *pmu)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(&(*per_cpu_ptr(pmu->cpu_pmu_context, cpu))->hrtimer);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(pmu->cpu_pmu_context, cpu)->hrtimer);
#endif
}

/*
 * Before 6.2 a task's software context keeps a pointer to the PMU of its first
 * event for as long as the task lives (alloc_perf_context()); a carrier's would
 * dangle once the module is gone.  An event of core's own PMU has to come first, if there has
 * been none: a context that is there is of one of these, or of another PMU that stays.
 */
static inline int pmcgrp_prime_task(struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	struct perf_event *event;

	if (READ_ONCE(task->perf_event_ctxp[perf_sw_context]))
		return 0;
	event = perf_event_create_kernel_counter(&attr, -1, task, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
#endif
	return 0;
}

/*
 * How many NMIs this CPU has taken; with interrupts off nothing else adds to it.  Where they
 * are interrupts of a higher priority (arm64), they are counted with the others
 * (kernel/irq/chip.c: handle_percpu_devid_fasteoi_nmi()).  7.2 has x86's counts in an array.
 */
static __always_inline unsigned int pmcgrp_nmis_here(void)
{
#if defined(CONFIG_X86) && defined(PMCGRP_IRQ_COUNTS)
	return this_cpu_read(irq_stat.counts[IRQ_COUNT_NMI]);
#elif defined(CONFIG_X86)
	return this_cpu_read(irq_stat.__nmi_count);
#elif defined(CONFIG_ARM64)
	return system_uses_irq_prio_masking() ? this_cpu_read(kstat.irqs_sum) : 0;
#else
	return this_cpu_read(kstat.irqs_sum);
#endif
}

#endif /* PMCGRP_COMPAT_H */
