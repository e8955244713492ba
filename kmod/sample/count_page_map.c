// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count pages are made and mapped (count_page.c says what they show).
 *
 * mmap() holds mmap_lock, inside which no mutex of a list or of perf core's is taken.  So what
 * members show is under pmcgrp_group.values_lock as well, and a work makes the sentry.
 *
 * A page stays as long as its descriptor.  A mapping keeps that.
 */
#include <linux/bits.h>
#include <linux/completion.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "counter/event.h"
#include "group/group.h"
#include "platform/counter_reg.h"
#include "sample/count_page.h"
#include "sample/sentry.h"
#include "sample/user_read.h"
#include "set/evlist.h"

/*
 * Half of the time in which a counter that was reloaded in time (count_page.c: LEFT_LEAST) can
 * reach its overflow, at 64 events in a nanosecond.
 */
#define RENEW_NS (BIT_ULL(PMCGRP_REG_BITS - 2) / 64 / 2)

/* Pages behind the first: about what a ring of perf's can have, by the array of its pages. */
#define DATA_PAGES_MAX BIT(19)

/* How long mmap() waits for the sentry: a page without it is right, too. */
#define WAIT_JIFFIES max(1UL, HZ / 50UL)

/* How late poll() may learn of the end of a task. */
#define END_JIFFIES max(1UL, HZ / 50UL)

static void pages_work(struct work_struct *work)
{
	struct pmcgrp_count_pages *pages =
		container_of(to_delayed_work(work), struct pmcgrp_count_pages, work);

	/* Without a sentry (the task has exited, or no memory) the pages have no register. */
	if (!pages->watched)
		pmcgrp_sentry_create(pages->group);
	pages->watched = true;
	pmcgrp_count_page_publish(pages->group);
	complete_all(&pages->ready);
	if (pages->group->user_read.sentry)
		schedule_delayed_work(&pages->work, nsecs_to_jiffies(RENEW_NS));
}

/*
 * perf core does not notify about the end of its events of a task.  A group that reported it, as
 * one with a ring (ring_map.c), would have a carrier, which each switch of the task pays for.
 */
static void end_work(struct work_struct *work)
{
	struct pmcgrp_count_pages *pages =
		container_of(to_delayed_work(work), struct pmcgrp_count_pages, end_work);

	/* Pairs with pmcgrp_count_page_poll(): it finds the end, or this who waits for it. */
	if (!wq_has_sleeper(&pages->wait))
		return;
	if (pmcgrp_evlist_ask_ended(pages->group->evlist))
		wake_up_all(&pages->wait);
	else
		schedule_delayed_work(&pages->end_work, END_JIFFIES);
}

static void pages_close(struct pmcgrp_group *group)
{
	cancel_delayed_work_sync(&group->user_read.count_pages->work);
	cancel_delayed_work_sync(&group->user_read.count_pages->end_work);
}

static void pages_free(struct pmcgrp_group *group)
{
	pmcgrp_count_page_free(&group->leader);
	kfree(group->user_read.count_pages);
}

static void sentry_in(const struct pmcgrp_group *group)
{
	pmcgrp_count_page_renew_soon();
}

static const struct pmcgrp_user_read_ops ops = {
	.closes = pages_close,
	.ended = pmcgrp_sentry_release,
	.free = pages_free,
	.sentry_in = sentry_in,
};

static struct pmcgrp_count_pages *pages_alloc(struct pmcgrp_group *group)
{
	struct pmcgrp_count_pages *pages = kzalloc(sizeof(*pages), GFP_KERNEL_ACCOUNT);

	if (!pages)
		return NULL;
	pages->group = group;
	clock_init(&pages->clock);
	/* As perf's: old readers shift 32 bits (arch/x86/kernel/tsc.c: __set_cyc2ns_scale()). */
	if (pages->clock.shift == 32) {
		pages->clock.shift = 31;
		pages->clock.mult >>= 1;
	}
	INIT_DELAYED_WORK(&pages->work, pages_work);
	init_completion(&pages->ready);
	init_waitqueue_head(&pages->wait);
	INIT_DELAYED_WORK(&pages->end_work, end_work);
	return pages;
}

static void page_init(struct perf_event_mmap_page *page)
{
	/* As in perf's (kernel/events/core.c: perf_mmap()). */
	page->cap_bit0_is_deprecated = 1;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = PAGE_SIZE;
	page->pmc_width = PMCGRP_REG_BITS;
}

