// SPDX-License-Identifier: GPL-2.0-only
/* Ioctls, and the file operations of a group. */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "abi/abi.h"
#include "group/control.h"
#include "group/group.h"
#include "group/member.h"
#include "group/member_add.h"
#include "group/target.h"
#include "sample/count_page.h"
#include "sample/ring_map.h"
#include "sample/trigger.h"
#include "sample/user_page.h"
#include "span/span.h"

static_assert(sizeof(struct pmcgrp_read_cpus) == PMCGRP_READ_CPUS_SIZE_VER0);

static long read_cpus(struct pmcgrp_group *group, void *_arg)
{
	struct pmcgrp_read_cpus *arg = _arg;

	if (arg->flags || !group->evlist->follower->counts_cpus)
		return -EINVAL;
	return pmcgrp_read_group_cpus(group, arg);
}

static const struct pmcgrp_ioctl group_ioctls[] = {
	{ PMCGRP_IOC_READ_CPUS, sizeof(struct pmcgrp_read_cpus), PMCGRP_READ_CPUS_SIZE_VER0,
	  .of_group = read_cpus },
	{ PMCGRP_IOC_INFO, sizeof(struct pmcgrp_info), PMCGRP_INFO_SIZE_VER0,
	  .of_group = pmcgrp_info_ioctl },
	{ PMCGRP_IOC_ADD, sizeof(struct pmcgrp_add), PMCGRP_ADD_SIZE_VER0,
	  .of_group = pmcgrp_member_ioctl_add, .makes = true },
	{ PMCGRP_IOC_RING, sizeof(struct pmcgrp_ring_setup), PMCGRP_RING_SETUP_SIZE_VER0,
	  .of_group = pmcgrp_ring_setup, .makes = true },
	{ PMCGRP_IOC_TRIGGER, sizeof(struct pmcgrp_trigger_add), PMCGRP_TRIGGER_ADD_SIZE_VER0,
	  .of_group = pmcgrp_trigger_add, .makes = true },
	{ PMCGRP_IOC_KEYS, sizeof(struct pmcgrp_keys), PMCGRP_KEYS_SIZE_VER0,
	  .of_group = pmcgrp_keys_setup, .makes = true },
	{ PMCGRP_IOC_SPAN, sizeof(struct pmcgrp_span_add), PMCGRP_SPAN_ADD_SIZE_VER0,
	  .of_group = pmcgrp_span_add, .makes = true },
	{}
};

static long group_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pmcgrp_group *group = file->private_data;
	unsigned long flags = PERF_IOC_FLAG_GROUP;
	long ret;

	if (group->flags & PMCGRP_CREATE_AS_PERF) {
		ret = pmcgrp_as_perf_ioctl(&group->leader, cmd, arg);
		if (ret != -ENOTTY)
			return ret;
	}
	switch (cmd) {
	case PERF_EVENT_IOC_ID:
		return put_user(group->leader.id, (u64 __user *)arg);
	case PMCGRP_IOC_SAMPLE:
		return pmcgrp_ring_sample(group, arg);
	case PMCGRP_IOC_KEYS_FLUSH:
		return pmcgrp_keys_flush(group, arg);
	case PMCGRP_IOC_READER:
		return pmcgrp_read_only_open(file, group, arg);
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
		return pmcgrp_ring_pause(group, arg);
	case PERF_EVENT_IOC_RESET:
		flags |= PMCGRP_IOC_FLAG_TIMES;
		fallthrough;
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
		if (group->member_values)
			return pmcgrp_member_fd_control(&group->leader, cmd, arg);
		if (arg & ~flags)
			return -EINVAL;
		break;
	default:
		return pmcgrp_ioctl_call(group_ioctls, group, NULL, cmd, (void __user *)arg);
	}
	if (cmd == PERF_EVENT_IOC_ENABLE)
		return pmcgrp_control_enable(group);
	if (cmd == PERF_EVENT_IOC_DISABLE)
		return pmcgrp_control_disable(group);
	return pmcgrp_control_reset(group, arg & PMCGRP_IOC_FLAG_TIMES);
}

static ssize_t group_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct pmcgrp_group *group = file->private_data;

	if (group->member_values)
		return pmcgrp_member_fd_read(&group->leader, buf, count);
	return pmcgrp_read_group(group, buf, count);
}

static int group_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pmcgrp_group *group = file->private_data;
	struct pmcgrp_ring_buffers *rings = pmcgrp_group_rings(group);

	if (vma->vm_pgoff == PMCGRP_USER_PAGE_OFFSET >> PAGE_SHIFT)
		return pmcgrp_user_page_mmap(group, vma);
	if (vma->vm_pgoff == PMCGRP_KEYS_OFFSET >> PAGE_SHIFT)
		return pmcgrp_keys_mmap(group, vma);
	if (group->member_values)
		return pmcgrp_count_page_mmap(&group->leader, vma);
	return rings ? pmcgrp_rings_mmap(rings, vma) : -EINVAL;
}

static __poll_t group_poll(struct file *file, poll_table *wait)
{
	struct pmcgrp_group *group = file->private_data;
	struct pmcgrp_ring_buffers *rings = pmcgrp_group_rings(group);

	if (group->member_values)
		return pmcgrp_count_page_poll(&group->leader, file, wait);
	return rings ? pmcgrp_rings_poll(rings, file, wait, &rings->seen) : EPOLLHUP;
}

static int group_release(struct inode *inode, struct file *file)
{
	struct pmcgrp_group *group = file->private_data;

	if (group->member_values)
		pmcgrp_member_fd_close(&group->leader);
	else
		pmcgrp_target_close(group);
	return 0;
}

static loff_t group_llseek(struct file *file, loff_t offset, int whence)
{
	return pmcgrp_as_perf_llseek(file->private_data, file, offset, whence);
}

/* Operations of a group's file. */
const struct file_operations pmcgrp_group_fops = {
	.owner = THIS_MODULE,
	.read = group_read,
	.unlocked_ioctl = group_ioctl,
	.compat_ioctl = pmcgrp_compat_ioctl,
	.mmap = group_mmap,
	.poll = group_poll,
	.release = group_release,
	.llseek = group_llseek,
};
