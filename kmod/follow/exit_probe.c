// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where perf's events of a task end: groups with PMCGRP_CREATE_UNTIL_EXIT end there as well.
 *
 * kernel/exit.c: do_exit() calls perf_event_exit_task(), which takes the task's events off the PMU
 * for good (kernel/events/core.c: perf_event_exit_task_context()).  Since commit 4f6fc7821283
 * ("perf: Fix sample vs do_exit()"; 6.16, and 6.1.142, 6.12.35) it does so before exit_mm(), else
 * behind exit_thread().  Whatever follows is in no perf event: exit_mm() alone is 135,000
 * instructions of a small program, a third of all.
 *
 * No tracepoint is there on all kernels: sched_process_exit is right before it since 6.16, but
 * behind exit_mm() on 6.1 and 6.12.  A perf event of pmcgrp's own for each task would show it, but
 * costs each fork() and switch what an inherited perf event does.  A kprobe at the function is
 * right wherever perf_event_exit_task() is called, and costs an exit a trap, or on x86 a call by
 * ftrace where the function can be traced, as on Debian's 6.1 ([FTRACE] in kprobes/list).
 *
 * Where it cannot, the trap counts as an NMI on x86 (arch/x86/kernel/traps.c: exc_int3()).  What is
 * to be done takes locks that are not for NMI: an interrupt does it, which comes in as the trap
 * ends, as do_exit() has interrupts on.  On arm64 the trap is none
 * (arch/arm64/kernel/entry-common.c: arm64_enter_el1_dbg()).
 *
 * The kprobe is made for the first such group and stays, disarmed while there is none.  A kprobe
 * that the administrator has disarmed (/sys/kernel/debug/kprobes/enabled) shows nothing: then such
 * groups count as others do.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "follow/exit_probe.h"
#include "follow/task_binding.h"
#include "follow/task_context.h"
#include "set/evlist.h"

static unsigned int users; /* lists with the flag; pmcgrp_groups_mutex */
static bool made;	   /* the kprobe is registered; pmcgrp_groups_mutex */
static bool armed;	   /* and enabled; pmcgrp_groups_mutex */

static void disarm(struct work_struct *work);
static DECLARE_DELAYED_WORK(disarm_work, disarm);

/*
 * Context: interrupts on or off, but for NMI; preemption off.  The running task is in
 * perf_event_exit_task(): in do_exit(), or in execve() of a set-uid program, where
 * pmcgrp_task_context_exec() follows.
 */
static void exit_here(void)
{
	unsigned long flags;
	bool more;

	local_irq_save(flags);
	pmcgrp_tasks_exit();
	local_irq_restore(flags);
	do {
		local_irq_save(flags);
		more = pmcgrp_task_context_exit();
		local_irq_restore(flags);
	} while (more);
}

/* If the interrupt came late another task may run here: then the task is counted for longer. */
static void exit_in_interrupt(struct irq_work *unused)
{
	if (current->flags & PF_EXITING)
		exit_here();
}

static DEFINE_PER_CPU(struct irq_work, exit_work) = IRQ_WORK_INIT_HARD(exit_in_interrupt);

static int on_exit(struct kprobe *kp, struct pt_regs *regs)
{
	if (in_nmi())
		irq_work_queue(this_cpu_ptr(&exit_work));
	else
		exit_here();
	return 0;
}

NOKPROBE_SYMBOL(on_exit);

static struct kprobe probe = {
	.symbol_name = "perf_event_exit_task",
	.pre_handler = on_exit,
};

static int probe_make(void)
{
	/*
	 * kernel/kprobes.c: register_kprobe() leaves the address there if it fails, and refuses an
	 * address and a symbol together.
	 */
	probe.addr = NULL;
	probe.flags = KPROBE_FLAG_DISABLED;
	return register_kprobe(&probe);
}

/**
 * pmcgrp_exit_probe_get - have tasks leave lists that count until do_exit() from now on
 *
 * Context: may sleep; pmcgrp_groups_mutex held; takes kprobe_mutex and what is inside it.
 * Return: 0, -EOPNOTSUPP or -ENOMEM.
 */
int pmcgrp_exit_probe_get(void)
{
	int err = 0;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!made)
		err = probe_make();
	made |= !err;
	if (!err && !armed)
		err = enable_kprobe(&probe);
	if (err)
		return err == -ENOMEM ? err : -EOPNOTSUPP;
	armed = true;
	users++;
	return 0;
}

/**
 * pmcgrp_exit_probe_put - undo pmcgrp_exit_probe_get()
 *
 * Tools make groups again and again: the kprobe stays for a second.
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_exit_probe_put(void)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	if (!--users)
		schedule_delayed_work(&disarm_work, HZ);
}

static void disarm(struct work_struct *work)
{
	mutex_lock(&pmcgrp_groups_mutex);
	if (!users && armed && !disable_kprobe(&probe))
		armed = false;
	mutex_unlock(&pmcgrp_groups_mutex);
}

/**
 * pmcgrp_exit_probe_exit - end the kprobe, after the last group
 *
 * Context: may sleep.
 */
void pmcgrp_exit_probe_exit(void)
{
	int cpu;

	cancel_delayed_work_sync(&disarm_work);
	if (made)
		unregister_kprobe(&probe);
	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&exit_work, cpu));
}
