// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings: memory shared with user space, in the layout and with the protocol of a ring
 * of perf_event_open(2): struct perf_event_mmap_page, then 2^n pages of records.
 *
 * A ring has one writer at a time: a CPU's is written on that CPU, a task's where the
 * task runs, always with interrupts off and never by an NMI in the midst of another
 * record (pmcgrp_quiet_enter()).  So writing takes no atomics, and a record is whole
 * before data_head says so.  A task's next CPU sees what the last one wrote, for
 * the scheduler has moved the task in between.
 *
 * Lifetime: a ring is made by the first mmap() and ends with the last munmap(); those
 * who write find it in the group's rows, with interrupts off, which is what RCU waits
 * for.  The mappings hold the group's file, hence the group.
 *
 * As in perf the control page can be written and the records cannot, whatever the
 * mapping's protection says (kernel/events/core.c: perf_mmap_fault(), later map_range()).
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "group.h"
#include "record.h"
#include "ring.h"
#include "root.h"

/* PMCGRP_RING_OFFSET() in pages. */
#define RING_PGOFF_SHIFT	(32 - PAGE_SHIFT)

static u64 max_pages;		/* of all rings; constant after init */
static atomic64_t nr_pages_all;

/**
 * pmcgrp_rings_init - once, before there is any group
 * @max_mb: the most memory of all rings, in MiB
 */
void pmcgrp_rings_init(unsigned int max_mb)
{
	max_pages = ((u64)max_mb << 20) >> PAGE_SHIFT;
}

/**
 * pmcgrp_rings_exit - no group is left: wait until the last ring is freed
 */
void pmcgrp_rings_exit(void)
{
	rcu_barrier();
	WARN_ON(atomic64_read(&nr_pages_all));
}

static unsigned long ring_pages(const struct pmcgrp_ring *ring)
{
	return 1 + (ring->size >> PAGE_SHIFT);
}

static void ring_free(struct pmcgrp_ring *ring)
{
	atomic64_sub(ring_pages(ring), &nr_pages_all);
	vfree(ring->page);
	kfree(ring);
}

static void ring_free_rcu(struct rcu_head *rcu)
{
	ring_free(container_of(rcu, struct pmcgrp_ring, rcu));
}

static void ring_set_wakeup(struct pmcgrp_ring *ring)
{
	u32 wakeup = ring->rings->wakeup;

	if (!wakeup)
		ring->wake_bytes = ring->size / 2;
	else if (ring->rings->flags & PMCGRP_RING_WATERMARK)
		ring->wake_bytes = min_t(u64, wakeup, ring->size);
	else
		ring->wake_samples = wakeup;
}

static struct pmcgrp_ring *ring_create(struct pmcgrp_rings *rings, int cpu, unsigned long pages,
				       bool overwrites)
{
	struct pmcgrp_ring *ring;
	int err = -ENOMEM;

	if (atomic64_add_return(pages + 1, &nr_pages_all) > max_pages) {
		err = -EPERM;
		goto uncount;
	}
	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		goto uncount;
	/* As large as user space likes it: that there is no room is for it to know. */
	ring->page = __vmalloc((pages + 1) << PAGE_SHIFT,
			       GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!ring->page)
		goto free_ring;
	ring->data = (void *)ring->page + PAGE_SIZE;
	ring->size = (u64)pages << PAGE_SHIFT;
	ring->overwrites = overwrites;
	ring->backward = rings->flags & PMCGRP_RING_BACKWARD;
	ring->rings = rings;
	ring->cpu = cpu;
	ring->page->cap_bit0_is_deprecated = 1;
	ring->page->size = offsetof(struct perf_event_mmap_page, __reserved);
	ring->page->data_offset = PAGE_SIZE;
	ring->page->data_size = ring->size;
	ring_set_wakeup(ring);
	return ring;

free_ring:
	kfree(ring);
uncount:
	atomic64_sub(pages + 1, &nr_pages_all);
	return ERR_PTR(err);
}

/* Where the writers on a CPU find the ring. */
static struct pmcgrp_ring __rcu **ring_place(struct pmcgrp_group *group, int cpu)
{
	return &per_cpu_ptr(group->rows, cpu)->ring;
}

