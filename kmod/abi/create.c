// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCGRP_IOC_CREATE: check and copy the arguments, start the group, install its descriptor.
 *
 * uapi/linux/pmcgrp.h documents each errno.
 */
#include <linux/anon_inodes.h>
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "abi/abi.h"
#include "counter/attr.h"
#include "follow/cgroup.h"
#include "group/group.h"
#include "group/target.h"
#include "platform/account.h"
#include "platform/uapi_copy.h"
#include "sample/read_format.h"
#include "sample/user_page.h"

static_assert(sizeof(struct pmcgrp_member) == PMCGRP_MEMBER_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_create) == PMCGRP_CREATE_SIZE_VER0);

static int create_check(const struct pmcgrp_create *arg, struct pmcgrp_failure *fail)
{
	int err;

	if (!perfmon_capable()) {
		fail->why = PMCGRP_WHY_PERMISSION;
		return -EACCES;
	}
	fail->why = PMCGRP_WHY_RESERVED;
	if (arg->__reserved)
		return -EINVAL;
	fail->why = PMCGRP_WHY_FLAGS;
	if (arg->flags & ~PMCGRP_CREATE_FLAGS)
		return -EINVAL;
	fail->why = PMCGRP_WHY_READ_FORMAT;
	if (arg->read_format & ~(u64)PMCGRP_READ_FORMATS)
		return -EINVAL;
	fail->why = PMCGRP_WHY_NR_MEMBERS;
	if (!arg->nr_members || arg->nr_members > PMCGRP_MEMBERS_MAX)
		return -EINVAL;
	fail->why = PMCGRP_WHY_MEMBER;
	err = pmcgrp_stride_check(arg->member_size, PMCGRP_MEMBER_SIZE_VER0);
	if (!err)
		fail->why = PMCGRP_WHY_NONE;
	return err;
}

static bool target_is_cgroup(const struct pmcgrp_create *arg)
{
	return arg->target_type == PMCGRP_TARGET_CGROUP;
}

static bool target_is_cpus(const struct pmcgrp_create *arg)
{
	return arg->target_type == PMCGRP_TARGET_CPU || arg->target_type == PMCGRP_TARGET_CPUS ||
	       arg->target_type == PMCGRP_TARGET_ALL_CPUS || target_is_cgroup(arg);
}

static int create_check_target(const struct pmcgrp_create *arg, struct pmcgrp_failure *fail)
{
	fail->why = PMCGRP_WHY_TARGET;
	if (arg->target_type > PMCGRP_TARGET_CGROUP || arg->target_id < 0)
		return -EINVAL;
	if (arg->target_type == PMCGRP_TARGET_CPU &&
	    (arg->target_id >= nr_cpu_ids || !cpu_possible(arg->target_id)))
		return -EINVAL;
	if (arg->target_type == PMCGRP_TARGET_CPUS || arg->target_type == PMCGRP_TARGET_ALL_CPUS)
		if (arg->target_id)
			return -EINVAL;
	fail->why = PMCGRP_WHY_CPUS;
	if (arg->target_type != PMCGRP_TARGET_CPUS && (arg->cpus || arg->cpus_size))
		return -EINVAL;
	fail->why = PMCGRP_WHY_FLAGS;
	if (target_is_cpus(arg) &&
	    arg->flags & (PMCGRP_CREATE_ENABLE_ON_EXEC | PMCGRP_CREATE_INHERIT |
			  PMCGRP_CREATE_UNTIL_EXIT))
		return -EINVAL;
	/* What makes room for it is a perf event, which comes in with the CPU (carried.c). */
	if (target_is_cgroup(arg) && arg->flags & PMCGRP_CREATE_PINNED)
		return -EINVAL;
	if (arg->flags & PMCGRP_CREATE_USER_READ &&
	    (arg->target_type != PMCGRP_TARGET_TASK ||
	     arg->flags & (PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_LEADER)))
		return -EINVAL;
	if (arg->flags & PMCGRP_CREATE_BACKGROUND &&
	    arg->flags & (PMCGRP_CREATE_PINNED | PMCGRP_CREATE_LEADER | PMCGRP_CREATE_USER_READ))
		return -EINVAL;
	if (arg->flags & PMCGRP_CREATE_AS_PERF && !(arg->flags & PMCGRP_CREATE_LEADER))
		return -EINVAL;
	fail->why = PMCGRP_WHY_NONE;
	return 0;
}

static void __user *member_ptr(const struct pmcgrp_create *arg, unsigned int i)
{
	return u64_to_user_ptr(arg->members + (u64)i * arg->member_size);
}