static void page_set_size(struct pmcgrp_member_fd *mfd, unsigned long data)
{
	mfd->data_pages = data;
	mfd->page->data_size = data << PAGE_SHIFT;
}

/**
 * struct fresh - what a first mapping makes
 * @page: the page
 * @pages: what all of the group share
 * @pmu: PMU by which user space can read the member, or NULL
 */
struct fresh {
	struct perf_event_mmap_page *page;
	struct pmcgrp_count_pages *pages;
	struct pmu *pmu;
};

/* Note a mapping.  The first one gives its member a page.  @data: pages behind it. */
static int page_add(struct pmcgrp_member_fd *mfd, struct fresh *fresh, unsigned long data)
{
	struct pmcgrp_group *group = mfd->group;
	struct pmcgrp_user_read *user_read = &group->user_read;
	bool fits;

	raw_spin_lock_irq(&group->values_lock);
	if (!user_read->count_pages) {
		swap(user_read->count_pages, fresh->pages);
		user_read->ops = &ops;
	}
	if (!mfd->page) {
		if (!user_read->pmu)
			user_read->pmu = fresh->pmu;
		if (user_read->pmu == fresh->pmu)
			mfd->pmu = fresh->pmu;
		fresh->page->cap_user_rdpmc = !!mfd->pmu;
		swap(mfd->page, fresh->page);
		WRITE_ONCE(group->evlist->hooks, &pmcgrp_count_page_hooks);
	}
	if (!mfd->maps)
		page_set_size(mfd, data);
	fits = mfd->data_pages == data;
	mfd->maps += fits;
	raw_spin_unlock_irq(&group->values_lock);
	return fits ? 0 : -EINVAL;
}

/* The PMU by which user space can read a member, or NULL. */
static struct pmu *find_pmu(const struct pmcgrp_member_fd *mfd,
			    const struct pmcgrp_user_clock *clock)
{
	struct pmcgrp_group *group = mfd->group;
	const struct pmcgrp_evlist *evlist = group->evlist;
	const struct pmcgrp_shared_event *ev;
	struct pmu *pmu = NULL;

	if (!COUNTERS_MOVE || !evlist->task || !can_open(clock))
		return NULL;
	raw_spin_lock_irq(&group->values_lock);
	/* Nobody frees an event of the list before this lock is free. */
	ev = evlist->event[group->member[mfd->index].event];
	if (!ev->is_software)
		pmu = READ_ONCE(ev->pmu);
	raw_spin_unlock_irq(&group->values_lock);
	return pmu && pmu->event_mapped && access_is_allowed(pmu) ? pmu : NULL;
}

static int page_make(struct pmcgrp_member_fd *mfd, unsigned long data)
{
	struct fresh fresh = {
		.page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT),
		.pages = pages_alloc(mfd->group),
	};
	int err = -ENOMEM;

	if (fresh.page && fresh.pages) {
		page_init(fresh.page);
		fresh.pmu = find_pmu(mfd, &fresh.pages->clock);
		err = page_add(mfd, &fresh, data);
	}
	kfree(fresh.pages);
	free_page((unsigned long)fresh.page);
	return err;
}

/**
 * pmcgrp_count_page_free - free the count page of a descriptor, if it has one
 * @mfd: the descriptor, which has no member any more
 */
void pmcgrp_count_page_free(struct pmcgrp_member_fd *mfd)
{
	free_page((unsigned long)mfd->page);
}

/* One mapping less. */
static void page_unmapped(struct pmcgrp_member_fd *mfd)
{
	raw_spin_lock_irq(&mfd->group->values_lock);
	mfd->maps--;
	raw_spin_unlock_irq(&mfd->group->values_lock);
}

static void page_vm_open(struct vm_area_struct *vma)
{
	struct pmcgrp_member_fd *mfd = vma->vm_private_data;

	raw_spin_lock_irq(&mfd->group->values_lock);
	mfd->maps++;
	raw_spin_unlock_irq(&mfd->group->values_lock);
	if (mfd->pmu)
		mapping_opens(mfd->pmu, vma);
}

