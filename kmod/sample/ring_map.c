// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmap() and poll() of a group's rings, and the notice of the task's exit.
 *
 * Lifetime: the first mmap() creates a ring, the last munmap() removes it.  Writers find the ring
 * (pmcgrp_ring_buffers.ring) with interrupts off, so it is freed by RCU.  A mapping
 * holds the group's file, and with it the group.
 *
 * As in perf, user space can write the control page but not the records, whatever the protection of
 * the mapping (kernel/events/core.c: perf_mmap_fault(), later map_range()).
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "follow/task_query.h"
#include "group/group.h"
#include "platform/charge.h"
#include "sample/read_format.h"
#include "sample/ring.h"
#include "sample/ring_map.h"
#include "sample/sample.h"

/* PMCGRP_RING_OFFSET() in pages. */
#define RING_PGOFF_SHIFT (32 - PAGE_SHIFT)

static void ring_free(struct pmcgrp_ring_buffer *ring)
{
	vfree(ring->page);
	pmcgrp_charge_end(&ring->charge);
	kfree(ring);
}

static void ring_free_rcu(struct rcu_head *rcu)
{
	ring_free(container_of(rcu, struct pmcgrp_ring_buffer, rcu));
}

static void ring_set_wakeup(struct pmcgrp_ring_buffer *ring)
{
	u32 wakeup = ring->rings->wakeup;

	ring->wake_bytes = ring->size / 2;
	if (!(ring->rings->flags & PMCGRP_RING_WATERMARK))
		ring->wake_samples = wakeup;
	else if (wakeup && wakeup <= ring->size)
		ring->wake_bytes = wakeup;
}

/*
 * Make an empty ring, charged to the current user and process.  @cpu: the CPU, or -1 for that of a
 * task.  @overwrites: the reader cannot write data_tail.  Return: the ring, or an ERR_PTR as of
 * pmcgrp_charge_alloc_pages().
 */
static struct pmcgrp_ring_buffer *ring_create(struct pmcgrp_ring_buffers *rings, int cpu,
					      unsigned long pages, bool overwrites)
{
	struct pmcgrp_ring_buffer *ring;
	int err;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	err = pmcgrp_charge_begin(&ring->charge);
	if (err)
		goto free_ring;
	ring->page = pmcgrp_charge_alloc_pages(&ring->charge, pages + 1);
	err = PTR_ERR_OR_ZERO(ring->page);
	if (err)
		goto end_charge;
	ring->data = (void *)ring->page + PAGE_SIZE;
	ring->size = (u64)pages << PAGE_SHIFT;
	ring->overwrites = overwrites;
	ring->backward = rings->flags & PMCGRP_RING_BACKWARD;
	ring->default_forward = rings->default_format && !ring->backward;
	ring->rings = rings;
	ring->cpu = cpu;
	ring->page->cap_bit0_is_deprecated = 1;
	ring->page->size = offsetof(struct perf_event_mmap_page, __reserved);
	ring->page->data_offset = PAGE_SIZE;
	ring->page->data_size = ring->size;
	ring_set_wakeup(ring);
	return ring;

end_charge:
	pmcgrp_charge_end(&ring->charge);
free_ring:
	kfree(ring);
	return ERR_PTR(err);
}

/* Let writers find the ring of a CPU, or of the task: -1. */
static void ring_set(struct pmcgrp_ring_buffers *rings, int cpu, struct pmcgrp_ring_buffer *ring)
{
	lockdep_assert_held(&rings->mutex);
	rcu_assign_pointer(rings->ring[max(cpu, 0)], ring);
}

static struct pmcgrp_ring_buffer *ring_get(struct pmcgrp_ring_buffers *rings, int cpu)
{
	return rcu_dereference_protected(rings->ring[max(cpu, 0)],
					 lockdep_is_held(&rings->mutex));
}