static int create_copy_member(struct pmcgrp_group *group, const struct pmcgrp_create *arg,
			      unsigned int i, struct pmcgrp_failure *fail)
{
	struct pmcgrp_member member;
	int err;

	fail->member = i;
	fail->why = PMCGRP_WHY_MEMBER;
	/* With a constant size the compiler does the bounds check of the destination. */
	if (arg->member_size == sizeof(member))
		err = copy_from_user(&member, member_ptr(arg, i), sizeof(member)) ? -EFAULT : 0;
	else
		err = copy_struct_from_user(&member, sizeof(member), member_ptr(arg, i),
					    arg->member_size);
	if (err)
		return err;
	if (member.flags) {
		fail->why = PMCGRP_WHY_RESERVED;
		return -EINVAL;
	}
	err = pmcgrp_attr_copy(&group->member[i].attr, u64_to_user_ptr(member.attr), &fail->why);
	if (err)
		return err;
	fail->member = PMCGRP_NO_MEMBER;
	return 0;
}

/* Find a task by its id in the caller's PID namespace; take a reference.  Id 0 is the caller. */
static struct task_struct *get_task(pid_t id)
{
	struct task_struct *task;

	rcu_read_lock();
	task = id ? pid_task(find_vpid(id), PIDTYPE_PID) : current;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

/*
 * Copy the mask of PMCGRP_TARGET_CPUS.  Refuse bits of impossible CPUs, also those from nr_cpu_ids
 * on, which cpumask functions ignore.
 */
static int create_copy_cpus(struct cpumask *cpus, const struct pmcgrp_create *arg,
			    struct pmcgrp_failure *fail)
{
	size_t known = min_t(size_t, arg->cpus_size, cpumask_size());
	u8 __user *from = u64_to_user_ptr(arg->cpus);
	unsigned int bit;
	int err;

	fail->why = PMCGRP_WHY_CPUS;
	if (!arg->cpus_size || arg->cpus_size % sizeof(u64) || arg->cpus_size > PAGE_SIZE)
		return -EINVAL;
	if (copy_from_user(cpumask_bits(cpus), from, known))
		return -EFAULT;
	err = check_zeroed_user(from + known, arg->cpus_size - known);
	if (err < 0)
		return err;
	bit = find_next_bit(cpumask_bits(cpus), known * BITS_PER_BYTE, nr_cpu_ids);
	if (!err || bit < known * BITS_PER_BYTE || cpumask_empty(cpus) ||
	    !cpumask_subset(cpus, cpu_possible_mask))
		return -EINVAL;
	fail->why = PMCGRP_WHY_NONE;
	return 0;
}

static int create_user_page(struct pmcgrp_group *group, const struct task_struct *task,
			    struct pmcgrp_failure *fail)
{
	int err;

	if (task != current) {
		fail->why = PMCGRP_WHY_FLAGS;
		return -EINVAL;
	}
	err = pmcgrp_user_page_create(group);
	if (err)
		fail->why = PMCGRP_WHY_NOMEM;
	return err;
}

static int create_for_task(struct pmcgrp_group *group, const struct pmcgrp_create *arg,
			   struct pmcgrp_target *target, struct pmcgrp_failure *fail)
{
	int err = 0;

	target->cpus = cpu_possible_mask;
	target->task = get_task(arg->target_id);
	if (!target->task) {
		fail->why = PMCGRP_WHY_TASK_GONE;
		return -ESRCH;
	}
	if (arg->flags & PMCGRP_CREATE_USER_READ)
		err = create_user_page(group, target->task, fail);
	if (!err)
		err = pmcgrp_target_start(group, target, fail);
	put_task_struct(target->task);
	return err;
}

static int create_for_cpus(struct pmcgrp_group *group, const struct pmcgrp_create *arg,
			   struct pmcgrp_target *target, struct pmcgrp_failure *fail)
{
	cpumask_var_t cpus;
	int err = 0;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL_ACCOUNT)) {
		fail->why = PMCGRP_WHY_NOMEM;
		return -ENOMEM;
	}
	if (arg->target_type == PMCGRP_TARGET_CPU)
		cpumask_set_cpu(array_index_nospec(arg->target_id, nr_cpu_ids), cpus);
	else if (arg->target_type == PMCGRP_TARGET_CPUS)
		err = create_copy_cpus(cpus, arg, fail);
	else
		cpumask_copy(cpus, cpu_possible_mask);
	target->cpus = cpus;
	if (!err)
		err = pmcgrp_target_start(group, target, fail);
	free_cpumask_var(cpus);
	return err;
}

