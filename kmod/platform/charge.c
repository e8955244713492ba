// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory whose size user space chooses is allocated here, and charged to the user.
 *
 * selftests/style (allocations) sees to it that nothing goes around this file.  What is allocated
 * for possible CPUs is charged for all of them.  All that a user has, has a limit: module parameter
 * rings_max_mb.
 *
 * What a user makes by a call of its own is locked memory as well, as perf's buffers are
 * (kernel/events/core.c: perf_mmap()): rings, tables of counts by key, spans.  A user has an
 * allowance for each CPU.  Pages beyond it are pinned memory of the process, which RLIMIT_MEMLOCK
 * limits, unless the process has CAP_IPC_LOCK.  perf's buffers of the same user are in the same two
 * sums.
 *
 * perf gives its allowance for online CPUs.  Ours also has memory for CPUs that may come: what they
 * add is in a sum of our own, so that perf finds its allowance as it would without.
 *
 * perf's allowance is sysctl kernel.perf_event_mlock_kb, which is not exported.  Therefore the
 * module has a parameter with the same default.  kernel.perf_event_paranoid is not exported either:
 * a value below 0 lifts perf's limit, but not this one.
 *
 * The last user of an object may be another process, so the charge keeps the mm_struct that it is
 * in.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "platform/account.h"
#include "platform/charge.h"

/* User space chooses the size and gets the error: no warning in the log, and nobody is killed. */
#define GFP_CHARGED (GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)
/* The same in one piece: nothing is moved for it, as pages in several pieces will do. */
#define GFP_CHARGED_PIECE (GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN | __GFP_NORETRY)

#define IN_FLIGHT_MAX (64UL << 20) /* bytes of spans in flight of each user */

static unsigned long allowance; /* pages for each CPU; constant after init */

/**
 * pmcgrp_charge_init - set the limits of each user
 * @kb: KiB of locked memory for each CPU, without RLIMIT_MEMLOCK
 * @max_mb: MiB in all
 *
 * Context: called once, before anything is charged.
 */
void pmcgrp_charge_init(unsigned int kb, unsigned int max_mb)
{
	allowance = kb >> (PAGE_SHIFT - 10);
	pmcgrp_account_limit(PMCGRP_LIMIT_PAGES, ((u64)max_mb << 20) >> PAGE_SHIFT);
	pmcgrp_account_limit(PMCGRP_LIMIT_SPANS, IN_FLIGHT_MAX);
}

/**
 * pmcgrp_charge_begin - begin to charge an object to the current user and process
 * @charge: out: the charge, of nothing yet; for pmcgrp_charge_end()
 *
 * Context: may sleep; a task with memory of its own.
 * Return: 0 or -ENOMEM.
 */
int pmcgrp_charge_begin(struct pmcgrp_charge *charge)
{
	struct pmcgrp_account *account = pmcgrp_account_of_caller();

	*charge = (struct pmcgrp_charge){};
	if (!account)
		return -ENOMEM;
	charge->account = account;
	charge->mm = current->mm;
	mmgrab(charge->mm);
	return 0;
}

/**
 * pmcgrp_charge_begin_unlocked - begin to charge an object that is no locked memory
 * @charge: out: the charge, of nothing yet; for pmcgrp_charge_end()
 * @account: whom to charge
 *
 * Context: as pmcgrp_account_get().
 */
void pmcgrp_charge_begin_unlocked(struct pmcgrp_charge *charge, struct pmcgrp_account *account)
{
	*charge = (struct pmcgrp_charge){ .account = pmcgrp_account_get(account) };
}

/* Add pages to a sum as far as its limit allows.  Return: how many. */
static long add_up_to(atomic_long_t *sum, long limit, long pages)
{
	long beyond = clamp(atomic_long_add_return(pages, sum) - limit, 0L, pages);

	atomic_long_sub(beyond, sum);
	return pages - beyond;
}

static void unlock_pages(struct pmcgrp_charge *charge, long free, long offline)
{
	atomic_long_sub(free, pmcgrp_user_ring_pages(charge->account->cred->user));
	atomic_long_sub(offline, &charge->account->offline_pages);
}

