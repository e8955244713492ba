// SPDX-License-Identifier: GPL-2.0-only
/* Ioctls and mmap() of a group's table of counts by key. */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "abi/abi.h"
#include "group/group.h"
#include "group/target.h"
#include "key/by_key.h"
#include "set/evlist.h"

static_assert(sizeof(struct pmcgrp_keys) == PMCGRP_KEYS_SIZE_VER0);

static const struct pmcgrp_keys_ops keys_ops = {
	.free = pmcgrp_by_key_end,
};

static int key_ioctl_check(const struct pmcgrp_group *group, const struct pmcgrp_keys *arg,
			   u32 *why)
{
	*why = PMCGRP_WHY_PERMISSION;
	if (!perfmon_capable())
		return -EACCES;
	*why = PMCGRP_WHY_FLAGS;
	if (arg->flags || !arg->slots || arg->slots > PMCGRP_KEYS_SLOTS_MAX)
		return -EINVAL;
	*why = PMCGRP_WHY_LEADER;
	if (group->member_values)
		return -EOPNOTSUPP;
	*why = PMCGRP_WHY_UNCORE_TASK;
	if (group->evlist->is_uncore)
		return -EOPNOTSUPP;
	*why = PMCGRP_WHY_KEYS_TARGET;
	if (!group->evlist->follower->counts_cpus && !group->evlist->follower->has_binding)
		return -EOPNOTSUPP;
	return 0;
}

static int key_ioctl_begin(struct pmcgrp_group *group, struct pmcgrp_task_key_table *table,
			   u32 *why)
{
	int err;

	pmcgrp_group_assert_locked(group);
	*why = PMCGRP_WHY_KEYS_EXIST;
	if (group->keys)
		return -EBUSY;
	*why = PMCGRP_WHY_RING_EXISTS;
	if (group->rings)
		return -EBUSY;
	*why = PMCGRP_WHY_NOMEM;
	group->keys_ops = &keys_ops;
	err = pmcgrp_by_key_begin(table);
	if (!err)
		*why = PMCGRP_WHY_NONE;
	return err;
}

/* PMCGRP_IOC_KEYS: a struct pmcgrp_keys.  Takes pmcgrp_groups_mutex, and the list's mutex. */
long pmcgrp_keys_setup(struct pmcgrp_group *group, void *_arg)
{
	struct pmcgrp_task_key_table *table;
	struct pmcgrp_keys *arg = _arg;
	u32 *why = &arg->why;
	int err;

	err = key_ioctl_check(group, arg, why);
	if (err)
		return err;
	table = pmcgrp_by_key_create(group, arg, why);
	if (IS_ERR(table))
		return PTR_ERR(table);
	arg->slots = table->keys.slots;
	arg->nr_cpus = table->nr_cpus;
	arg->slot_size = table->keys.slot_size;
	arg->block_size = table->block_size;
	arg->map_size = table->pages << PAGE_SHIFT;
	arg->value_offset = sizeof(struct pmcgrp_keys_slot);
	*why = PMCGRP_WHY_NONE;
	err = pmcgrp_target_unshare_lock(group, why);
	if (!err) {
		mutex_lock(&group->evlist->mutex);
		err = key_ioctl_begin(group, table, why);
		mutex_unlock(&group->evlist->mutex);
		mutex_unlock(&pmcgrp_groups_mutex);
	}
	if (err)
		pmcgrp_by_key_free(table);
	return err;
}

/* PMCGRP_IOC_KEYS_FLUSH: takes the list's mutex. */
long pmcgrp_keys_flush(struct pmcgrp_group *group, unsigned long flags)
{
	struct pmcgrp_task_key_table *table = pmcgrp_group_keys(group);

	if (!table || flags & ~(unsigned long)PMCGRP_KEYS_READ)
		return -EINVAL;
	if (mutex_lock_killable(&group->evlist->mutex))
		return -EINTR;
	pmcgrp_by_key_flush(table, flags & PMCGRP_KEYS_READ);
	mutex_unlock(&group->evlist->mutex);
	return 0;
}

/* Map a table at PMCGRP_KEYS_OFFSET.  The mapping holds the group's file, and with it the table. */
int pmcgrp_keys_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma)
{
	const struct pmcgrp_task_key_table *table = pmcgrp_group_keys(group);
	unsigned long addr = vma->vm_start;
	const void *block;
	size_t at;
	int cpu, err;

	/* Not VM_SHARED, which the mapping of a file that is open for reading only lacks. */
	if (!table || !(vma->vm_flags & VM_MAYSHARE) || vma_pages(vma) != table->pages)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	/* A child would keep the group counting. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	for_each_cpu(cpu, group->evlist->cpus) {
		block = pmcgrp_by_key_cpu_of(table, cpu)->block;
		for (at = 0; at < table->block_size; at += PAGE_SIZE, addr += PAGE_SIZE) {
			err = vm_insert_page(vma, addr, vmalloc_to_page(block + at));
			if (err)
				return err;
		}
		cond_resched();
	}
	return 0;
}
