// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU is lent to a KVM guest with a mediated vPMU while this CPU runs it (since 6.19).
 *
 * KVM calls perf_load_guest_context() before it enters the guest, and perf_put_guest_context()
 * after it, with interrupts off all through it (kernel/events/core.c).  perf
 * core takes the events with exclude_guest out at the first, by its own lists, and back in at the
 * second. Other events it does not let exist beside such guests (pmcgrp_core_lends_to_guests()).
 *
 * Kprobes are at both.  At the first the sets and idle counters of a PMU that is lent go off, so
 * that the guest finds it empty, and their time running stands still.  After the second, as
 * interrupts are on again, they are tried like all that wait.
 *
 * Without the kprobes a member with exclude_guest is refused on such a PMU (kernel_counter.c): it
 * would go on counting in the guest, by a counter that is the guest's.
 *
 * The probes are registered when the module is loaded, and armed as long as follow.c has its own.
 */
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "counter/idle.h"
#include "platform/recursion.h"
#include "sched/background.h"
#include "sched/guest.h"
#include "sched/rotate.h"
#include "set/evset.h"

static bool set_is_lent(const struct pmcgrp_evset *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_hw; i++)
		if (pmcgrp_core_lends_to_guests(set->counter[i]->pmu))
			return true;
	return false;
}

/*
 * Context: perf_load_guest_context(), interrupts off, perf core holds no PMU; where the kprobe is a
 * trap, as in an NMI.
 */
static int on_load(struct kprobe *probe, struct pt_regs *regs)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	struct pmcgrp_evset *set;

	lockdep_assert_irqs_disabled();
	pmcgrp_background_off(pcpu);
	list_for_each_entry(set, &pcpu->sets, cpu_node)
		if (set->on && set_is_lent(set))
			pmcgrp_rotate_take_off(pcpu, set);
	pmcgrp_recursion_enter();
	pmcgrp_idle_evict_all();
	pmcgrp_recursion_leave();
	pcpu->has_idle = false;
	return 0;
}

NOKPROBE_SYMBOL(on_load);

/* Context: as on_load(); interrupts stay off until perf core is done. */
static int on_put(struct kprobe *probe, struct pt_regs *regs)
{
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (pcpu->usable && (pcpu->nr_waiting || pcpu->nr_background))
		irq_work_queue(&pcpu->work);
	return 0;
}

NOKPROBE_SYMBOL(on_put);

static struct kprobe probes[] = {
	{ .symbol_name = "perf_load_guest_context", .pre_handler = on_load },
	{ .symbol_name = "perf_put_guest_context", .pre_handler = on_put },
};

static bool registered; /* constant after init */

/**
 * pmcgrp_guest_is_known - whether sets leave a PMU that is lent to a guest
 */
bool pmcgrp_guest_is_known(void)
{
	return registered;
}

/**
 * pmcgrp_guest_arm - make room for guests from now on, or not any more
 * @arm: from now on
 *
 * Context: may sleep; pmcgrp_groups_mutex held: kprobe_mutex and what is in it come after it.
 */
void pmcgrp_guest_arm(bool arm)
{
	unsigned int i;

	for (i = 0; registered && i < ARRAY_SIZE(probes); i++) {
		if (arm)
			enable_kprobe(&probes[i]);
		else
			disable_kprobe(&probes[i]);
	}
}

/**
 * pmcgrp_guest_init - find the functions, where the kernel may lend PMUs
 *
 * Context: may sleep; when the module is loaded.
 */
void __init pmcgrp_guest_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		probes[i].flags = KPROBE_FLAG_DISABLED;
		if (!register_kprobe(&probes[i]))
			continue;
		while (i--)
			unregister_kprobe(&probes[i]);
		return;
	}
	registered = true;
}

/**
 * pmcgrp_guest_exit - end the probes
 *
 * Context: may sleep.
 */
void pmcgrp_guest_exit(void)
{
	unsigned int i;

	for (i = 0; registered && i < ARRAY_SIZE(probes); i++)
		unregister_kprobe(&probes[i]);
}
