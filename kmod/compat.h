/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All differences between kernel versions.  Each has the name of the newest kernel, and a
 * reason.  No other file may use LINUX_VERSION_CODE.
 */
#ifndef PMCGRP_COMPAT_H
#define PMCGRP_COMPAT_H

#include <linux/version.h>

/*
 * What a kernel must have, checked by #error.  The script `needs` beside this file preprocesses
 * it to find these errors; it gives no header but the one above and the configuration.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "pmcgrp needs Linux 6.1 or newer: use a newer kernel and its headers"
#endif
#ifndef CONFIG_PERF_EVENTS
#error "pmcgrp needs CONFIG_PERF_EVENTS: use a kernel that is built with it"
#endif
#ifndef CONFIG_TRACEPOINTS
#error "pmcgrp needs CONFIG_TRACEPOINTS: use a kernel that is built with it"
#endif

#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/kernel_stat.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/percpu.h>
#ifdef CONFIG_ARM64
#include <linux/perf/arm_pmu.h>
#endif
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#ifdef PMCGRP_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif
#include <linux/sched/user.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/uprobes.h>
#ifdef CONFIG_ARM64
#include <asm/cpufeature.h>
#elif defined(PMCGRP_CPUID_API)
#include <asm/cpuid/api.h> /* cpuid_eax(), since 6.15 */
#elif defined(CONFIG_X86)
#include <asm/processor.h>
#endif

/* Since 6.6; some earlier stable kernels have it, too. */
#ifndef __counted_by
#define __counted_by(...)
#endif

/* The file that fdget() has found; since 6.12. */
#ifndef fd_file
#define fd_file(f) ((f).file)
#endif

/*
 * Do not clear this variable on the stack with CONFIG_INIT_STACK_ALL_ZERO: it is large, on a
 * frequent path, and written before it is read.
 */
#ifndef __uninitialized
#define __uninitialized __attribute__((__uninitialized__))
#endif

/* Since 6.13.  Before, hrtimer_init() was called, and the callback assigned to the timer. */
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
 * How often this CPU's part of a PMU is disabled: the count of perf core's static
 * perf_pmu_disable() and perf_pmu_enable() (kernel/events/core.c).  Sections of this module use
 * the same count, so they nest in perf core's.  A kernel that moves the field again fails to
 * build here.
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
 * Number of the counter that hw.idx of an Armv8 event stands for; 31 is the cycle counter.
 * Since 6.12 both are the same (drivers/perf/arm_pmuv3.c).  Before, the cycle counter had index
 * 0, and the others followed.
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

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)
/*
 * Count the event counters of an Arm PMU, those for cycles or instructions alone left out.  Since
 * 6.12 the driver has a bit for each counter; before, their number, with that of cycles
 * (drivers/perf/arm_pmuv3.c: __armv8pmu_probe_pmu()).
 */
static inline unsigned int pmcgrp_armv8_counters(const struct pmu *pmu)
{
	const struct arm_pmu *arm = container_of(pmu, struct arm_pmu, pmu);

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	return arm->num_events - 1;
#else
	return bitmap_weight(arm->cntr_mask, 31);
#endif
}
#else
static inline unsigned int pmcgrp_armv8_counters(const struct pmu *pmu)
{
	return 0;
}
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
/* Get perf core's per-CPU part of a PMU. */
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
 * Get this CPU's context of a PMU's events.  Since 6.2 all PMUs have one in common, which the
 * PMU's part points to as long as it has events there (find_get_pmu_context(), put_pmu_ctx());
 * otherwise the result is NULL.  The context itself stays.
 */
static inline struct perf_event_context *pmcgrp_cpu_ctx(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return &this_cpu_ptr(pmu->pmu_cpu_context)->ctx;
#else
	return READ_ONCE(pmcgrp_cpc(pmu)->epc.ctx);
#endif
}

