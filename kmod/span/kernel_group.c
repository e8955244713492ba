// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of other kernel modules (include/linux/pmcgrp.h).
 *
 * Such a group is an ordinary one without a descriptor.  Its owner destroys it.  What a module has
 * left behind when it goes is destroyed by a notifier, with a warning: its code cannot run any
 * more.
 *
 * pmcgrp_kernel_group_read_local() takes no lock.  A set that is scheduled in on this CPU changes
 * here only, with interrupts off, in a recursion section (recursion.h).  An NMI that interrupts
 * such a section gets -EBUSY.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "counter/attr.h"
#include "counter/counter.h"
#include "group/control.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "group/target.h"
#include "include/linux/pmcgrp.h"
#include "platform/account.h"
#include "platform/recursion.h"
#include "sample/read_format.h"
#include "set/evlist.h"
#include "set/evset.h"
#include "span/kernel_group.h"
#include "span/section.h"

static DEFINE_MUTEX(kernel_groups_mutex);
static LIST_HEAD(kernel_groups); /* kernel_groups_mutex */

static int copy_members(struct pmcgrp_group *group, const struct pmcgrp_kernel_attr *attr, u32 *why)
{
	unsigned int i;
	int err;

	for (i = 0; i < attr->nr; i++) {
		err = pmcgrp_attr_make(&group->member[i].attr, &attr->member[i], why);
		if (err)
			return err;
	}
	return 0;
}

static struct pmcgrp_group *group_alloc(const struct pmcgrp_kernel_attr *attr, u32 *why)
{
	struct pmcgrp_opener *opener = pmcgrp_opener_create();
	struct pmcgrp_group *group;
	int err;

	*why = PMCGRP_WHY_NOMEM;
	if (!opener)
		return ERR_PTR(-ENOMEM);
	group = pmcgrp_group_alloc(opener, &pmcgrp_account_of_modules, attr->nr, false);
	pmcgrp_opener_put(opener);
	if (IS_ERR(group)) {
		*why = pmcgrp_group_why(PTR_ERR(group));
		return ERR_PTR(pmcgrp_errno_of(PTR_ERR(group)));
	}
	/* The process that loads the module is not the owner, and is gone soon. */
	put_pid(group->owner);
	group->owner = NULL;
	strscpy_pad(group->comm, attr->name, sizeof(group->comm));
	group->flags = attr->flags & PMCGRP_KERNEL_PINNED ? PMCGRP_CREATE_PINNED : 0;
	if (attr->flags & PMCGRP_KERNEL_DISABLED)
		group->flags |= PMCGRP_CREATE_DISABLED;
	err = copy_members(group, attr, why);
	if (!err)
		return group;
	pmcgrp_target_close(group);
	return ERR_PTR(err);
}

static int group_start(struct pmcgrp_group *group, const struct pmcgrp_kernel_attr *attr, u32 *why)
{
	struct pmcgrp_failure fail = { .member = PMCGRP_NO_MEMBER, .cpu = -1 };
	struct pmcgrp_target target = {
		.type = PMCGRP_TARGET_ALL_CPUS,
		.flags = group->flags,
		.is_private = true,
		.cpus = cpu_possible_mask,
	};
	int err;

	if (attr->task) {
		target.type = PMCGRP_TARGET_TASK;
		target.task = attr->task;
	} else if (attr->cpu >= 0) {
		target.type = PMCGRP_TARGET_CPU;
		target.cpus = cpumask_of(attr->cpu);
	}
	err = pmcgrp_target_start(group, &target, &fail);
	*why = fail.why;
	return err;
}

static bool attr_is_valid(const struct pmcgrp_kernel_attr *attr)
{
	return attr->name && attr->owner && attr->member && attr->nr &&
	       attr->nr <= PMCGRP_MEMBERS_MAX &&
	       !(attr->flags & ~(PMCGRP_KERNEL_PINNED | PMCGRP_KERNEL_DISABLED)) &&
	       attr->cpu >= -1 && attr->cpu < (int)nr_cpu_ids &&
	       (attr->cpu < 0 || cpu_possible(attr->cpu));
}

/**
 * pmcgrp_kernel_group_create - make a group that counts
 * @attr: what it counts
 * @why: out: enum pmcgrp_why on failure; may be NULL
 *
 * Context: may sleep; no lock of perf core's or of CPU hotplug held.
 * Return: the group, for pmcgrp_kernel_group_destroy(); or an ERR_PTR as the uapi header gives for
 * PMCGRP_IOC_CREATE, or -EINTR if the caller has been killed.
 */
