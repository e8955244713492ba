// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kprobe where perf core is about to schedule in a group of events: background sets go off.
 *
 * perf core calls pmu->start_txn() before it adds the events of a group, in each section in which
 * it schedules any in (kernel/events/core.c: group_sched_in()).  It calls it by its address, so
 * that the function exists out of line: arch/x86/events/core.c has its own, x86_pmu_start_txn();
 * drivers without one, arm_pmu.c among them, get perf_pmu_start_txn() (kernel/events/core.c:
 * perf_pmu_register()).
 *
 * All events that go out in a section go before any comes in, so that nothing has been placed yet
 * when the first start_txn() takes background sets off.  At a later one none is on.
 *
 * A group waits for no tick then: perf core finds the counters as if the sets were not there.  Who
 * has no perf events pays nothing.  The probe is there while background lists are.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/attr.h"
#include "counter/event.h"
#include "platform/recursion.h"
#include "sched/background.h"
#include "sched/background_probe.h"
#include "set/evlist.h"
#include "set/evset.h"

/* Functions start_txn() of PMUs that are distinguished: x86 has one, perf core another. */
#define PROBES 4

/**
 * struct txn_probe - a kprobe at the function start_txn() of PMUs; pmcgrp_groups_mutex
 * @probe: the kprobe; registered while @nr is not 0
 * @func: the function
 * @nr: number of background lists with events of such PMUs
 */
struct txn_probe {
	struct kprobe probe;
	void *func;
	unsigned int nr;
};

static struct txn_probe probes[PROBES];

static bool background_is_on(const struct pmcgrp_cpu *pcpu, const struct pmu *pmu)
{
	const struct pmcgrp_evset *set;
	unsigned int i;

	list_for_each_entry(set, &pcpu->background, cpu_node)
		for (i = 0; set->on && i < set->nr_hw; i++)
			if (set->counter[i]->pmu == pmu)
				return true;
	return false;
}

/*
 * Context: interrupts off, perf core's ctx->lock held, and perhaps the run-queue lock.  Or a
 * placement of pmcgrp's own, in a recursion section.
 */
static int on_start_txn(struct kprobe *probe, struct pt_regs *regs)
{
	const struct pmu *pmu = (const struct pmu *)regs_get_kernel_argument(regs, 0);
	unsigned int txn_flags = regs_get_kernel_argument(regs, 1);
	struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();

	if (pcpu->nr_background_on && txn_flags == PERF_PMU_TXN_ADD &&
	    !__this_cpu_read(pmcgrp_recursion_depth) && background_is_on(pcpu, pmu))
		pmcgrp_background_off(pcpu);
	return 0;
}

NOKPROBE_SYMBOL(on_start_txn);

/* Find the probe of a PMU's function, or else a free one; PROBES if there is none. */
static unsigned int probe_find(const void *func)
{
	unsigned int i, unused = PROBES;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	for (i = 0; i < PROBES; i++) {
		if (!probes[i].nr)
			unused = i;
		else if (probes[i].func == func)
			return i;
	}
	return unused;
}

static void probes_put(unsigned long used)
{
	unsigned int i;

	for_each_set_bit(i, &used, PROBES)
		if (!--probes[i].nr)
			unregister_kprobe(&probes[i].probe);
}

static int probe_get(unsigned int i, void *func)
{
	int err;

	if (probes[i].nr) {
		probes[i].nr++;
		return 0;
	}
	probes[i] = (struct txn_probe){
		.probe = { .addr = func, .pre_handler = on_start_txn },
		.func = func,
	};
	err = register_kprobe(&probes[i].probe);
	if (!err)
		probes[i].nr = 1;
	return err;
}

/**
 * pmcgrp_background_get - let perf core find room beside a background list from now on
 * @evlist: the list, with its events
 * @fail: out: the reason for a failure
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, then pmcgrp_background_put() undoes this; -EOPNOTSUPP: the kernel allows no kprobe
 * there; -EINVAL: an event takes registers that other CPUs of the core share, whose perf events no
 * probe here knows.
 */
int pmcgrp_background_get(struct pmcgrp_evlist *evlist, struct pmcgrp_failure *fail)
{
	unsigned long used = 0;
	unsigned int e, i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	fail->why = PMCGRP_WHY_BACKGROUND;
	if (evlist->takes_shared)
		return -EINVAL;
	for (e = 0; e < evlist->nr_hw; e++) {
		i = probe_find(evlist->event[e]->pmu->start_txn);
		if (i < PROBES && used & BIT(i))
			continue;
		if (i == PROBES || probe_get(i, evlist->event[e]->pmu->start_txn)) {
			probes_put(used);
			return -EOPNOTSUPP;
		}
		used |= BIT(i);
	}
	evlist->background_probes = used;
	fail->why = PMCGRP_WHY_NONE;
	return 0;
}

/**
 * pmcgrp_background_put - undo pmcgrp_background_get()
 * @evlist: the list; none is needed if it has no probes
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_background_put(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	probes_put(evlist->background_probes);
	evlist->background_probes = 0;
}