static void page_vm_close(struct vm_area_struct *vma)
{
	struct pmcgrp_member_fd *mfd = vma->vm_private_data;

	if (mfd->pmu)
		mapping_closes(mfd->pmu, vma);
	page_unmapped(mfd);
}

/* Refuse writes to all pages but the first one, as of a ring. */
static vm_fault_t page_vm_mkwrite(struct vm_fault *vmf)
{
	return vmf->pgoff ? VM_FAULT_SIGBUS : 0;
}

static const struct vm_operations_struct page_vm_ops = {
	.open = page_vm_open,
	.close = page_vm_close,
	.pfn_mkwrite = page_vm_mkwrite,
};

/* A mapping keeps the file, and so the page.  What is behind it is a ring without records. */
static int page_map(const struct pmcgrp_member_fd *mfd, struct vm_area_struct *vma)
{
	pgprot_t read_only = vm_get_page_prot(vma->vm_flags & ~VM_WRITE);
	unsigned long addr = vma->vm_start;
	int err;

	err = remap_pfn_range(vma, addr, virt_to_phys(mfd->page) >> PAGE_SHIFT, PAGE_SIZE,
			      vma->vm_page_prot);
	for (addr += PAGE_SIZE; !err && addr < vma->vm_end; addr += PAGE_SIZE) {
		err = remap_pfn_range(vma, addr, page_to_pfn(ZERO_PAGE(addr)), PAGE_SIZE,
				      read_only);
		cond_resched();
	}
	return err;
}

/* Let user space read registers. */
static void open_registers(struct pmcgrp_member_fd *mfd, struct vm_area_struct *vma)
{
	struct pmcgrp_count_pages *pages = mfd->group->user_read.count_pages;

	if (!mfd->pmu)
		return;
	mapping_opens(mfd->pmu, vma);
	schedule_delayed_work(&pages->work, 0);
	wait_for_completion_killable_timeout(&pages->ready, WAIT_JIFFIES);
}

/**
 * pmcgrp_count_page_mmap - map the count page of a descriptor
 * @mfd: a descriptor of a group with a leader
 * @vma: the new mapping
 *
 * Context: may sleep; mmap_lock held.
 * Return: 0, -EINVAL, -EBADF or -ENOMEM, as the uapi header says.
 */
int pmcgrp_count_page_mmap(struct pmcgrp_member_fd *mfd, struct vm_area_struct *vma)
{
	unsigned long data = vma_pages(vma) - 1;
	int err;

	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_pgoff || (data && !is_power_of_2(data)) ||
	    !mfd->group->evlist->only)
		return -EINVAL;
	/* Of a descriptor for reading only: this opens counters. */
	if (!(vma->vm_file->f_mode & FMODE_WRITE))
		return -EBADF;
	if (data > DATA_PAGES_MAX)
		return -ENOMEM;
	err = page_make(mfd, data);
	if (err)
		return err;
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	err = page_map(mfd, vma);
	if (err) {
		page_unmapped(mfd);
		return err;
	}
	vma->vm_private_data = mfd;
	vma->vm_ops = &page_vm_ops;
	open_registers(mfd, vma);
	pmcgrp_count_page_publish(mfd->group);
	return 0;
}

/**
 * pmcgrp_count_page_poll - poll() a descriptor that may have a count page
 * @mfd: a descriptor of a group with a leader
 * @file: its file
 * @wait: poll table of the caller
 *
 * Context: may sleep; takes the list's mutex.
 * Return: as perf (kernel/events/core.c: perf_poll()): EPOLLHUP while nothing is mapped or after
 * the task has exited; else 0, as there are no records.
 */
__poll_t pmcgrp_count_page_poll(struct pmcgrp_member_fd *mfd, struct file *file, poll_table *wait)
{
	struct pmcgrp_count_pages *pages;

	/* With a mapping there are pages, which stay. */
	raw_spin_lock_irq(&mfd->group->values_lock);
	pages = mfd->maps ? mfd->group->user_read.count_pages : NULL;
	raw_spin_unlock_irq(&mfd->group->values_lock);
	if (!pages)
		return EPOLLHUP;
	poll_wait(file, &pages->wait, wait);
	if (pmcgrp_evlist_ask_ended(mfd->group->evlist))
		return EPOLLHUP;
	if (mfd->group->evlist->follower->ended)
		schedule_delayed_work(&pages->end_work, END_JIFFIES);
	return 0;
}