/*
 * Check whether all CPUs that are online count an event by its PMU.  On a hybrid machine each kind
 * of core has a PMU of its own.  Before 6.2 a PMU only said so of the CPU that asked.
 *
 * Context: may sleep.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
struct pmcgrp_filter {
	struct perf_event *event;
	bool refused;
};

static inline void pmcgrp_filter_here(void *info)
{
	struct pmcgrp_filter *filter = info;

	if (!filter->event->pmu->filter_match(filter->event))
		WRITE_ONCE(filter->refused, true);
}

static inline bool pmcgrp_event_is_of_all_cpus(struct perf_event *event)
{
	struct pmcgrp_filter filter = { .event = event };

	if (event->pmu->filter_match)
		on_each_cpu(pmcgrp_filter_here, &filter, true);
	return !filter.refused;
}
#else
static inline bool pmcgrp_event_is_of_all_cpus(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	int cpu;

	if (!pmu->filter)
		return true;
	for_each_online_cpu(cpu)
		if (pmu->filter(pmu, cpu))
			return false;
	return true;
}
#endif

/*
 * Get the CPUs of which one counts for all, by what a PMU's driver says of its scope (since 6.12;
 * kernel/events/core.c: perf_scope_cpu_topology_cpumask()).  perf core's own mask of those that
 * count may have more of them: on arm64 it is made before the topology is known.  NULL: the driver
 * does not say, or modules cannot look it up.
 */
static inline const struct cpumask *pmcgrp_pmu_scope(const struct pmu *pmu, int cpu)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	switch (pmu->scope) {
	case PERF_PMU_SCOPE_CORE:
		return topology_sibling_cpumask(cpu);
	case PERF_PMU_SCOPE_DIE:
		return topology_die_cpumask(cpu);
	case PERF_PMU_SCOPE_PKG:
		return topology_core_cpumask(cpu);
	case PERF_PMU_SCOPE_SYS_WIDE:
		return cpu_online_mask;
	}
#endif
	return NULL;
}

/*
 * Check whether flexible perf events of a PMU have waited on this CPU, so that perf core rotates.
 * This is pmu_ctx->rotate_necessary, of the CPU's or the running task's events
 * (kernel/events/core.c: merge_sched_in(), __pmu_ctx_sched_out()).  It outlives those that have
 * waited, for up to an interval, as long as the PMU has other events there, enabled or not
 * (event_sched_out(), __perf_remove_from_context()).
 */
static inline bool pmcgrp_perf_has_waited(struct pmu *pmu)
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
 * Check whether a leader is among the events of a PMU.  Since 6.2 that of a mixed group, which may
 * be a software event, is in the list of its members' PMU.  Before, all hardware PMUs had one.
 */
static inline bool pmcgrp_leader_is_of(const struct perf_event *leader, const struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return true;
#else
	return leader->pmu_ctx && leader->pmu_ctx->pmu == pmu;
#endif
}

/*
 * Check whether perf core's rotation timer of a PMU runs on this CPU.  Then flexible events of a
 * task or of the CPU have waited since it last expired (perf_mux_hrtimer_restart()).
 */
static inline bool pmcgrp_perf_rotates(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return READ_ONCE(this_cpu_ptr(pmu->pmu_cpu_context)->hrtimer_active);
#else
	return READ_ONCE(pmcgrp_cpc(pmu)->hrtimer_active);
#endif
}

/* Count the events of a PMU in a list of active groups. */
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
 * Check whether flexible perf events of the CPU or the running task are on a PMU here.  A sentry
 * of this module (carrier.c) is in that PMU's list, but has another event->pmu.
 */
static inline bool pmcgrp_perf_is_on(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_cpu_context *cpc = this_cpu_ptr(pmu->pmu_cpu_context);

	return pmcgrp_count_active(&cpc->ctx.flexible_active, pmu) ||
	       (cpc->task_ctx && pmcgrp_count_active(&cpc->task_ctx->flexible_active, pmu));
#else
	struct perf_cpu_pmu_context *cpc = pmcgrp_cpc(pmu);

	return pmcgrp_count_active(&cpc->epc.flexible_active, pmu) ||
	       (cpc->task_epc && pmcgrp_count_active(&cpc->task_epc->flexible_active, pmu));
#endif
}

