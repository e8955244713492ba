// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ioctls of a group with %PMCGRP_CREATE_AS_PERF: what perf answers of a counting event
 * (kernel/events/core.c: _perf_ioctl()), in the same order of its checks.
 */
#include <linux/capability.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kconfig.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "abi/abi.h"
#include "group/group.h"

static u32 type_of(struct pmcgrp_member_fd *mfd)
{
	struct pmcgrp_group *group = mfd->group;
	u32 type;

	raw_spin_lock_irq(&group->values_lock);
	type = group->member[mfd->index].attr.type;
	raw_spin_unlock_irq(&group->values_lock);
	return type;
}

/* The event does not sample; but perf reads the value first. */
static long set_period(const u64 __user *arg)
{
	u64 period;

	return copy_from_user(&period, arg, sizeof(period)) ? -EFAULT : -EINVAL;
}

/* It has no filter; but perf reads it first. */
static long set_filter(const char __user *arg)
{
	char *text = strndup_user(arg, PAGE_SIZE);

	if (IS_ERR(text))
		return PTR_ERR(text);
	kfree(text);
	return -EINVAL;
}

/* By the name that perf_event_open(2) gives it (kernel/events/core.c), or that it has in pmcgrp. */
static bool file_is_event(const struct file *file)
{
	const char *name = file->f_path.dentry->d_name.name;

	return !strcmp(name, "[perf_event]") || !strcmp(name, "[pmcgrp]") ||
	       !strcmp(name, "[pmcgrp-member]");
}

/* The errno for a descriptor that cannot be used: -EINVAL, or -EBADF if it is none of @events. */
static long refuse_fd(unsigned long fd, bool events)
{
	struct file *file = fget(fd);
	bool is;

	if (!file)
		return -EBADF;
	is = !events || file_is_event(file);
	fput(file);
	return is ? -EINVAL : -EBADF;
}

/* Its records, of which it has none, may go nowhere; a page that is mapped is in use. */
static long set_output(const struct pmcgrp_member_fd *mfd, unsigned long arg)
{
	if (arg == -1UL)
		return READ_ONCE(mfd->maps) ? -EINVAL : 0;
	return refuse_fd(arg, true);
}

/* It has no overflow handler. */
static long set_bpf(unsigned long arg)
{
	return refuse_fd(arg, false);
}

static long query_bpf(void)
{
	if (!IS_ENABLED(CONFIG_BPF_EVENTS))
		return -EOPNOTSUPP;
	return perfmon_capable() ? -EINVAL : -EPERM;
}

/* Only breakpoints can be changed. */
static long modify_attributes(struct pmcgrp_member_fd *mfd, struct perf_event_attr __user *arg)
{
	u32 type, size;

	if (get_user(size, &arg->size) || get_user(type, &arg->type))
		return -EFAULT;
	if (size && (size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE))
		return -E2BIG;
	return type == type_of(mfd) ? -EOPNOTSUPP : -EINVAL;
}

static long pause_output(const struct pmcgrp_member_fd *mfd)
{
	return READ_ONCE(mfd->maps) && READ_ONCE(mfd->data_pages) ? 0 : -EINVAL;
}

/**
 * pmcgrp_as_perf_ioctl - answer an ioctl of perf's that a counting event has no use for
 * @mfd: a descriptor of a group with %PMCGRP_CREATE_AS_PERF
 * @cmd: the command
 * @arg: its argument
 *
 * Context: may sleep.
 * Return: what perf returns; -ENOTTY for any other command.
 */
long pmcgrp_as_perf_ioctl(struct pmcgrp_member_fd *mfd, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	switch (cmd) {
	case PERF_EVENT_IOC_REFRESH:
		return -EINVAL;
	case PERF_EVENT_IOC_PERIOD:
		return set_period(uarg);
	case PERF_EVENT_IOC_SET_OUTPUT:
		return set_output(mfd, arg);
	case PERF_EVENT_IOC_SET_FILTER:
		return set_filter(uarg);
	case PERF_EVENT_IOC_SET_BPF:
		return set_bpf(arg);
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
		return pause_output(mfd);
	case PERF_EVENT_IOC_QUERY_BPF:
		return query_bpf();
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		return modify_attributes(mfd, uarg);
	default:
		return -ENOTTY;
	}
}

/* lseek(2): perf's file has none; else as everywhere in pmcgrp. */
loff_t pmcgrp_as_perf_llseek(const struct pmcgrp_group *group, struct file *file, loff_t offset,
			     int whence)
{
	return group->flags & PMCGRP_CREATE_AS_PERF ? -ESPIPE : noop_llseek(file, offset, whence);
}
