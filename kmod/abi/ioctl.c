// SPDX-License-Identifier: GPL-2.0-only
/*
 * File operations of a group, and ioctls on /dev/pmcgrp: dispatch and argument checks.
 *
 * uapi/linux/pmcgrp.h documents each errno.
 */
#include <linux/bits.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "abi/abi.h"
#include "arbiter/cpu.h"
#include "counter/key.h"
#include "group/control.h"
#include "group/group.h"
#include "group/member.h"
#include "group/member_add.h"
#include "group/target.h"
#include "platform/uapi_copy.h"
#include "sample/read_format.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "sample/trigger.h"
#include "sample/user_page.h"
#include "span/section.h"
#include "span/span.h"

static_assert(sizeof(struct pmcgrp_query) == PMCGRP_QUERY_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_read_cpus) == PMCGRP_READ_CPUS_SIZE_VER0);

static long read_cpus(struct pmcgrp_group *group, void __user *uarg)
{
	struct pmcgrp_read_cpus arg;
	struct pmcgrp_read_cpus __user *out = uarg;
	int err, ret;

	err = pmcgrp_copy_sized(&arg, sizeof(arg), PMCGRP_READ_CPUS_SIZE_VER0, uarg);
	if (err)
		return err;
	if (arg.flags || !group->evlist->follower->counts_cpus)
		return -EINVAL;
	ret = pmcgrp_read_group_cpus(group, &arg);
	if (put_user(arg.nr_cpus, &out->nr_cpus) ||
	    put_user(arg.record_size, &out->record_size))
		return -EFAULT;
	return ret;
}

static long group_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pmcgrp_group *group = file->private_data;
	unsigned long flags = PERF_IOC_FLAG_GROUP;

	switch (cmd) {
	case PERF_EVENT_IOC_ID:
		return put_user(group->leader.id, (u64 __user *)arg);
	case PMCGRP_IOC_READ_CPUS:
		return read_cpus(group, (void __user *)arg);
	case PMCGRP_IOC_INFO:
		return pmcgrp_info(group, (void __user *)arg);
	case PMCGRP_IOC_ADD:
		return pmcgrp_member_ioctl_add(group, (void __user *)arg);
	case PMCGRP_IOC_RING:
		return pmcgrp_ring_setup(group, (void __user *)arg);
	case PMCGRP_IOC_TRIGGER:
		return pmcgrp_trigger_add(group, (void __user *)arg);
	case PMCGRP_IOC_SAMPLE:
		return pmcgrp_ring_sample(group, arg);
	case PMCGRP_IOC_KEYS:
		return pmcgrp_keys_setup(group, (void __user *)arg);
	case PMCGRP_IOC_KEYS_FLUSH:
		return pmcgrp_keys_flush(group, arg);
	case PMCGRP_IOC_SPAN:
		return pmcgrp_span_add(group, (void __user *)arg);
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
		return -ENOTTY;
	}
	if (cmd == PERF_EVENT_IOC_ENABLE)
		return pmcgrp_control_enable(group);
	if (cmd == PERF_EVENT_IOC_DISABLE)
		return pmcgrp_control_disable(group);
	return pmcgrp_control_reset(group, arg & PMCGRP_IOC_FLAG_TIMES);
}

#ifdef CONFIG_COMPAT
static long group_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	pmcgrp_compat_args(&cmd, &arg);
	return group_ioctl(file, cmd, arg);
}
#endif

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
	return rings ? pmcgrp_rings_mmap(rings, vma) : -EINVAL;
}