struct pmcgrp_kernel_group *pmcgrp_kernel_group_create(const struct pmcgrp_kernel_attr *attr,
						       u32 *why)
{
	struct pmcgrp_kernel_group *kernel_group;
	u32 unused;
	int err;

	might_sleep();
	why = why ?: &unused;
	*why = PMCGRP_WHY_FLAGS;
	if (WARN_ONCE(!attr_is_valid(attr), "pmcgrp: no such group of a kernel module"))
		return ERR_PTR(-EINVAL);
	*why = PMCGRP_WHY_NOMEM;
	kernel_group = kzalloc(sizeof(*kernel_group), GFP_KERNEL);
	if (!kernel_group)
		return ERR_PTR(-ENOMEM);
	kernel_group->owner = attr->owner;
	kernel_group->group = group_alloc(attr, why);
	err = PTR_ERR_OR_ZERO(kernel_group->group);
	if (err)
		goto free_kernel_group;
	err = group_start(kernel_group->group, attr, why);
	if (err)
		goto close_group;
	mutex_lock(&kernel_groups_mutex);
	list_add_tail(&kernel_group->node, &kernel_groups);
	mutex_unlock(&kernel_groups_mutex);
	return kernel_group;

close_group:
	pmcgrp_target_close(kernel_group->group);
free_kernel_group:
	kfree(kernel_group);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(pmcgrp_kernel_group_create);

static bool is_group(const struct pmcgrp_kernel_group *group)
{
	return !WARN_ONCE(IS_ERR_OR_NULL(group), "pmcgrp: no group of a kernel module");
}

static void kernel_group_free(struct pmcgrp_kernel_group *group)
{
	lockdep_assert_held(&kernel_groups_mutex);
	list_del(&group->node);
	/* Readers that found the group have interrupts or preemption off. */
	synchronize_rcu();
	pmcgrp_target_close(group->group);
	kfree(group);
}

/**
 * pmcgrp_kernel_group_destroy - end a group
 * @group: the group, without sections; nobody starts to read it any more
 *
 * Waits for those who read it with preemption or interrupts off.
 *
 * Context: may sleep.
 * Return: 0; -EBUSY, with a warning, if it has sections: then it goes on; -EINVAL for no group.
 */
int pmcgrp_kernel_group_destroy(struct pmcgrp_kernel_group *group)
{
	int err = 0;

	might_sleep();
	if (!is_group(group))
		return -EINVAL;
	mutex_lock(&kernel_groups_mutex);
	if (WARN_ONCE(pmcgrp_sections_exist(group->group), "pmcgrp: a group has sections"))
		err = -EBUSY;
	else
		kernel_group_free(group);
	mutex_unlock(&kernel_groups_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(pmcgrp_kernel_group_destroy);

/**
 * pmcgrp_kernel_group_enable - let a group count
 * @group: the group
 *
 * Context: may sleep.
 * Return: 0; -EINVAL for no group; -EINTR if the caller has been killed.
 */
int pmcgrp_kernel_group_enable(struct pmcgrp_kernel_group *group)
{
	return is_group(group) ? pmcgrp_control_enable(group->group) : -EINVAL;
}
EXPORT_SYMBOL_GPL(pmcgrp_kernel_group_enable);

/**
 * pmcgrp_kernel_group_disable - let a group not count, and keep its counts
 * @group: the group
 *
 * Context: may sleep.
 * Return: as pmcgrp_kernel_group_enable().
 */
int pmcgrp_kernel_group_disable(struct pmcgrp_kernel_group *group)
{
	return is_group(group) ? pmcgrp_control_disable(group->group) : -EINVAL;
}
EXPORT_SYMBOL_GPL(pmcgrp_kernel_group_disable);

/* What the group shows of values, and what it has shown at its start if it shares a list. */
static void put_values(const struct pmcgrp_group *group, const struct pmcgrp_values *at,
		       const struct pmcgrp_values *zero, u64 *count, u64 *enabled, u64 *running)
{
	unsigned int i, e;

	for (i = 0; i < group->nr; i++) {
		e = group->member[i].event;
		count[i] = at->count[e] - zero->count[e];
	}
	*enabled = at->enabled - zero->enabled;
	*running = at->running - zero->running;
}

static int read_here(const struct pmcgrp_group *group, u64 *count, u64 *enabled, u64 *running)
{
	struct pmcgrp_evset *set = pmcgrp_evcpu_here(group->evlist)->in;
	unsigned int seq = raw_read_seqcount(&group->zero_seq);
	struct pmcgrp_values at __uninitialized;

	if (!set || !set->is_in || set->error || !pmcgrp_group_is_enabled(group))
		return -ENODATA;
	/* Drivers of uncore PMUs may take locks to read them, and may be at it. */
	if (seq & 1 || (set->on && pmcgrp_counters_may_move(set->counter, set->nr_hw)) ||
	    (in_nmi() && group->evlist->is_uncore))
		return -EBUSY;
	pmcgrp_evset_values(set, &at, in_nmi());
	put_values(group, &at, pmcgrp_evset_zero(set, group), count, enabled, running);
	return read_seqcount_retry(&group->zero_seq, seq) ? -EBUSY : 0;
}

/**
 * pmcgrp_kernel_group_read_local - read what a group has counted on this CPU, or of this task
 * @group: the group
 * @count: out: one count for each member
 * @enabled: out: nanoseconds for which the group has been enabled, on this CPU or in this task
 * @running: out: nanoseconds of these in which it had its counters
 *
 * A group for all CPUs: the counts of this CPU.  Takes no lock, and as long as one reading of the
 * counters with interrupts off.
 *
 * Context: any, NMI included.
 * Return: 0; -ENODATA if the group is not enabled, or counts neither this CPU nor this task; -EBUSY
 * if this has interrupted a change of the counters, as an NMI or a probe in pmcgrp may; -EINVAL for
 * no group.
 */
int pmcgrp_kernel_group_read_local(struct pmcgrp_kernel_group *group, u64 *count, u64 *enabled,
				   u64 *running)
{
	unsigned long flags;
	int err = -EBUSY;

	if (!is_group(group))
		return -EINVAL;
	local_irq_save(flags);
	if (pmcgrp_recursion_try()) {
		err = read_here(group->group, count, enabled, running);
		pmcgrp_recursion_end();
	}
	local_irq_restore(flags);
	return err;
}
EXPORT_SYMBOL_GPL(pmcgrp_kernel_group_read_local);

/**
 * pmcgrp_kernel_group_read - read what a group has counted, as the sum over all CPUs
 * @group: the group
 * @count: out: one count for each member
 * @enabled: out: nanoseconds for which the group has been enabled
 * @running: out: nanoseconds of these in which it had its counters
 *
 * Context: may sleep.
 * Return: 0; -EIO for a pinned group in error; -EINVAL for no group.
 */
int pmcgrp_kernel_group_read(struct pmcgrp_kernel_group *group, u64 *count, u64 *enabled,
			     u64 *running)
{
	const struct pmcgrp_values *at, *zero;
	struct pmcgrp_evlist *evlist;

	might_sleep();
	if (!is_group(group))
		return -EINVAL;
	evlist = group->group->evlist;
	if (pmcgrp_evlist_in_error(evlist))
		return -EIO;
	mutex_lock(&evlist->mutex);
	at = pmcgrp_control_refresh(group->group, &zero);
	put_values(group->group, at, zero, count, enabled, running);
	mutex_unlock(&evlist->mutex);
	return 0;
}
EXPORT_SYMBOL_GPL(pmcgrp_kernel_group_read);

/* A module has gone: nobody else can reach its groups. */
static int module_notify(struct notifier_block *block, unsigned long state, void *module)
{
	struct pmcgrp_kernel_group *group, *next;

	if (state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&kernel_groups_mutex);
	list_for_each_entry_safe(group, next, &kernel_groups, node) {
		if (group->owner != module)
			continue;
		WARN_ONCE(1, "pmcgrp: module %s has left a group behind",
			  module_name(group->owner));
		pmcgrp_sections_free(group->group);
		kernel_group_free(group);
	}
	mutex_unlock(&kernel_groups_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_block = {
	.notifier_call = module_notify,
};

/* When the module is loaded: watch for modules that go. */
int __init pmcgrp_kernel_groups_init(void)
{
	return register_module_notifier(&module_block);
}

/* When the module is unloaded: no module uses it. */
void pmcgrp_kernel_groups_exit(void)
{
	unregister_module_notifier(&module_block);
	WARN_ON(!list_empty(&kernel_groups));
}