/* Check whether flexible perf events of the CPU are on a PMU here, or wait for it. */
static inline bool pmcgrp_cpu_ctx_competes(struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_cpu_context *cpc = this_cpu_ptr(pmu->pmu_cpu_context);

	return cpc->ctx.rotate_necessary || !list_empty(&cpc->ctx.flexible_active);
#else
	struct perf_cpu_pmu_context *cpc = pmcgrp_cpc(pmu);

	return cpc->epc.rotate_necessary || pmcgrp_count_active(&cpc->epc.flexible_active, pmu);
#endif
}

/* Lists of groups that pmcgrp_active_lists() finds. */
#define PMCGRP_ACTIVE_LISTS 4

/*
 * Find the lists of active groups that events of a PMU may be in here: the CPU's and the running
 * task's, pinned and flexible.  Return how many there are.  The caller has interrupts off: they and
 * the groups in them change on this CPU only, with interrupts off (kernel/events/core.c:
 * group_sched_in(), group_sched_out(), perf_group_attach(), perf_group_detach()).
 */
static inline unsigned int pmcgrp_active_lists(struct pmu *pmu,
					       const struct list_head *list[PMCGRP_ACTIVE_LISTS])
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_cpu_context *cpc = this_cpu_ptr(pmu->pmu_cpu_context);
	struct perf_event_context *cpu_ctx = &cpc->ctx, *task = cpc->task_ctx;
#else
	struct perf_cpu_pmu_context *cpc = pmcgrp_cpc(pmu);
	struct perf_event_pmu_context *cpu_ctx = &cpc->epc, *task = cpc->task_epc;
#endif

	list[0] = &cpu_ctx->pinned_active;
	list[1] = &cpu_ctx->flexible_active;
	if (!task)
		return 2;
	list[2] = &task->pinned_active;
	list[3] = &task->flexible_active;
	return 4;
}

/*
 * Count the perf events of the CPU and the running task that are on a PMU here.  The caller has
 * interrupts off, as for pmcgrp_active_lists().
 */
static inline unsigned int pmcgrp_perf_holds(struct pmu *pmu)
{
	const struct list_head *list[PMCGRP_ACTIVE_LISTS];
	unsigned int lists = pmcgrp_active_lists(pmu, list), nr = 0;

	while (lists--)
		nr += pmcgrp_count_active(list[lists], pmu);
	return nr;
}

/* Check whether the kernel or a module has made an event, not a process. */
static inline bool pmcgrp_event_is_kernels(const struct perf_event *event)
{
	/* kernel/events/core.c: is_kernel_event() */
	return (unsigned long)READ_ONCE(event->owner) == ~0UL;
}

/*
 * Check whether an event is the NMI watchdog's.  It is not exported.  But among the pinned events
 * of a CPU, only the watchdog's belongs to the kernel, samples, and has an overflow handler
 * without a context (kernel/watchdog_perf.c: hardlockup_detector_event_create()).
 */
