// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings are charged to the user who maps them, as perf charges its buffers (kernel/events/core.c:
 * perf_mmap()).
 *
 * A user has an allowance for each online CPU.  Pages beyond it are pinned memory of the process,
 * which RLIMIT_MEMLOCK limits, unless the process has CAP_IPC_LOCK.  perf's buffers of the same
 * user are in the same two sums.
 *
 * perf's allowance is sysctl kernel.perf_event_mlock_kb, which is not exported.  Therefore the
 * module has a parameter with the same default.  kernel.perf_event_paranoid is not exported either:
 * a value below 0 lifts perf's limit, but not this one.
 *
 * A ring is charged once, by its first mapping, and uncharged with its last one.  The last mapping
 * may be in another process, so the charge keeps the mm_struct that it is in.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/minmax.h>
#include <linux/mm_types.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include "compat.h"
#include "ring_charge.h"

static unsigned long allowance; /* pages for each online CPU; constant after init */

/**
 * pmcgrp_ring_charge_init - set the allowance of each user
 * @kb: KiB for each online CPU
 *
 * Context: called once, before any ring exists.
 */
void pmcgrp_ring_charge_init(unsigned int kb)
{
	allowance = kb >> (PAGE_SHIFT - 10);
}

/**
 * pmcgrp_ring_charge - charge a ring to the current user and process
 * @charge: out: what pmcgrp_ring_uncharge() undoes
 * @pages: pages of the ring
 *
 * Context: task that maps the ring.
 * Return: 0, or -EPERM if that is more than the user may have; then nothing is charged.
 */
int pmcgrp_ring_charge(struct pmcgrp_ring_charge *charge, unsigned long pages)
{
	long limit = (long)(allowance * num_online_cpus());
	struct user_struct *user = current_user();
	struct mm_struct *mm = current->mm;
	unsigned long lock_limit;
	long pinned, all;

	all = atomic_long_add_return(pages, pmcgrp_user_ring_pages(user));
	pinned = clamp(all - limit, 0L, (long)pages);
	atomic_long_sub(pinned, pmcgrp_user_ring_pages(user));
	lock_limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	if (pinned && atomic64_add_return(pinned, &mm->pinned_vm) > lock_limit &&
	    !capable(CAP_IPC_LOCK)) {
		atomic64_sub(pinned, &mm->pinned_vm);
		atomic_long_sub(pages - pinned, pmcgrp_user_ring_pages(user));
		return -EPERM;
	}
	mmgrab(mm);
	*charge = (struct pmcgrp_ring_charge){
		.user = get_uid(user),
		.mm = mm,
		.free = pages - pinned,
		.pinned = pinned,
	};
	return 0;
}

/**
 * pmcgrp_ring_uncharge - undo pmcgrp_ring_charge()
 * @charge: the charge
 *
 * Context: may sleep.
 */
void pmcgrp_ring_uncharge(const struct pmcgrp_ring_charge *charge)
{
	atomic_long_sub(charge->free, pmcgrp_user_ring_pages(charge->user));
	atomic64_sub(charge->pinned, &charge->mm->pinned_vm);
	free_uid(charge->user);
	mmdrop(charge->mm);
}
