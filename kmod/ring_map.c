// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group's rings: mapping them, waiting for records, and for the task's exit.
 *
 * Lifetime: a ring is made by the first mmap() and ends with the last munmap(); those
 * who write find it in the group's rows, with interrupts off, which is what RCU waits
 * for.  The mappings hold the group's file, hence the group.
 *
 * As in perf the control page can be written and the records cannot, whatever the
 * mapping's protection says (kernel/events/core.c: perf_mmap_fault(), later map_range()).
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "group.h"
#include "read.h"
#include "sample.h"
#include "ring.h"
#include "ring_map.h"
#include "root.h"

/* PMCGRP_RING_OFFSET() in pages. */
#define RING_PGOFF_SHIFT (32 - PAGE_SHIFT)

/* Where the writers on a CPU find the ring. */
static struct pmcgrp_ring __rcu **ring_place(struct pmcgrp_group *group, int cpu)
{
	return &pmcgrp_row_of(group, cpu)->ring;
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

/* Nothing of it is mapped any more, or may be only as the remains of a failure. */
static void ring_drop(struct pmcgrp_rings *rings, struct pmcgrp_ring *ring)
{
	ring_set(rings, ring->cpu, NULL);
	if (ring->keep)
		list_add(&ring->kept, &rings->kept);
	else
		pmcgrp_ring_free_rcu(ring);
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

	mutex_lock(&rings->mutex);
	if (!--ring->maps)
		ring_drop(rings, ring);
	mutex_unlock(&rings->mutex);
}

/* The first page is the control page; all others are for reading. */
static vm_fault_t ring_vm_mkwrite(struct vm_fault *vmf)
{
	return vmf->pgoff & (BIT(RING_PGOFF_SHIFT) - 1) ? VM_FAULT_SIGBUS : 0;
}

static const struct vm_operations_struct ring_vm_ops = {
	.open = ring_vm_open,
	.close = ring_vm_close,
	.pfn_mkwrite = ring_vm_mkwrite,
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
		ring = pmcgrp_ring_create(rings, cpu, pages, !(vma->vm_flags & VM_WRITE));
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
	err = ring_map(ring, vma);
	if (err) {
		/* Some of it is mapped until the caller has undone that, who has the file. */
		ring->keep = true;
		if (!ring->maps)
			ring_drop(rings, ring);
		goto unlock;
	}
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

/* Its events are about to go: as it exits, or calls execve() of a set-uid program. */
static bool target_is_going(struct pmcgrp_group *group)
{
	struct task_struct *task = get_pid_task(group->target, PIDTYPE_PID);
	bool going;

	if (!task)
		return false;
	going = task->flags & PF_EXITING || task->in_execve;
	put_task_struct(task);
	return going;
}

/*
 * A task that is going has left a CPU, but perf core may not have taken its events away
 * yet (do_exit() can sleep before perf_event_exit_task()), and says nothing when it does.
 */
static void rings_ended(struct work_struct *work)
{
	struct pmcgrp_rings *rings = container_of(work, struct pmcgrp_rings, ended.work);
	bool going = target_is_going(rings->group);

	if (target_is_gone(rings->group))
		wake_up_all(&rings->wait);
	else if (going)
		schedule_delayed_work(&rings->ended, rings->checks++ < 100 ? 1 : HZ / 10);
}

/**
 * pmcgrp_rings_watch - a group has been given rings: does its task live?
 * @rings: the rings
 */
void pmcgrp_rings_watch(struct pmcgrp_rings *rings)
{
	if (!pmcgrp_group_counts_cpus(rings->group))
		schedule_delayed_work(&rings->ended, 0);
}

/**
 * pmcgrp_rings_task_leaves - the group's task leaves this CPU, perhaps for good
 * @rings: the group's rings
 *
 * Context: interrupts off; the run-queue lock may be held.
 */
void pmcgrp_rings_task_leaves(struct pmcgrp_rings *rings)
{
	lockdep_assert_irqs_disabled();
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
	rings->kernel_ns = rings->ns == &init_pid_ns;
	rings->default_format = !(flags & PMCGRP_RING_COMPACT) && sample_type & PERF_SAMPLE_READ &&
				group->read_format == PMCGRP_READ_DEFAULT;
	rings->sample_size = pmcgrp_sample_size(group, rings);
	rings->id_words = hweight64(sample_type & PMCGRP_SAMPLE_ID_TYPES);
	mutex_init(&rings->mutex);
	init_waitqueue_head(&rings->wait);
	init_irq_work(&rings->wake, rings_wake);
	init_irq_work(&rings->leave, rings_leave);
	INIT_DELAYED_WORK(&rings->ended, rings_ended);
	INIT_LIST_HEAD(&rings->triggers);
	INIT_LIST_HEAD(&rings->kept);
	mutex_init(&rings->adding);
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
	struct pmcgrp_ring *ring, *next;

	if (!rings)
		return;
	WARN_ON_ONCE(!list_empty(&rings->triggers));
	list_for_each_entry_safe(ring, next, &rings->kept, kept)
		pmcgrp_ring_free(ring);
	mutex_destroy(&rings->adding);
	put_pid_ns(rings->ns);
	mutex_destroy(&rings->mutex);
	kfree(rings);
}