static inline bool pmcgrp_perf_is_watchdog(const struct perf_event *event)
{
	return pmcgrp_event_is_kernels(event) && event->attr.sample_period &&
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

/* Get a task's context of hardware events; since 6.2 a task has only one context. */
static __always_inline struct perf_event_context *
pmcgrp_task_ctx(const struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return READ_ONCE(task->perf_event_ctxp[perf_hw_context]);
#else
	return READ_ONCE(task->perf_event_ctxp);
#endif
}

/* Get a task's context of software events, which carriers are in. */
static inline struct perf_event_context *pmcgrp_task_software_ctx(const struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return READ_ONCE(task->perf_event_ctxp[perf_sw_context]);
#else
	return pmcgrp_task_ctx(task);
#endif
}

static inline struct perf_event_context *pmcgrp_current_ctx(void)
{
	return pmcgrp_task_ctx(current);
}

/*
 * Head of a probe function for the tracepoint sched_switch.  Its arguments have been the same since
 * 5.18 (include/trace/events/sched.h).  With kCFI its type has to be exact.
 */
#define PMCGRP_SWITCH_PROBE(name)                                                               \
	void name(void *data, bool preempt, struct task_struct *prev, struct task_struct *next, \
		  unsigned int prev_state)

/*
 * The same for task_newtask, in whose last argument the flags have been u64 since 7.0
 * (include/trace/events/task.h), and for sched_process_free.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define PMCGRP_NEWTASK_PROBE(name) \
	void name(void *data, struct task_struct *task, unsigned long clone_flags)
#else
#define PMCGRP_NEWTASK_PROBE(name) \
	void name(void *data, struct task_struct *task, u64 clone_flags)
#endif

#define PMCGRP_FREE_PROBE(name) void name(void *data, struct task_struct *task)

/* The same for sched_process_exec, whose arguments have been the same since 3.4. */
#define PMCGRP_EXEC_PROBE(name)                                                          \
	void name(void *data, struct task_struct *task, pid_t old_pid,                   \
		  struct linux_binprm *bprm)

/* The same for cgroup_attach_task, whose arguments have been the same since 4.19. */
#define PMCGRP_ATTACH_PROBE(name)                                                        \
	void name(void *data, struct cgroup *to, const char *path, struct task_struct *task, \
		  bool threadgroup)

/*
 * Whether a function that takes fewer arguments than a tracepoint has, or takes them as words, can
 * be its probe: span_tracepoint.c says by what.  CFI forbids it; before 6.18 it had another name.
 */
#if (defined(CONFIG_X86_64) || defined(CONFIG_ARM64)) && !defined(CONFIG_CFI) && \
	!defined(CONFIG_CFI_CLANG)
#define PMCGRP_PROBES_OF_ANY_TYPE true
#else
#define PMCGRP_PROBES_OF_ANY_TYPE false
#endif

/*
 * Check whether the running task is like any other to its user, not as one that has executed a
 * set-uid program.  By 7.2 that has moved from the memory map (get_dumpable()) to the task
 * (linux/sched/exec_state.h), and the function that reads it is not exported.
 */
static inline bool pmcgrp_current_is_dumpable(void)
{
#ifndef PMCGRP_EXEC_STATE
	return get_dumpable(current->mm) == SUID_DUMP_USER;
#else
	bool dumpable;

	rcu_read_lock();
	dumpable = READ_ONCE(rcu_dereference(current->exec_state)->dumpable) ==
		   TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return dumpable;
#endif
}

#ifdef CONFIG_UPROBES
/*
 * Heads of the functions of a consumer of uprobes: of a hit, and of its filter.  Since 6.13 the
 * first gets where a function's return could find what it keeps.  Before 6.12 the filter was
 * got why.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define PMCGRP_UPROBE_HIT(name) \
	int name(struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *data)
#else
#define PMCGRP_UPROBE_HIT(name) \
	int name(struct uprobe_consumer *consumer, struct pt_regs *regs)
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define PMCGRP_UPROBE_FILTER(name) \
	bool name(struct uprobe_consumer *consumer, struct mm_struct *mm)
#else
#define PMCGRP_UPROBE_FILTER(name)                                              \
	bool name(struct uprobe_consumer *consumer, enum uprobe_filter_ctx ctx, \
		  struct mm_struct *mm)
#endif

/*
 * Add a consumer to the uprobe of a place in a file, and remove it.  Since 6.12 the kernel gives a
 * handle for that.  Its handlers may run until pmcgrp_uprobe_unregister_sync(), which before 6.12
 * was a part of the removal.
 *
 * Context: may sleep; the caller holds a reference of the file.
 */
static inline int pmcgrp_uprobe_register(struct uprobe **uprobe, struct inode *inode,
					 loff_t offset, struct uprobe_consumer *consumer)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	*uprobe = uprobe_register(inode, offset, 0, consumer);
	return PTR_ERR_OR_ZERO(*uprobe);
#else
	return uprobe_register(inode, offset, consumer);
#endif
}

static inline void pmcgrp_uprobe_unregister(struct uprobe *uprobe, struct inode *inode,
					    loff_t offset, struct uprobe_consumer *consumer)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_nosync(uprobe, consumer);
#else
	uprobe_unregister(inode, offset, consumer);
#endif
}

static inline void pmcgrp_uprobe_unregister_sync(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	uprobe_unregister_sync();
#endif
}
#endif /* CONFIG_UPROBES */

/* Check whether a task may have perf events while it runs.  In 6.1 those of hardware alone. */
static inline bool pmcgrp_task_has_perf_events(const struct task_struct *task)
{
	const struct perf_event_context *ctx = pmcgrp_task_ctx(task);

	return ctx && READ_ONCE(ctx->nr_events);
}

