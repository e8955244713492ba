// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hand over counters at a context switch: a set that is scheduled out leaves them to one that is
 * scheduled in and counts by the same ones.  One reading ends the one and begins the other, and
 * the PMU is not touched.
 *
 * Context: as for all of a CPU scheduler (sched.c): its CPU, interrupts off.
 */
#include <linux/list.h>
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "platform/recursion.h"
#include "sched/handover.h"
#include "sched/rotate.h"
#include "set/evcpu.h"
#include "set/evlist.h"
#include "set/evset.h"

/* Whether a set on the PMU has just the counters that another one will have here. */
static bool has_counters_of(const struct pmcgrp_evset *from, const struct pmcgrp_evset *to,
			    const struct pmcgrp_evcpu *evcpu)
{
	unsigned int i;

	if (from->nr != to->nr || from->pinned != to->pinned ||
	    from->background != to->background || to->error ||
	    !pmcgrp_evcpu_is_filled(evcpu))
		return false;
	for (i = 0; i < to->nr; i++)
		if (evcpu->counter[i] != from->counter[i])
			return false;
	return true;
}

/* Whether a list's set begins and ends without others having to know. */
static bool is_plain(const struct pmcgrp_evlist *evlist)
{
	/* Pairs with pmcgrp_evlist_thaw(): who finds the list thawed sees its new events. */
	return READ_ONCE(evlist->active) && !smp_load_acquire(&evlist->frozen) &&
	       !READ_ONCE(evlist->hooks) &&
	       !READ_ONCE(evlist->is_interrupted);
}

/**
 * pmcgrp_handover - schedule out a set, and schedule in one that counts by the same counters
 * @pcpu: this CPU's scheduler; no set waits here
 * @from: the set that is scheduled out
 * @to: the set that is scheduled in
 *
 * Context: interrupts off; the run-queue lock may be held.
 * Return: local_clock() in between; 0 if that is not possible, and nothing has changed.
 */
u64 pmcgrp_handover(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *from,
		    struct pmcgrp_evset *to)
{
	struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_here(to->evlist);
	u64 now;

	if (!from->on || !is_plain(from->evlist) || pmcgrp_rotate_leaves_early(pcpu, from))
		return 0;
	WRITE_ONCE(to->cpu, pcpu->cpu);
	/* As in pmcgrp_sched_in(). */
	smp_mb();
	/* In this order: the events may have changed while @to was in nowhere. */
	if (!is_plain(to->evlist) || !has_counters_of(from, to, evcpu)) {
		WRITE_ONCE(to->cpu, -1);
		return 0;
	}
	pmcgrp_recursion_enter();
	if (!to->enabled)
		to->vruntime = READ_ONCE(to->evlist->vruntime);
	to->nr_sched_in++;
	pmcgrp_evset_leaves(from);
	now = pmcgrp_evset_hand_over(from, to);
	pmcgrp_evset_enters(to);
	WRITE_ONCE(from->evlist->vruntime, from->vruntime);
	list_replace_init(&from->cpu_node, &to->cpu_node);
	to->counter = evcpu->counter;
	to->failed_alone = 0;
	WRITE_ONCE(to->why, PMCGRP_WHY_NONE);
	to->is_in = true;
	evcpu->in = to;
	from->counter = NULL;
	from->is_in = false;
	pmcgrp_recursion_leave();
	pmcgrp_evcpu_here(from->evlist)->in = NULL;
	/* Pairs with evlist_collect_cpus(): a reader that sees -1 also sees the complete sums. */
	smp_store_release(&from->cpu, -1);
	return now;
}
