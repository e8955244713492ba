// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCGRP_IOC_ADD, and the files of members.
 *
 * uapi/linux/pmcgrp.h documents each errno.
 */
#include <linux/anon_inodes.h>
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "abi/abi.h"
#include "counter/attr.h"
#include "group/group.h"
#include "group/member.h"
#include "group/member_add.h"
#include "sample/count_page.h"
#include "sample/read_format.h"

#define PMCGRP_ADD_FLAGS (PMCGRP_ADD_DISABLED | PMCGRP_ADD_NO_CLOEXEC | PMCGRP_ADD_AS_PERF)

static_assert(offsetofend(struct pmcgrp_add, fail_cpu) == PMCGRP_ADD_SIZE_VER0);

/**
 * pmcgrp_member_fd_control - enable, disable or reset a member or its group
 * @mfd: a descriptor of a group with a leader
 * @cmd: PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE or PERF_EVENT_IOC_RESET
 * @arg: PERF_IOC_FLAG_GROUP or 0; for a reset also PMCGRP_IOC_FLAG_TIMES.  Of a group with
 *	%PMCGRP_CREATE_AS_PERF other bits are ignored.
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL for another @arg, -EINTR if the caller has been killed.
 */
long pmcgrp_member_fd_control(struct pmcgrp_member_fd *mfd, unsigned int cmd, unsigned long arg)
{
	unsigned long flags = PERF_IOC_FLAG_GROUP;
	bool whole = arg & PERF_IOC_FLAG_GROUP;

	if (mfd->group->flags & PMCGRP_CREATE_AS_PERF)
		arg &= flags; /* as _perf_ioctl() does */
	if (cmd == PERF_EVENT_IOC_RESET)
		flags |= PMCGRP_IOC_FLAG_TIMES;
	if (arg & ~flags)
		return -EINVAL;
	if (cmd == PERF_EVENT_IOC_ENABLE)
		return pmcgrp_member_fd_enable(mfd, whole);
	if (cmd == PERF_EVENT_IOC_DISABLE)
		return pmcgrp_member_fd_disable(mfd, whole);
	return pmcgrp_member_fd_reset(mfd, whole, arg & PMCGRP_IOC_FLAG_TIMES);
}

static const struct pmcgrp_ioctl member_ioctls[] = {
	{ PMCGRP_IOC_INFO, sizeof(struct pmcgrp_info), PMCGRP_INFO_SIZE_VER0,
	  .of_group = pmcgrp_info_ioctl },
	{}
};

static long member_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pmcgrp_member_fd *mfd = file->private_data;
	long ret;

	if (mfd->group->flags & PMCGRP_CREATE_AS_PERF) {
		ret = pmcgrp_as_perf_ioctl(mfd, cmd, arg);
		if (ret != -ENOTTY)
			return ret;
	}
	switch (cmd) {
	case PERF_EVENT_IOC_ID:
		return put_user(mfd->id, (u64 __user *)arg);
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
	case PERF_EVENT_IOC_RESET:
		return pmcgrp_member_fd_control(mfd, cmd, arg);
	case PMCGRP_IOC_READER:
		return pmcgrp_read_only_open(file, NULL, arg);
	case PMCGRP_IOC_ADD:
		return -EINVAL; /* not the leader, as in perf_event_open() */
	default:
		return pmcgrp_ioctl_call(member_ioctls, mfd->group, NULL, cmd, (void __user *)arg);
	}
}

/* read() a descriptor of a group with a leader: as pmcgrp_read_member(), or -EFAULT. */
ssize_t pmcgrp_member_fd_read(struct pmcgrp_member_fd *mfd, char __user *buf, size_t count)
{
	u64 out[PMCGRP_READ_WORDS_MAX] __uninitialized;
	ssize_t size = pmcgrp_read_member(mfd, out, count);

	return size > 0 && copy_to_user(buf, out, size) ? -EFAULT : size;
}

static ssize_t member_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	return pmcgrp_member_fd_read(file->private_data, buf, count);
}

static __poll_t member_poll(struct file *file, poll_table *wait)
{
	return pmcgrp_count_page_poll(file->private_data, file, wait);
}

static int member_mmap(struct file *file, struct vm_area_struct *vma)
{
	return pmcgrp_count_page_mmap(file->private_data, vma);
}

static int member_release(struct inode *inode, struct file *file)
{
	struct pmcgrp_member_fd *mfd = file->private_data;

	pmcgrp_member_fd_close(mfd);
	pmcgrp_count_page_free(mfd);
	kfree(mfd);
	return 0;
}