/* Check whether a switch is one between perf's cgroups (kernel/events/core.c counts these). */
static inline bool pmcgrp_tasks_differ_in_cgroup(struct task_struct *prev, struct task_struct *next)
{
#ifdef CONFIG_CGROUP_PERF
	return perf_cgroup_from_task(prev, NULL) != perf_cgroup_from_task(next, NULL);
#else
	return false;
#endif
}

#ifdef CONFIG_CGROUPS
/*
 * The cgroup by which perf events distinguish tasks, in an RCU section: of version 1 if a
 * hierarchy of that has the controller perf_event, or else of version 2.  There perf core goes by
 * the nearest cgroup with a state of the controller.  No cgroup has one before the first write to
 * cgroup.subtree_control of the root (kernel/cgroup/cgroup.c: cgroup_calc_subtree_ss_mask()).
 */
static inline struct cgroup *pmcgrp_task_cgroup(struct task_struct *task)
{
#ifdef CONFIG_CGROUP_PERF
	struct cgroup *cgroup = perf_cgroup_from_task(task, NULL)->css.cgroup;

	if (cgroup->root != &cgrp_dfl_root)
		return cgroup;
#endif
	return task_dfl_cgroup(task);
}

static inline struct cgroup *pmcgrp_task_dfl_cgroup(struct task_struct *task)
{
	return task_dfl_cgroup(task);
}

static inline struct cgroup *pmcgrp_cgroup_get(int fd)
{
	return cgroup_get_from_fd(fd);
}

static inline void pmcgrp_cgroup_hold(struct cgroup *cgroup)
{
	cgroup_get(cgroup);
}

static inline void pmcgrp_cgroup_put(struct cgroup *cgroup)
{
	cgroup_put(cgroup);
}

static inline u64 pmcgrp_cgroup_id(const struct cgroup *cgroup)
{
	return cgroup_id(cgroup);
}

static inline int pmcgrp_cgroup_level(const struct cgroup *cgroup)
{
	return cgroup->level;
}

static inline struct cgroup *pmcgrp_cgroup_ancestor(struct cgroup *cgroup, int level)
{
	return cgroup->ancestors[level];
}
#else
static inline struct cgroup *pmcgrp_task_cgroup(struct task_struct *task)
{
	return NULL;
}

static inline struct cgroup *pmcgrp_task_dfl_cgroup(struct task_struct *task)
{
	return NULL;
}

static inline struct cgroup *pmcgrp_cgroup_get(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void pmcgrp_cgroup_hold(struct cgroup *cgroup)
{
}

static inline void pmcgrp_cgroup_put(struct cgroup *cgroup)
{
}

static inline u64 pmcgrp_cgroup_id(const struct cgroup *cgroup)
{
	return 0;
}

static inline int pmcgrp_cgroup_level(const struct cgroup *cgroup)
{
	return 0;
}

static inline struct cgroup *pmcgrp_cgroup_ancestor(struct cgroup *cgroup, int level)
{
	return cgroup;
}
#endif

/* Check whether a task is on a CPU: with one CPU only the running task is. */
static inline bool pmcgrp_task_is_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

/*
 * Check whether a task has exited, as its parent sees it, and is still to be switched from for the
 * last time.
 */
static inline bool pmcgrp_task_is_leaving(const struct task_struct *task)
{
	if (likely(!READ_ONCE(task->exit_state)))
		return false;
	if (READ_ONCE(task->__state) != TASK_DEAD)
		return true;
	smp_rmb(); /* do_task_dead(): it is on its CPU when it changes its state */
	return pmcgrp_task_is_on_cpu(task);
}

/*
 * Check whether perf core takes out flexible events of other PMUs to make room for pinned ones.
 * Since 6.2 it takes out all flexible events of the CPU before a task with pinned events comes
 * in (perf_event_context_sched_in()).  Before, it took out those of the same kind of PMU, and
 * the carriers' PMU is of another kind.
 */
static inline bool pmcgrp_core_makes_way(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0);
}

/*
 * Check whether a task has one context for the events of all PMUs, as since 6.2.  Then an event
 * that user space reads is in the nr_user that every PMU's driver sees.
 */