/* Remove a ring without mappings.  With @keep, remains of a failed mapping may still exist. */
static void ring_drop(struct pmcgrp_ring_buffers *rings, struct pmcgrp_ring_buffer *ring)
{
	ring_set(rings, ring->cpu, NULL);
	if (ring->keep) {
		list_add(&ring->kept, &rings->kept);
		return;
	}
	pmcgrp_charge_unlock(&ring->charge);
	call_rcu(&ring->rcu, ring_free_rcu);
}

static void ring_vm_open(struct vm_area_struct *vma)
{
	struct pmcgrp_ring_buffer *ring = vma->vm_private_data;

	mutex_lock(&ring->rings->mutex);
	ring->maps++;
	mutex_unlock(&ring->rings->mutex);
}

static void ring_vm_close(struct vm_area_struct *vma)
{
	struct pmcgrp_ring_buffer *ring = vma->vm_private_data;
	struct pmcgrp_ring_buffers *rings = ring->rings;

	mutex_lock(&rings->mutex);
	if (!--ring->maps)
		ring_drop(rings, ring);
	mutex_unlock(&rings->mutex);
}

/* Refuse writes to all pages but the first one, the control page. */
static vm_fault_t ring_vm_mkwrite(struct vm_fault *vmf)
{
	return vmf->pgoff & (BIT(RING_PGOFF_SHIFT) - 1) ? VM_FAULT_SIGBUS : 0;
}

static const struct vm_operations_struct ring_vm_ops = {
	.open = ring_vm_open,
	.close = ring_vm_close,
	.pfn_mkwrite = ring_vm_mkwrite,
};

static int ring_map(const struct pmcgrp_ring_buffer *ring, struct vm_area_struct *vma)
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

/* Find the CPU of a ring by its mmap() offset; -1 for the ring of a task. */
static int ring_cpu_of(const struct pmcgrp_ring_buffers *rings, unsigned long pgoff, int *cpu)
{
	unsigned long nr = pgoff >> RING_PGOFF_SHIFT;

	if (pgoff & (BIT(RING_PGOFF_SHIFT) - 1))
		return -EINVAL;
	if (rings->per_cpu) {
		if (nr >= nr_cpu_ids || !cpumask_test_cpu(nr, rings->group->evlist->cpus))
			return -EINVAL;
		*cpu = array_index_nospec(nr, nr_cpu_ids);
	} else {
		if (nr)
			return -EINVAL;
		*cpu = -1;
	}
	return 0;
}

/**
 * pmcgrp_rings_mmap - map a ring of a group, and create it if needed
 * @rings: the rings of the group
 * @vma: the new mapping
 *
 * Context: may sleep; mmap_lock held.
 * Return: 0, or -EINVAL, -EBADF, -EPERM, -ENOSPC, -ENOMEM, as the uapi header says; -EINTR if the
 * caller has been killed.
 */