static loff_t member_llseek(struct file *file, loff_t offset, int whence)
{
	const struct pmcgrp_member_fd *mfd = file->private_data;

	return pmcgrp_as_perf_llseek(mfd->group, file, offset, whence);
}

static const struct file_operations member_fops = {
	.owner = THIS_MODULE,
	.read = member_read,
	.unlocked_ioctl = member_ioctl,
	.compat_ioctl = pmcgrp_compat_ioctl,
	.mmap = member_mmap,
	.poll = member_poll,
	.release = member_release,
	.llseek = member_llseek,
};

/* The member that a file is a descriptor of; NULL of others: the leader's is its group's. */
struct pmcgrp_member_fd *pmcgrp_member_of_file(const struct file *file)
{
	return file->f_op == &member_fops ? file->private_data : NULL;
}

static int member_ioctl_check(const struct pmcgrp_group *group, const struct pmcgrp_add *arg,
			      u32 *why)
{
	if (!perfmon_capable()) {
		*why = PMCGRP_WHY_PERMISSION;
		return -EACCES;
	}
	*why = PMCGRP_WHY_FLAGS;
	if (arg->flags & ~PMCGRP_ADD_FLAGS || !(group->flags & PMCGRP_CREATE_LEADER))
		return -EINVAL;
	*why = PMCGRP_WHY_READ_FORMAT;
	if (arg->read_format & ~(u64)PMCGRP_READ_FORMATS)
		return -EINVAL;
	*why = PMCGRP_WHY_RESERVED;
	if (!(arg->flags & PMCGRP_ADD_AS_PERF) && (arg->pid || arg->cpu))
		return -EINVAL;
	*why = PMCGRP_WHY_NONE;
	return 0;
}

/* Add a member and its descriptor, which comes last, after all that can fail. */
static int add_member(struct pmcgrp_member_fd *mfd, const struct perf_event_attr *attr,
		      const struct pmcgrp_add *arg, struct pmcgrp_failure *fail)
{
	int flags = arg->flags & PMCGRP_ADD_NO_CLOEXEC ? O_RDWR : O_RDWR | O_CLOEXEC;
	int err, fd;

	err = pmcgrp_member_fd_add(mfd, attr, !(arg->flags & PMCGRP_ADD_DISABLED),
				   arg->flags & PMCGRP_ADD_AS_PERF, fail);
	if (err)
		return err;
	fd = anon_inode_getfd("[pmcgrp-member]", &member_fops, mfd, flags);
	if (fd < 0)
		pmcgrp_member_fd_close(mfd);
	return fd;
}

static int member_ioctl_add(struct pmcgrp_group *group, struct pmcgrp_add *arg,
			    struct pmcgrp_failure *fail)
{
	struct pmcgrp_member_fd *mfd;
	struct perf_event_attr attr;
	int err;

	err = member_ioctl_check(group, arg, &fail->why);
	if (err)
		return err;
	if (arg->flags & PMCGRP_ADD_AS_PERF)
		err = pmcgrp_add_as_perf(group, arg, &attr, &fail->why);
	else
		err = pmcgrp_attr_copy(&attr, u64_to_user_ptr(arg->attr), &fail->why);
	if (err)
		return err;
	mfd = kzalloc(sizeof(*mfd), GFP_KERNEL_ACCOUNT);
	if (!mfd) {
		err = -ENOMEM;
		goto failed;
	}
	mfd->group = group;
	mfd->id = pmcgrp_group_next_ids(1);
	mfd->read_format = arg->read_format;
	arg->id = mfd->id;
	arg->leader = group->leader.id;
	arg->process = task_tgid_vnr(current);
	arg->thread = task_pid_vnr(current);
	err = add_member(mfd, &attr, arg, fail);
	if (err >= 0)
		return err;
	kfree(mfd);
failed:
	/* Set the reason if descriptor or file failed; the other steps set it themselves. */
	if (err == -ENOMEM)
		fail->why = PMCGRP_WHY_NOMEM;
	return err;
}

/* PMCGRP_IOC_ADD: a struct pmcgrp_add. */
long pmcgrp_member_ioctl_add(struct pmcgrp_group *group, void *_arg)
{
	struct pmcgrp_failure fail = { .cpu = -1 };
	struct pmcgrp_add *arg = _arg;
	int ret = member_ioctl_add(group, arg, &fail);

	arg->why = ret < 0 ? fail.why : PMCGRP_WHY_NONE;
	arg->fail_cpu = ret < 0 ? fail.cpu : -1;
	if (ret < 0)
		arg->id = 0;
	return ret;
}