static inline bool pmcgrp_core_has_one_context(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0);
}

/*
 * Check whether perf core may hand a PMU over to a KVM guest, with what is programmed in it: since
 * 6.19, for guests with a mediated vPMU.  perf_load_guest_context() takes the PMU's exclude_guest
 * events out (ctx_sched_out() with EVENT_GUEST), by its own lists, in which counters of this module
 * are not.  All other events of the PMU exclude such guests, whether enabled or not:
 * mediated_pmu_account_event() counts them when they are made, and perf_create_mediated_pmu()
 * refuses the guest while there are any (kernel/events/core.c).
 */
static inline bool pmcgrp_core_lends_to_guests(const struct pmu *pmu)
{
#if defined(PERF_PMU_CAP_MEDIATED_VPMU) && defined(CONFIG_PERF_GUEST_MEDIATED_PMU)
	return pmu->capabilities & PERF_PMU_CAP_MEDIATED_VPMU;
#else
	return false;
#endif
}

/* Check whether perf core may do so with any PMU. */
static inline bool pmcgrp_core_may_lend(void)
{
#if defined(PERF_PMU_CAP_MEDIATED_VPMU) && defined(CONFIG_PERF_GUEST_MEDIATED_PMU)
	return true;
#else
	return false;
#endif
}

/*
 * Check whether Intel's driver takes config2 of a core event for acr_mask, as since 6.16: the
 * members of its perf group at whose overflow its counter is reloaded
 * (arch/x86/events/intel/core.c: intel_pmu_acr_late_setup()).
 */
static inline bool pmcgrp_core_reloads_counters(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0);
}

/*
 * Check whether Arm's driver gives user space access to each counter apart where the PMU can, as
 * since 6.13: to those of events with PERF_EVENT_FLAG_USER_READ_CNT
 * (drivers/perf/arm_pmuv3.c: armv8pmu_enable_user_access()).
 */
static inline bool pmcgrp_core_gates_counters(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0);
}

/*
 * Take an event that perf core is about to free off the list of the PMU by which it came, and put
 * the module's reference that it has since then.  Since 6.15 a PMU has a list of its events, with a
 * lock.  perf core puts the reference and the list entry by event->pmu as it was before
 * destroy() (kernel/events/core.c: __free_event()).  That must be a PMU without a module, and an
 * entry that is in no list leaves none.
 */
static inline void pmcgrp_event_leaves_pmu(struct perf_event *event, struct pmu *pmu)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	spin_lock(&pmu->events_lock);
	list_del_init(&event->pmu_list);
	spin_unlock(&pmu->events_lock);
	module_put(pmu->module);
#endif
}

/*
 * Check whether perf core takes the events of a PMU that is unregistered from whoever has them.
 * Since 6.15 (perf_pmu_unregister(), pmu_detach_events()).
 */
static inline bool pmcgrp_core_revokes(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0);
}

static inline bool pmcgrp_event_is_of_cgroup(const struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	return event->cgrp;
#else
	return false;
#endif
}

/* Get the id of the cgroup that an event counts, or 0. */
static inline u64 pmcgrp_event_cgroup_id(const struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	return event->cgrp ? pmcgrp_cgroup_id(event->cgrp->css.cgroup) : 0;
#else
	return 0;
#endif
}

/* Check whether a CPU's context has cgroup events. */
static inline bool pmcgrp_ctx_has_cgroups(const struct perf_event_context *ctx)
{
#ifdef CONFIG_CGROUP_PERF
	return ctx->nr_cgroups;
#else
	return false;
#endif
}

/*
 * Bits of perf_event_context.is_active: flexible or pinned events are in, or are about to come
 * in (kernel/events/core.c: enum event_type_t, ctx_sched_out()).
 */
#define PMCGRP_EVENT_FLEXIBLE 0x1
#define PMCGRP_EVENT_PINNED 0x2

/* perf_event.hw.interrupts of a throttled event; private to kernel/events/core.c. */
#define PMCGRP_MAX_INTERRUPTS (~0ULL)

/* Since 6.3, where vm_flags cannot be written directly. */
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
 * The user's pages of ring buffers, within what perf_event_mlock_kb allows (kernel/events/core.c:
 * perf_mmap()).  Debian's 6.1 and 6.12 count them apart from the user's other locked pages, so
 * compat.mk looks for the field.
 */