static __poll_t group_poll(struct file *file, poll_table *wait)
{
	struct pmcgrp_group *group = file->private_data;
	struct pmcgrp_ring_buffers *rings = pmcgrp_group_rings(group);

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

/* Operations of a group's file. */
static const struct file_operations group_fops = {
	.owner = THIS_MODULE,
	.read = group_read,
	.unlocked_ioctl = group_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl = group_compat_ioctl,
#endif
	.mmap = group_mmap,
	.poll = group_poll,
	.release = group_release,
	.llseek = noop_llseek,
};

#define FEATURES                                                                   \
	(PMCGRP_FEATURE_INFO | PMCGRP_FEATURE_READ_MANY | PMCGRP_FEATURE_LEADER |  \
	 PMCGRP_FEATURE_RING | PMCGRP_FEATURE_KEYS | PMCGRP_FEATURE_SECTIONS |     \
	 PMCGRP_FEATURE_SPANS | PMCGRP_FEATURE_READER)

static void query_fill(struct pmcgrp_query *query)
{
	*query = (struct pmcgrp_query){
		.size = sizeof(*query),
		.abi_version = PMCGRP_ABI_VERSION,
		.members_max = PMCGRP_MEMBERS_MAX,
		.create_flags = PMCGRP_CREATE_FLAGS,
		.read_formats = PMCGRP_READ_FORMATS,
		.targets = BIT_ULL(PMCGRP_TARGET_TASK) | BIT_ULL(PMCGRP_TARGET_CPU) |
			   BIT_ULL(PMCGRP_TARGET_PROCESS) | BIT_ULL(PMCGRP_TARGET_CPUS) |
			   BIT_ULL(PMCGRP_TARGET_ALL_CPUS) | BIT_ULL(PMCGRP_TARGET_CGROUP),
		.mux_interval_ns = pmcgrp_mux_interval_ns(),
		.sample_types = PMCGRP_SAMPLE_TYPES,
		.ring_flags = PMCGRP_RING_FLAGS,
		.triggers_max = PMCGRP_TRIGGERS_MAX,
		.features = FEATURES,
		.clockids = PMCGRP_RING_CLOCKS,
		.span_kinds = pmcgrp_span_kinds(),
		.span_flags = PMCGRP_SPAN_FLAGS,
		.span_keys = BIT(PMCGRP_SPAN_KEYS) - 1,
		.key_types = pmcgrp_key_types(),
		.spans_max = PMCGRP_SPANS_MAX,
		.span_active_max = PMCGRP_SPAN_ACTIVE_MAX,
		.span_slots_max = PMCGRP_SPAN_SLOTS_MAX,
		.span_exits_max = PMCGRP_SPAN_EXITS_MAX,
		.keys_slots_max = PMCGRP_KEYS_SLOTS_MAX,
		.keys_cgroups_max = PMCGRP_KEYS_CGROUPS_MAX,
		.section_members_max = PMCGRP_SECTION_MEMBERS_MAX,
		.switch_max = PMCGRP_SWITCH_MAX,
	};
	strscpy(query->release, THIS_MODULE->version ?: "", sizeof(query->release));
}

static long query(void __user *uarg)
{
	struct pmcgrp_query arg;
	u32 size;
	int err;

	err = pmcgrp_copy_sized(&arg, sizeof(arg), PMCGRP_QUERY_SIZE_VER0, uarg);
	if (err)
		return err;
	if (arg.flags)
		return -EINVAL;
	size = min_t(u32, arg.size, sizeof(arg));
	query_fill(&arg);
	return copy_to_user(uarg, &arg, size) ? -EFAULT : 0;
}

/**
 * pmcgrp_device_ioctl - dispatch ioctls on /dev/pmcgrp
 * @file: the device's file
 * @cmd: PMCGRP_IOC_*
 * @arg: user pointer to the command's struct
 *
 * Context: may sleep.
 * Return: as the uapi header says for @cmd; -ENOTTY for an unknown @cmd.
 */
long pmcgrp_device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == PMCGRP_IOC_CREATE && !(file->f_mode & FMODE_WRITE))
		return pmcgrp_read_only_refuse(cmd, arg);
	switch (cmd) {
	case PMCGRP_IOC_QUERY:
		return query((void __user *)arg);
	case PMCGRP_IOC_CREATE:
		return pmcgrp_create(file->private_data, &group_fops, (void __user *)arg);
	case PMCGRP_IOC_INFO_NEXT:
		return pmcgrp_info_next_ioctl(file, (void __user *)arg);
	case PMCGRP_IOC_SECTION_NEXT:
		return pmcgrp_section_next_ioctl(file, (void __user *)arg);
	case PMCGRP_IOC_SECTION_KEYS:
		return pmcgrp_section_keys(file, (void __user *)arg);
	case PMCGRP_IOC_READ_MANY:
		return pmcgrp_read_many(&group_fops, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}