/* A task's ring is wherever the task may run. */
static void ring_set(struct pmcgrp_rings *rings, int cpu, struct pmcgrp_ring *ring)
{
	lockdep_assert_held(&rings->mutex);
	if (cpu >= 0) {
		rcu_assign_pointer(*ring_place(rings->group, cpu), ring);
		return;
	}
	for_each_possible_cpu(cpu)
		rcu_assign_pointer(*ring_place(rings->group, cpu), ring);
}

static struct pmcgrp_ring *ring_get(struct pmcgrp_rings *rings, int cpu)
{
	if (cpu < 0)
		cpu = cpumask_first(cpu_possible_mask);
	return rcu_dereference_protected(*ring_place(rings->group, cpu),
					 lockdep_is_held(&rings->mutex));
}

static void ring_vm_open(struct vm_area_struct *vma)
{
	struct pmcgrp_ring *ring = vma->vm_private_data;

	mutex_lock(&ring->rings->mutex);
	ring->maps++;
	mutex_unlock(&ring->rings->mutex);
}

static void ring_vm_close(struct vm_area_struct *vma)
{
	struct pmcgrp_ring *ring = vma->vm_private_data;
	struct pmcgrp_rings *rings = ring->rings;
	bool last;

	mutex_lock(&rings->mutex);
	last = !--ring->maps;
	if (last)
		ring_set(rings, ring->cpu, NULL);
	mutex_unlock(&rings->mutex);
	if (last)
		call_rcu(&ring->rcu, ring_free_rcu);
}

/* The first page is the control page; all others are for reading. */
static vm_fault_t ring_vm_mkwrite(struct vm_fault *vmf)
{
	return vmf->pgoff & (BIT(RING_PGOFF_SHIFT) - 1) ? VM_FAULT_SIGBUS : 0;
}

static const struct vm_operations_struct ring_vm_ops = {
	.open		= ring_vm_open,
	.close		= ring_vm_close,
	.pfn_mkwrite	= ring_vm_mkwrite,
};

static int ring_map(const struct pmcgrp_ring *ring, struct vm_area_struct *vma)
{
	pgprot_t read_only = vm_get_page_prot(vma->vm_flags & ~VM_WRITE);
	unsigned long addr = vma->vm_start;
	const void *from = ring->page;
	int err = 0;

	for (; !err && addr < vma->vm_end; addr += PAGE_SIZE, from += PAGE_SIZE)
		err = remap_pfn_range(vma, addr, vmalloc_to_pfn(from), PAGE_SIZE,
				      addr == vma->vm_start ? vma->vm_page_prot : read_only);
	return err;
}

/* Which CPU's ring an offset stands for; -1: the task's. */
static int ring_cpu_of(const struct pmcgrp_rings *rings, unsigned long pgoff, int *cpu)
{
	unsigned long nr = pgoff >> RING_PGOFF_SHIFT;

	if (pgoff & (BIT(RING_PGOFF_SHIFT) - 1))
		return -EINVAL;
	if (pmcgrp_group_counts_cpus(rings->group)) {
		if (nr >= nr_cpu_ids || !cpumask_test_cpu(nr, rings->group->cpus))
			return -EINVAL;
		*cpu = nr;
	} else {
		if (nr)
			return -EINVAL;
		*cpu = -1;
	}
	return 0;
}

/**
 * pmcgrp_rings_mmap - mmap() of a group
 * @rings: its rings
 * @vma: shared; what is asked for
 *
 * Context: may sleep; mmap_lock held.
 * Return: 0, or -EINVAL, -EPERM, -ENOMEM, as the uapi header says.
 */
int pmcgrp_rings_mmap(struct pmcgrp_rings *rings, struct vm_area_struct *vma)
{
	unsigned long pages = vma_pages(vma) - 1;
	struct pmcgrp_ring *ring;
	int cpu, err;

	/* The control page alone is a ring that is always full, as perf has it. */
	if (!(vma->vm_flags & VM_SHARED) || (pages && !is_power_of_2(pages)))
		return -EINVAL;
	err = ring_cpu_of(rings, vma->vm_pgoff, &cpu);
	if (err)
		return err;

	mutex_lock(&rings->mutex);
	ring = ring_get(rings, cpu);
	if (!ring) {
		ring = ring_create(rings, cpu, pages, !(vma->vm_flags & VM_WRITE));
		if (IS_ERR(ring)) {
			err = PTR_ERR(ring);
			goto unlock;
		}
		ring_set(rings, cpu, ring);
	} else if (ring->size >> PAGE_SHIFT != pages) {
		err = -EINVAL;
		goto unlock;
	}
	/* A child would write where its parent's reader reads. */
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	/* Some of it may be mapped until the caller has undone that: it stays, for a next try. */
	err = ring_map(ring, vma);
	if (err)
		goto unlock;
	vma->vm_private_data = ring;
	vma->vm_ops = &ring_vm_ops;
	ring->maps++;
unlock:
	mutex_unlock(&rings->mutex);
	return err;
}