static inline atomic_long_t *pmcgrp_user_ring_pages(struct user_struct *user)
{
#ifdef PMCGRP_USER_PERF_MLOCK
	return &user->perf_mlock;
#else
	return &user->locked_vm;
#endif
}

/*
 * Since 6.19 the callbacks get a data pointer of the registration.  Stable releases of older
 * series have that as well (6.12.117, for example), so compat.mk looks for it in the headers.
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

/* Has this name since 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_delete_sync del_timer_sync
#endif

/*
 * Since 6.8 a PMU can do without a device in sysfs.  The device has perf_event_mux_interval_ms:
 * writing it arms per-CPU hrtimers, which perf_pmu_unregister() frees without cancelling them.
 * Before 6.8 the timers of a software PMU stay idle.
 */
#ifdef PMU_NULL_DEV
#define PMCGRP_PMU_DEV PMU_NULL_DEV
#else
#define PMCGRP_PMU_DEV NULL
#endif

/*
 * Before 6.2 all hardware PMUs of a machine share one context.  A second PMU is accepted only if
 * it says that it belongs to another kind of core.  Since 6.2 each PMU has its own context, and
 * the capability is gone.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define PMCGRP_PMU_CAP_SHARED_HW_CONTEXT PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define PMCGRP_PMU_CAP_SHARED_HW_CONTEXT 0
#endif

/*
 * Head of a PMU's function that shows perf core on which CPUs the PMU counts, its answer from a
 * function that says so of any CPU, and the field for it.  Since 6.2 perf core names the CPU.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define PMCGRP_PMU_FILTER(name) int name(struct perf_event *event)
#define PMCGRP_PMU_FILTER_ANSWER(counts_on) ((counts_on)(event->pmu, smp_processor_id()))
#define PMCGRP_PMU_FILTER_FIELD filter_match
#else
#define PMCGRP_PMU_FILTER(name) bool name(struct pmu *pmu, int cpu)
#define PMCGRP_PMU_FILTER_ANSWER(counts_on) (!(counts_on)(pmu, cpu))
#define PMCGRP_PMU_FILTER_FIELD filter
#endif

/*
 * Have perf core keep the events of a PMU on one CPU of each package, as it can since 6.12
 * (kernel/events/core.c: perf_event_clear_cpumask()).
 */
static inline bool pmcgrp_core_has_scopes(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0);
}

static inline void pmcgrp_pmu_set_package_scope(struct pmu *pmu)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	pmu->scope = PERF_PMU_SCOPE_PKG;
#endif
}

/*
 * Cancel perf core's rotation timers of a PMU that has no events left.  A timer runs for one
 * more interval after the last event.  perf_pmu_unregister() frees it without cancelling it,
 * before 6.2 that of an uncore PMU only: other timers belong to a context that stays.
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
#else
	int cpu;

	if (pmu->task_ctx_nr != perf_invalid_context)
		return;
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(pmu->pmu_cpu_context, cpu)->hrtimer);
#endif
}

/*
 * Keep a task's software context from pointing to the PMU of this module.  Before 6.2 it points
 * to the PMU of the task's first software event as long as the task lives
 * (alloc_perf_context()).  After a carrier event it would point into an unloaded module.  So if
 * the task has no such context, create one by an event of perf core's own PMU.  An existing
 * context is of one of these PMUs, or of another one that stays.
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
 * Keep a thread's context of hardware events from pointing to a PMU that may be unregistered.
 * Before 6.2 it points to the PMU of its first event, for as long as the thread lives
 * (alloc_perf_context()).  So make the first one of the CPUs' own PMU, if there is one.
 */
static inline void pmcgrp_prime_hardware(struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, task, NULL, NULL);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
#endif
}

/*
 * Count the NMIs that this CPU has taken.  With interrupts off nothing else increments the
 * count.  On arm64, where an NMI is an interrupt of higher priority, it is counted with all
 * interrupts (kernel/irq/chip.c: handle_percpu_devid_fasteoi_nmi()).  Since 7.2 x86 has its
 * counts in an array.
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