int pmcgrp_rings_mmap(struct pmcgrp_ring_buffers *rings, struct vm_area_struct *vma)
{
	unsigned long pages = vma_pages(vma) - 1;
	struct pmcgrp_ring_buffer *ring;
	int cpu, err;

	/* As in perf, a mapping of the control page alone is a ring without room. */
	if (!(vma->vm_flags & VM_MAYSHARE) || (pages && !is_power_of_2(pages)))
		return -EINVAL;
	err = ring_cpu_of(rings, vma->vm_pgoff, &cpu);
	if (err)
		return err;

	if (mutex_lock_killable(&rings->mutex))
		return -EINTR;
	ring = ring_get(rings, cpu);
	if (!ring) {
		/* Only a descriptor that controls the group makes a ring. */
		if (!(vma->vm_file->f_mode & FMODE_WRITE)) {
			err = -EBADF;
			goto unlock;
		}
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
	/* A child must not write to data_tail of its parent's ring. */
	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	err = ring_map(ring, vma);
	if (err) {
		/* Some pages stay mapped until the caller, which holds the file, undoes that. */
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

static bool rings_are_mapped(struct pmcgrp_ring_buffers *rings)
{
	int cpu;

	lockdep_assert_held(&rings->mutex);
	if (!rings->per_cpu)
		return ring_get(rings, -1);
	for_each_cpu(cpu, rings->group->evlist->cpus)
		if (ring_get(rings, cpu))
			return true;
	return false;
}

static bool target_is_gone(const struct pmcgrp_ring_buffers *rings)
{
	struct pmcgrp_evlist *evlist = rings->group->evlist;

	return evlist->follower->ended ? pmcgrp_evlist_ask_ended(evlist) : READ_ONCE(rings->gone);
}

/**
 * pmcgrp_rings_poll - poll() a group's rings
 * @rings: the rings of the group
 * @file: file of the group
 * @wait: poll table of the caller
 * @seen: the wake-ups that were reported to the caller's descriptor; written under rings->mutex
 *
 * Context: may sleep.
 * Return: as perf: EPOLLIN once for each wake-up; EPOLLHUP while nothing is mapped or after the
 * task has exited.
 */
__poll_t pmcgrp_rings_poll(struct pmcgrp_ring_buffers *rings, struct file *file, poll_table *wait,
			   int *seen)
{
	__poll_t events = EPOLLHUP;
	int wakes;

	poll_wait(file, &rings->wait, wait);
	if (target_is_gone(rings))
		return events;
	mutex_lock(&rings->mutex);
	if (rings_are_mapped(rings)) {
		/* Pairs with pmcgrp_ring_wake(): poll_wait() came before. */
		smp_mb();
		/* Pairs with it, too: the reader finds what it is woken for. */
		wakes = atomic_read_acquire(&rings->wakes);
		events = *seen == wakes ? 0 : EPOLLIN;
		*seen = wakes;
	}
	mutex_unlock(&rings->mutex);
	return events;
}

static void rings_wake(struct irq_work *work)
{
	wake_up_all(&container_of(work, struct pmcgrp_ring_buffers, wake)->wait);
}

static void rings_leave(struct irq_work *work)
{
	struct pmcgrp_ring_buffers *rings =
		container_of(work, struct pmcgrp_ring_buffers, leave.work);

	/* Of several tasks many may end in a short time. */
	schedule_delayed_work(&rings->ended, rings->per_cpu ? HZ / 20 : 0);
}

/*
 * Wake up readers once perf core has removed the events of an exiting task.  perf core does not
 * notify about that, and do_exit() can sleep before perf_event_exit_task(), so poll for it.
 */
static void rings_ended(struct work_struct *work)
{
	struct pmcgrp_ring_buffers *rings =
		container_of(work, struct pmcgrp_ring_buffers, ended.work);
	struct pmcgrp_evlist *evlist = rings->group->evlist;
	bool going = !rings->per_cpu && pmcgrp_task_may_end(evlist->task);

	/* A task that nobody has reaped is bound still. */
	if (rings->per_cpu && !pmcgrp_tasks_count(evlist->contexts))
		WRITE_ONCE(rings->gone, true);
	if (target_is_gone(rings))
		wake_up_all(&rings->wait);
	else if (going)
		schedule_delayed_work(&rings->ended, rings->checks++ < 100 ? 1 : HZ / 10);
}

/**
 * pmcgrp_rings_watch - wake up readers when the group's task ends, also while it is disabled
 * @rings: the rings
 *
 * Context: may sleep; pmcgrp_groups_mutex and the list's mutex held.
 * Return: 0, -ESRCH if it has ended, -ENOMEM.
 */
int pmcgrp_rings_watch(struct pmcgrp_ring_buffers *rings)
{
	struct pmcgrp_evlist *evlist = rings->group->evlist;
	int err = rings->by_task ? pmcgrp_by_task_begin(rings) : 0;

	if (!err && rings->watches_end) {
		/* The list may count nothing for a while. */
		pmcgrp_groups_stop(evlist);
		err = evlist->follower->watch(evlist, &rings->leave);
		pmcgrp_groups_stop(evlist);
	}
	if (!err && rings->watches_end)
		schedule_delayed_work(&rings->ended, 0); /* it may be exiting */
	return err;
}

/**
 * pmcgrp_rings_create - allocate the common part of a group's rings
 * @group: the group
 * @arg: argument of PMCGRP_IOC_RING, checked
 *
 * Context: may sleep.
 * Return: the rings, for pmcgrp_rings_stop() and pmcgrp_rings_destroy(); NULL without memory.
 */
struct pmcgrp_ring_buffers *pmcgrp_rings_create(struct pmcgrp_group *group,
						const struct pmcgrp_ring_setup *arg)
{
	u64 sample_type = arg->sample_type;
	bool several = group->evlist->follower->has_binding;
	bool per_cpu = several || group->evlist->follower->counts_cpus;
	struct pmcgrp_ring_buffers *rings;

	rings = kzalloc(struct_size(rings, ring, per_cpu ? nr_cpu_ids : 1), GFP_KERNEL_ACCOUNT);
	if (!rings)
		return NULL;
	rings->group = group;
	rings->per_cpu = per_cpu;
	rings->watches_end = group->evlist->follower->watch;
	rings->by_task = several || (per_cpu && arg->flags & PMCGRP_RING_BY_TASK);
	rings->flags = arg->flags;
	rings->sample_type = sample_type;
	rings->wakeup = arg->wakeup;
	rings->clockid = arg->clockid;
	rings->show_addresses = capable(CAP_SYSLOG);
	rings->ns = get_pid_ns(task_active_pid_ns(current));
	rings->kernel_ns = rings->ns == &init_pid_ns;
	rings->default_format = !(arg->flags & (PMCGRP_RING_COMPACT | PMCGRP_RING_USE_CLOCKID)) &&
				sample_type & PERF_SAMPLE_READ &&
				!(sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
						 PERF_SAMPLE_CGROUP)) &&
				group->read_format == PMCGRP_READ_DEFAULT;
	rings->sample_size = pmcgrp_sample_size(group, rings);
	rings->id_words = hweight64(sample_type & PMCGRP_SAMPLE_ID_TYPES);
	mutex_init(&rings->mutex);
	init_waitqueue_head(&rings->wait);
	init_irq_work(&rings->wake, rings_wake);
	init_irq_work(&rings->leave.work, rings_leave);
	INIT_DELAYED_WORK(&rings->ended, rings_ended);
	INIT_LIST_HEAD(&rings->triggers);
	INIT_LIST_HEAD(&rings->kept);
	mutex_init(&rings->adding);
	return rings;
}

/**
 * pmcgrp_rings_stop - wait for the irq_work and the work of a group's rings
 * @group: the group, with rings; the group's triggers are released
 *
 * Context: may sleep; the list's mutex not held, for rings_ended() takes it.
 */
void pmcgrp_rings_stop(struct pmcgrp_group *group)
{
	struct pmcgrp_ring_buffers *rings = group->rings;

	if (rings->watches_end) {
		mutex_lock(&group->evlist->mutex);
		group->evlist->follower->unwatch(group->evlist, &rings->leave);
		mutex_unlock(&group->evlist->mutex);
		synchronize_rcu();
	}
	if (rings->by_task)
		pmcgrp_by_task_end();
	irq_work_sync(&rings->wake);
	irq_work_sync(&rings->leave.work);
	cancel_delayed_work_sync(&rings->ended);
}

/* Free a group's rings, which have stopped or are not watched.  May sleep. */
void pmcgrp_rings_destroy(struct pmcgrp_ring_buffers *rings)
{
	struct pmcgrp_ring_buffer *ring, *next;
	unsigned int i;

	WARN_ON_ONCE(!list_empty(&rings->triggers));
	for (i = 0; i < PMCGRP_TRIGGERS_MAX; i++)
		free_percpu(rings->sources[i]);
	list_for_each_entry_safe(ring, next, &rings->kept, kept) {
		pmcgrp_charge_unlock(&ring->charge);
		ring_free(ring);
	}
	mutex_destroy(&rings->adding);
	put_pid_ns(rings->ns);
	mutex_destroy(&rings->mutex);
	kfree(rings);
}