static int lock_pages(struct pmcgrp_charge *charge, long pages)
{
	unsigned int online = num_online_cpus(), offline_cpus = num_possible_cpus() - online;
	unsigned long lock_limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	long free, offline, pinned;

	free = add_up_to(pmcgrp_user_ring_pages(charge->account->cred->user),
			 (long)(allowance * online), pages);
	offline = add_up_to(&charge->account->offline_pages, (long)(allowance * offline_cpus),
			    pages - free);
	pinned = pages - free - offline;
	if (pinned && atomic64_add_return(pinned, &charge->mm->pinned_vm) > lock_limit &&
	    !capable(CAP_IPC_LOCK)) {
		atomic64_sub(pinned, &charge->mm->pinned_vm);
		unlock_pages(charge, free, offline);
		return -EPERM;
	}
	charge->free += free;
	charge->offline += offline;
	charge->pinned += pinned;
	return 0;
}

/**
 * pmcgrp_charge_add - charge an object with memory that the kernel allocates for it
 * @charge: the charge
 * @size: number of bytes
 *
 * Context: may sleep; with locked memory the process of pmcgrp_charge_begin().
 * Return: 0; -EPERM above what the user can lock, -ENOSPC above its limit for all: then nothing
 * more is charged.
 */
int pmcgrp_charge_add(struct pmcgrp_charge *charge, size_t size)
{
	size_t bytes;
	long pages;
	int err = 0;

	if (check_add_overflow(charge->bytes, size, &bytes) || bytes > LONG_MAX)
		return -ENOSPC;
	pages = DIV_ROUND_UP(bytes, PAGE_SIZE) - charge->pages;
	if (!pmcgrp_account_take(charge->account, PMCGRP_LIMIT_PAGES, pages))
		return -ENOSPC;
	if (charge->mm)
		err = lock_pages(charge, pages);
	if (err) {
		pmcgrp_account_give(charge->account, PMCGRP_LIMIT_PAGES, pages);
		return err;
	}
	charge->bytes = bytes;
	charge->pages += pages;
	return 0;
}

/* Undo pmcgrp_charge_add() of @size, for memory that could not be had. */
static void charge_sub(struct pmcgrp_charge *charge, size_t size)
{
	long pages = charge->pages - DIV_ROUND_UP(charge->bytes - size, PAGE_SIZE);
	long pinned = min(pages, charge->pinned);
	long offline = min(pages - pinned, charge->offline);
	long free = pages - pinned - offline;

	charge->bytes -= size;
	charge->pages -= pages;
	pmcgrp_account_give(charge->account, PMCGRP_LIMIT_PAGES, pages);
	if (!charge->mm)
		return;
	unlock_pages(charge, free, offline);
	atomic64_sub(pinned, &charge->mm->pinned_vm);
	charge->free -= free;
	charge->offline -= offline;
	charge->pinned -= pinned;
}

/**
 * pmcgrp_charge_unlock - let an object be no locked memory any more
 * @charge: the charge
 *
 * Context: may sleep.
 */
void pmcgrp_charge_unlock(struct pmcgrp_charge *charge)
{
	if (!charge->mm)
		return;
	unlock_pages(charge, charge->free, charge->offline);
	atomic64_sub(charge->pinned, &charge->mm->pinned_vm);
	mmdrop(charge->mm);
	charge->mm = NULL;
}

/**
 * pmcgrp_charge_end - give back all that an object was charged
 * @charge: the charge, begun or zero; its memory is free
 *
 * Context: may sleep; without locked memory as pmcgrp_account_put().
 */
void pmcgrp_charge_end(struct pmcgrp_charge *charge)
{
	if (!charge->account)
		return;
	pmcgrp_charge_unlock(charge);
	pmcgrp_account_give(charge->account, PMCGRP_LIMIT_PAGES, charge->pages);
	pmcgrp_account_give(charge->account, PMCGRP_LIMIT_SPANS, charge->in_flight);
	pmcgrp_account_put(charge->account);
	charge->account = NULL;
}

/**
 * pmcgrp_why_of_charge - find the reason of a failure
 * @err: errno of a function of this file
 *
 * Return: enum pmcgrp_why.
 */
u32 pmcgrp_why_of_charge(int err)
{
	switch (err) {
	case -EPERM:
		return PMCGRP_WHY_MEMLOCK;
	case -ENOSPC:
		return PMCGRP_WHY_MEMORY_MAX;
	default:
		return PMCGRP_WHY_NOMEM;
	}
}

static void *not_had(struct pmcgrp_charge *charge, size_t size)
{
	charge_sub(charge, size);
	return ERR_PTR(-ENOMEM);
}

