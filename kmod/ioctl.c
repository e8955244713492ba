// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls: dispatch and argument checks.  What each errno means stands in
 * uapi/linux/pmcgrp.h.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "attr.h"
#include "gang.h"
#include "group.h"
#include "ioctl.h"
#include "read.h"

static_assert(sizeof(struct pmcgrp_query) == PMCGRP_QUERY_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_member) == PMCGRP_MEMBER_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_create) == PMCGRP_CREATE_SIZE_VER0);

static long group_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pmcgrp_group *group = file->private_data;
	void (*func)(struct pmcgrp_group *group);

	switch (cmd) {
	case PERF_EVENT_IOC_ENABLE:
		func = pmcgrp_group_enable;
		break;
	case PERF_EVENT_IOC_DISABLE:
		func = pmcgrp_group_disable;
		break;
	case PERF_EVENT_IOC_RESET:
		func = pmcgrp_group_reset;
		break;
	case PERF_EVENT_IOC_ID:
		return put_user(group->member[0].id, (u64 __user *)arg);
	default:
		return -ENOTTY;
	}
	if (arg & ~(unsigned long)PERF_IOC_FLAG_GROUP)
		return -EINVAL;
	func(group);
	return 0;
}

#ifdef CONFIG_COMPAT
/* PERF_EVENT_IOC_ID has the size of a pointer in its number. */
static long group_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == _IOC(_IOC_READ, _IOC_TYPE(PERF_EVENT_IOC_ID),
			_IOC_NR(PERF_EVENT_IOC_ID), sizeof(compat_uptr_t)))
		return group_ioctl(file, PERF_EVENT_IOC_ID, (unsigned long)compat_ptr(arg));
	return group_ioctl(file, cmd, arg);
}
#endif

static ssize_t group_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	return pmcgrp_group_read(file->private_data, buf, count);
}

static int group_release(struct inode *inode, struct file *file)
{
	pmcgrp_group_free(file->private_data);
	return 0;
}

static const struct file_operations group_fops = {
	.owner		= THIS_MODULE,
	.read		= group_read,
	.unlocked_ioctl	= group_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl	= group_compat_ioctl,
#endif
	.release	= group_release,
	.llseek		= noop_llseek,
};

/* Copy in a size-first struct: -EINVAL if shorter than @least, -E2BIG as documented. */
static int copy_sized(void *to, size_t to_size, size_t least, void __user *from)
{
	u32 size;

	if (get_user(size, (u32 __user *)from))
		return -EFAULT;
	if (size < least)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, to_size, from, size);
}

static long query(void __user *uarg)
{
	struct pmcgrp_query arg;
	u32 size;
	int err;

	err = copy_sized(&arg, sizeof(arg), PMCGRP_QUERY_SIZE_VER0, uarg);
	if (err)
		return err;
	if (arg.flags)
		return -EINVAL;

	size = min_t(u32, arg.size, sizeof(arg));
	memset(&arg, 0, sizeof(arg));
	arg.size = sizeof(arg);
	arg.abi_version = PMCGRP_ABI_VERSION;
	arg.members_max = PMCGRP_MEMBERS_MAX;
	arg.create_flags = PMCGRP_CREATE_FLAGS;
	arg.read_formats = PMCGRP_READ_FORMATS;
	arg.targets = BIT_ULL(PMCGRP_TARGET_TASK) | BIT_ULL(PMCGRP_TARGET_CPU);
	arg.rotate_ns = pmcgrp_gang_interval_ns();
	strscpy(arg.release, THIS_MODULE->version ?: "", sizeof(arg.release));
	return copy_to_user(uarg, &arg, size) ? -EFAULT : 0;
}

static int create_check(const struct pmcgrp_create *arg, struct pmcgrp_failure *fail)
{
	if (!perfmon_capable()) {
		fail->why = PMCGRP_WHY_PERMISSION;
		return -EACCES;
	}
	fail->why = PMCGRP_WHY_RESERVED;
	if (arg->__reserved[0] || arg->__reserved[1])
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
	if (arg->member_size < PMCGRP_MEMBER_SIZE_VER0)
		return -EINVAL;
	if (arg->member_size > PAGE_SIZE)
		return -E2BIG;
	fail->why = PMCGRP_WHY_NONE;
	return 0;
}