static bool rings_are_mapped(struct pmcgrp_rings *rings)
{
	int cpu;

	lockdep_assert_held(&rings->mutex);
	for_each_cpu(cpu, rings->group->cpus)
		if (ring_get(rings, cpu))
			return true;
	return false;
}

static bool target_is_gone(struct pmcgrp_group *group)
{
	bool gone;

	if (pmcgrp_group_counts_cpus(group))
		return false;
	mutex_lock(&group->mutex);
	gone = pmcgrp_roots_ended(group);
	mutex_unlock(&group->mutex);
	return gone;
}

/**
 * pmcgrp_rings_poll - poll() of a group
 * @rings: its rings
 * @file: the group's
 * @wait: the caller's
 *
 * Context: may sleep.
 * Return: EPOLLIN once for each wake-up; EPOLLHUP while nothing is mapped or once the
 * task has exited, as perf has it.
 */
__poll_t pmcgrp_rings_poll(struct pmcgrp_rings *rings, struct file *file, poll_table *wait)
{
	__poll_t events = EPOLLHUP;

	poll_wait(file, &rings->wait, wait);
	if (target_is_gone(rings->group))
		return events;
	mutex_lock(&rings->mutex);
	if (rings_are_mapped(rings))
		events = (__force __poll_t)atomic_xchg(&rings->poll, 0);
	mutex_unlock(&rings->mutex);
	return events;
}

static void rings_wake(struct irq_work *work)
{
	wake_up_all(&container_of(work, struct pmcgrp_rings, wake)->wait);
}

static void rings_leave(struct irq_work *work)
{
	struct pmcgrp_rings *rings = container_of(work, struct pmcgrp_rings, leave);

	schedule_delayed_work(&rings->ended, 0);
}

/*
 * An exiting task has left a CPU, but perf core may not have taken its events away yet
 * (do_exit() can sleep before perf_event_exit_task()), and says nothing when it does.
 */
static void rings_ended(struct work_struct *work)
{
	struct pmcgrp_rings *rings = container_of(work, struct pmcgrp_rings, ended.work);

	if (target_is_gone(rings->group))
		wake_up_all(&rings->wait);
	else
		schedule_delayed_work(&rings->ended, 1);
}

/**
 * pmcgrp_rings_task_leaves - the group's task, which is exiting, leaves this CPU
 * @rings: the group's rings
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_rings_task_leaves(struct pmcgrp_rings *rings)
{
	irq_work_queue(&rings->leave);
}

/**
 * pmcgrp_rings_create - what a group needs to be mapped
 * @group: the group
 * @flags: PMCGRP_RING_*
 * @sample_type: PERF_SAMPLE_*
 * @wakeup: samples or bytes, or 0
 *
 * Return: to be stopped and freed with the group; NULL without memory.
 */
struct pmcgrp_rings *pmcgrp_rings_create(struct pmcgrp_group *group, u32 flags, u64 sample_type,
					 u32 wakeup)
{
	struct pmcgrp_rings *rings = kzalloc(sizeof(*rings), GFP_KERNEL_ACCOUNT);

	if (!rings)
		return NULL;
	rings->group = group;
	rings->flags = flags;
	rings->sample_type = sample_type;
	rings->wakeup = wakeup;
	rings->show_addresses = capable(CAP_SYSLOG);
	rings->ns = get_pid_ns(task_active_pid_ns(current));
	rings->sample_size = pmcgrp_record_size(group, rings);
	mutex_init(&rings->mutex);
	init_waitqueue_head(&rings->wait);
	init_irq_work(&rings->wake, rings_wake);
	init_irq_work(&rings->leave, rings_leave);
	INIT_DELAYED_WORK(&rings->ended, rings_ended);
	INIT_LIST_HEAD(&rings->triggers);
	return rings;
}