/**
 * pmcgrp_charge_alloc - allocate memory, zeroed
 * @charge: the charge
 * @size: number of bytes
 * @node: NUMA node that is preferred, or %NUMA_NO_NODE
 *
 * Context: as pmcgrp_charge_add().
 * Return: the memory, for kvfree(); or an ERR_PTR: -ENOMEM, or as pmcgrp_charge_add().
 */
void *pmcgrp_charge_alloc(struct pmcgrp_charge *charge, size_t size, int node)
{
	bool small = size <= PAGE_SIZE;
	int err = pmcgrp_charge_add(charge, size);
	void *memory;

	if (err)
		return ERR_PTR(err);
	memory = kmalloc_node(size, small ? GFP_CHARGED : GFP_CHARGED_PIECE, node);
	/* No function of vmalloc()'s that is exported takes flags and a node. */
	if (!memory && !small)
		memory = __vmalloc(size, GFP_CHARGED);
	return memory ?: not_had(charge, size);
}

/**
 * pmcgrp_charge_take_in_flight - take memory of spans in flight out of its limit
 * @charge: the charge
 * @size: number of bytes
 * @why: out: enum pmcgrp_why of a failure
 *
 * The kernel charges the instances of a kretprobe to nobody, and who may make spans may be in the
 * root cgroup, which has no limit.
 *
 * Context: any.
 * Return: 0; -ENOSPC if all spans of the user together have no more room.
 */
int pmcgrp_charge_take_in_flight(struct pmcgrp_charge *charge, size_t size, u32 *why)
{
	*why = PMCGRP_WHY_SPANS_ROOM;
	if (!pmcgrp_account_take(charge->account, PMCGRP_LIMIT_SPANS, size))
		return -ENOSPC;
	charge->in_flight += size;
	return 0;
}

/**
 * pmcgrp_charge_alloc_in_flight - do pmcgrp_charge_alloc() for spans in flight
 * @charge: the charge
 * @size: number of bytes
 * @why: out: enum pmcgrp_why of a failure
 *
 * Context: as pmcgrp_charge_add().
 * Return: the memory, for kvfree(), or an ERR_PTR as of both.
 */
void *pmcgrp_charge_alloc_in_flight(struct pmcgrp_charge *charge, size_t size, u32 *why)
{
	int err = pmcgrp_charge_take_in_flight(charge, size, why);
	void *memory;

	if (err)
		return ERR_PTR(err);
	memory = pmcgrp_charge_alloc(charge, size, NUMA_NO_NODE);
	*why = pmcgrp_why_of_charge(PTR_ERR_OR_ZERO(memory));
	return memory;
}

/**
 * pmcgrp_charge_alloc_pages - allocate pages that can be mapped into user space, zeroed
 * @charge: the charge
 * @pages: number of pages
 *
 * Context: as pmcgrp_charge_add().
 * Return: the memory, for vfree(); or an ERR_PTR as pmcgrp_charge_alloc().
 */
void *pmcgrp_charge_alloc_pages(struct pmcgrp_charge *charge, size_t pages)
{
	size_t size = array_size(pages, PAGE_SIZE);
	int err = pmcgrp_charge_add(charge, size);
	void *memory;

	if (err)
		return ERR_PTR(err);
	memory = __vmalloc(size, GFP_CHARGED);
	return memory ?: not_had(charge, size);
}

/**
 * pmcgrp_charge_alloc_percpu - allocate memory of each possible CPU, zeroed
 * @charge: the charge
 * @size: number of bytes for a CPU
 * @align: alignment of these
 * @err: out: 0, or as the errno of pmcgrp_charge_alloc()
 *
 * Context: as pmcgrp_charge_add().
 * Return: the memory, for free_percpu(), or NULL.
 */
void __percpu *pmcgrp_charge_alloc_percpu(struct pmcgrp_charge *charge, size_t size, size_t align,
					  int *err)
{
	size_t all = array_size(num_possible_cpus(), size);
	void __percpu *memory;

	*err = pmcgrp_charge_add(charge, all);
	if (*err)
		return NULL;
	/* mm/percpu.c passes on these flags: nobody is killed here either. */
	memory = __alloc_percpu_gfp(size, align, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_NORETRY);
	if (!memory)
		*err = PTR_ERR(not_had(charge, all));
	return memory;
}