static int create_check_target(const struct pmcgrp_create *arg, struct pmcgrp_failure *fail)
{
	fail->why = PMCGRP_WHY_TARGET;
	if (arg->target_id < 0)
		return -EINVAL;
	switch (arg->target_type) {
	case PMCGRP_TARGET_TASK:
		break;
	case PMCGRP_TARGET_CPU:
		if (arg->target_id >= nr_cpu_ids || !cpu_possible(arg->target_id))
			return -EINVAL;
		if (arg->flags & PMCGRP_CREATE_ENABLE_ON_EXEC) {
			fail->why = PMCGRP_WHY_FLAGS;
			return -EINVAL;
		}
		break;
	default:
		return -EINVAL;
	}
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
	err = copy_struct_from_user(&member, sizeof(member), member_ptr(arg, i),
				    arg->member_size);
	if (err)
		return err;
	if (member.flags || member.__reserved) {
		fail->why = PMCGRP_WHY_RESERVED;
		return -EINVAL;
	}
	err = pmcgrp_attr_copy(&group->member[i].attr, u64_to_user_ptr(member.attr), &fail->why);
	if (err)
		return err;
	fail->member = PMCGRP_NO_MEMBER;
	return 0;
}

/* The task that a target_id means to the caller, with a reference, or NULL. */
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

static int create_start(struct pmcgrp_group *group, const struct pmcgrp_create *arg,
			struct pmcgrp_failure *fail)
{
	struct task_struct *task = NULL;
	int err;

	group->target_type = arg->target_type;
	group->flags = arg->flags;
	group->read_format = arg->read_format;
	if (arg->target_type == PMCGRP_TARGET_TASK) {
		task = get_task(arg->target_id);
		if (!task) {
			fail->why = PMCGRP_WHY_TASK_GONE;
			return -ESRCH;
		}
	} else {
		group->cpu = arg->target_id;
	}
	err = pmcgrp_group_start(group, task, fail);
	if (task)
		put_task_struct(task);
	return err;
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
	struct pmcgrp_group *group;
	unsigned int i;
	int err;

	group = pmcgrp_group_alloc(opener, arg->nr_members);
	if (IS_ERR(group)) {
		fail->why = PTR_ERR(group) == -ENOSPC ? PMCGRP_WHY_GROUPS_MAX :
			    PMCGRP_WHY_NOMEM;
		return group;
	}
	for (i = 0; i < group->nr; i++) {
		err = create_copy_member(group, arg, i, fail);
		if (err) {
			pmcgrp_group_free(group);
			return ERR_PTR(err);
		}
	}
	return group;
}

/*
 * Everything that can fail comes before fd_install(): a group that user space
 * can see is complete.
 */
static int create_group(struct pmcgrp_opener *opener, const struct pmcgrp_create *arg,
			struct pmcgrp_failure *fail)
{
	struct pmcgrp_group *group;
	struct file *file;
	int err, fd;

	err = create_check(arg, fail);
	if (!err)
		err = create_check_target(arg, fail);
	if (err)
		return err;
	group = create_copy(opener, arg, fail);
	if (IS_ERR(group))
		return PTR_ERR(group);
	fd = get_unused_fd_flags(O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		err = fd;
		goto free_group;
	}
	err = create_start(group, arg, fail);
	if (!err)
		err = create_publish_ids(group, arg, fail);
	if (err)
		goto put_fd;
	file = anon_inode_getfile("[pmcgrp]", &group_fops, group, O_RDWR | O_CLOEXEC);
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
		goto put_fd;
	}
	fd_install(fd, file);
	return fd;

put_fd:
	put_unused_fd(fd);
free_group:
	pmcgrp_group_free(group);
	return err;
}

static long create(struct pmcgrp_opener *opener, void __user *uarg)
{
	struct pmcgrp_failure fail = { .member = PMCGRP_NO_MEMBER, .cpu = -1 };
	struct pmcgrp_create __user *out = uarg;
	struct pmcgrp_create arg;
	int ret;

	ret = copy_sized(&arg, sizeof(arg), PMCGRP_CREATE_SIZE_VER0, uarg);
	if (ret)
		return ret;
	/* Written first, so that no group has to be undone because of it. */
	if (put_user(fail.why, &out->why) || put_user(fail.member, &out->fail_member) ||
	    put_user(fail.cpu, &out->fail_cpu))
		return -EFAULT;
	ret = create_group(opener, &arg, &fail);
	if (ret >= 0)
		return ret;
	if (put_user(fail.why, &out->why) || put_user(fail.member, &out->fail_member) ||
	    put_user(fail.cpu, &out->fail_cpu))
		return -EFAULT;
	return ret;
}

/**
 * pmcgrp_device_ioctl - ioctls on /dev/pmcgrp
 * @file: the device's file
 * @cmd: PMCGRP_IOC_*
 * @arg: user pointer to the command's struct
 *
 * Context: may sleep.
 * Return: as the uapi header says for @cmd; -ENOTTY for another one.
 */
long pmcgrp_device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case PMCGRP_IOC_QUERY:
		return query((void __user *)arg);
	case PMCGRP_IOC_CREATE:
		return create(file->private_data, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}