/**
 * pmcgrp_rings_stop - nothing fires, writes or wakes any more
 * @rings: of a group whose triggers and carriers are gone
 *
 * Context: may sleep; the group's mutex not held, for rings_ended() takes it.
 */
void pmcgrp_rings_stop(struct pmcgrp_rings *rings)
{
	irq_work_sync(&rings->wake);
	irq_work_sync(&rings->leave);
	cancel_delayed_work_sync(&rings->ended);
}

/**
 * pmcgrp_rings_free - with the group
 * @rings: stopped; or NULL
 */
void pmcgrp_rings_free(struct pmcgrp_rings *rings)
{
	struct pmcgrp_ring *ring;
	int cpu;

	if (!rings)
		return;
	WARN_ON_ONCE(!list_empty(&rings->triggers));
	/* What is left has no mapping: an mmap() of it failed half-way. */
	mutex_lock(&rings->mutex);
	for_each_possible_cpu(cpu) {
		ring = ring_get(rings, cpu);
		if (!ring)
			continue;
		ring_set(rings, ring->cpu, NULL);
		ring_free(ring);
	}
	mutex_unlock(&rings->mutex);
	put_pid_ns(rings->ns);
	mutex_destroy(&rings->mutex);
	kfree(rings);
}

/**
 * pmcgrp_ring_here - the ring for what a group does on this CPU, or NULL
 * @group: the group
 *
 * Context: interrupts off, for as long as the ring is used.
 */
struct pmcgrp_ring *pmcgrp_ring_here(struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	return rcu_dereference_check(this_cpu_ptr(group->rows)->ring, irqs_disabled());
}

/* As much as perf fills: never to the last byte (__perf_output_begin()). */
static bool ring_has_room(const struct pmcgrp_ring *ring, size_t size)
{
	u64 tail;

	if (ring->overwrites)
		return size < ring->size;
	/*
	 * What is written depends on it, so nothing is before it; pairs with the reader's
	 * full barrier between reading records and writing data_tail.
	 */
	tail = READ_ONCE(ring->page->data_tail);
	tail = ring->backward ? tail - ring->head : ring->head - tail;
	return tail < ring->size && size < ring->size - tail;
}

static u64 ring_start(const struct pmcgrp_ring *ring, size_t size)
{
	return ring->backward ? ring->head - size : ring->head;
}

/**
 * pmcgrp_ring_reserve - room for the next records
 * @ring: the ring
 * @size: their size in bytes, a multiple of 8
 * @scratch: as large, for the case that they go over the end of the ring
 *
 * Return: where to write them; NULL if there is no room.
 */
u64 *pmcgrp_ring_reserve(struct pmcgrp_ring *ring, size_t size, u64 *scratch)
{
	u64 at;

	if (READ_ONCE(ring->rings->paused) || !ring_has_room(ring, size))
		return NULL;
	at = ring_start(ring, size) & (ring->size - 1);
	return at + size <= ring->size ? ring->data + at / sizeof(u64) : scratch;
}

static bool ring_is_due(struct pmcgrp_ring *ring)
{
	u64 moved = ring->backward ? ring->woken - ring->head : ring->head - ring->woken;

	if (ring->wake_samples ? ++ring->samples < ring->wake_samples : moved < ring->wake_bytes)
		return false;
	ring->samples = 0;
	ring->woken = ring->head;
	return true;
}

/**
 * pmcgrp_ring_commit - show the reader what was written
 * @ring: the ring
 * @size: as reserved
 * @scratch: as reserved
 */
void pmcgrp_ring_commit(struct pmcgrp_ring *ring, size_t size, const u64 *scratch)
{
	u64 at = ring_start(ring, size) & (ring->size - 1);
	size_t n;

	if (at + size > ring->size) {
		n = ring->size - at;
		memcpy(ring->data + at / sizeof(u64), scratch, n);
		memcpy(ring->data, scratch + n / sizeof(u64), size - n);
	}
	ring->head += ring->backward ? -size : size;
	/* Pairs with the reader's barrier after reading data_head. */
	smp_store_release(&ring->page->data_head, ring->head);
	if (ring_is_due(ring)) {
		atomic_set(&ring->rings->poll, (__force int)EPOLLIN);
		irq_work_queue(&ring->rings->wake);
	}
}