static int create_for_cgroup(struct pmcgrp_group *group, const struct pmcgrp_create *arg,
			     struct pmcgrp_target *target, struct pmcgrp_failure *fail)
{
	struct cgroup *cgroup = pmcgrp_cgroup_find(arg->target_id);
	int err;

	if (IS_ERR(cgroup)) {
		err = PTR_ERR(cgroup);
		fail->why = err == -EOPNOTSUPP ? PMCGRP_WHY_NO_CGROUPS : PMCGRP_WHY_CGROUP;
		return err;
	}
	target->cgroup = cgroup;
	target->cgroup_id = pmcgrp_cgroup_id(cgroup);
	target->cgroup_level = pmcgrp_cgroup_level(cgroup);
	err = create_for_cpus(group, arg, target, fail);
	pmcgrp_cgroup_put(cgroup);
	return err;
}

static int create_start(struct pmcgrp_group *group, const struct pmcgrp_create *arg,
			struct pmcgrp_failure *fail)
{
	struct pmcgrp_target target = { .type = arg->target_type, .flags = arg->flags };

	group->flags = arg->flags;
	group->read_format = arg->read_format;
	group->leader.read_format = arg->read_format;
	if (target_is_cgroup(arg))
		return create_for_cgroup(group, arg, &target, fail);
	if (target_is_cpus(arg))
		return create_for_cpus(group, arg, &target, fail);
	return create_for_task(group, arg, &target, fail);
}

static int create_publish_ids(struct pmcgrp_group *group, const struct pmcgrp_create *arg,
			      struct pmcgrp_failure *fail)
{
	struct pmcgrp_member __user *member;
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		member = member_ptr(arg, i);
		if (put_user(group->member[i].id, &member->id)) {
			fail->why = PMCGRP_WHY_MEMBER;
			fail->member = i;
			return -EFAULT;
		}
	}
	return 0;
}

static struct pmcgrp_group *create_copy(struct pmcgrp_opener *opener,
					const struct pmcgrp_create *arg,
					struct pmcgrp_failure *fail)
{
	struct pmcgrp_account *account = pmcgrp_account_of_caller();
	struct pmcgrp_group *group;
	unsigned int i;
	int err;

	fail->why = PMCGRP_WHY_NOMEM;
	if (!account)
		return ERR_PTR(-ENOMEM);
	group = pmcgrp_group_alloc(opener, account, arg->nr_members,
				   arg->flags & PMCGRP_CREATE_LEADER);
	pmcgrp_account_put(account);
	if (IS_ERR(group)) {
		fail->why = pmcgrp_group_why(PTR_ERR(group));
		return ERR_PTR(pmcgrp_errno_of(PTR_ERR(group)));
	}
	fail->why = PMCGRP_WHY_NONE;
	for (i = 0; i < group->nr; i++) {
		err = create_copy_member(group, arg, i, fail);
		if (err) {
			pmcgrp_target_close(group);
			return ERR_PTR(err);
		}
	}
	return group;
}

/* Create a group and its descriptor, which comes last, after all that can fail. */
static int create_group(struct pmcgrp_opener *opener, const struct pmcgrp_create *arg,
			struct pmcgrp_failure *fail)
{
	struct pmcgrp_group *group;
	int err, fd;

	err = create_check(arg, fail);
	if (!err)
		err = create_check_target(arg, fail);
	if (err)
		return err;
	group = create_copy(opener, arg, fail);
	if (IS_ERR(group))
		return PTR_ERR(group);
	err = create_start(group, arg, fail);
	if (!err)
		err = create_publish_ids(group, arg, fail);
	fd = err ?: anon_inode_getfd("[pmcgrp]", &pmcgrp_group_fops, group, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	/* Set the reason if the descriptor failed; the other steps set it themselves. */
	if (fd == -ENOMEM)
		fail->why = PMCGRP_WHY_NOMEM;
	pmcgrp_target_close(group);
	return fd;
}

/* PMCGRP_IOC_CREATE: a struct pmcgrp_create. */
long pmcgrp_create(struct file *device, void *_arg)
{
	struct pmcgrp_failure fail = { .member = PMCGRP_NO_MEMBER, .cpu = -1 };
	struct pmcgrp_create *arg = _arg;
	int ret;

	ret = create_group(device->private_data, arg, &fail);
	arg->why = ret < 0 ? fail.why : PMCGRP_WHY_NONE;
	arg->fail_member = ret < 0 ? fail.member : PMCGRP_NO_MEMBER;
	arg->fail_cpu = ret < 0 ? fail.cpu : -1;
	return ret;
}
