// SPDX-License-Identifier: GPL-2.0-only
/* Arguments of ioctls. */
#include <linux/bug.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/uaccess.h>
#include "compat.h"
#include "abi/abi.h"

/* The most bytes of an argument. */
#define IOCTL_ARG_MAX 200

/**
 * pmcgrp_ioctl_call - do an ioctl whose argument is a struct that begins with its size
 * @ioctls: the ioctls that there are, with an empty one behind them
 * @group: the group, or NULL
 * @device: without a group: file of the device
 * @cmd: the command
 * @uarg: user pointer to the struct.  Fields that it lacks are zero.
 *
 * The struct is written back, whether the ioctl succeeds or not.
 *
 * Context: may sleep.
 * Return: as the uapi header says for @cmd; -ENOTTY for an unknown @cmd; -EFAULT; -EINVAL if the
 * struct is smaller than its first form; -E2BIG as copy_struct_from_user(), or above a page.
 */
long pmcgrp_ioctl_call(const struct pmcgrp_ioctl *ioctls, struct pmcgrp_group *group,
		       struct file *device, unsigned int cmd, void __user *uarg)
{
	u64 arg[IOCTL_ARG_MAX / sizeof(u64)] __uninitialized;
	const struct pmcgrp_ioctl *ioctl = ioctls;
	u32 size;
	long ret;

	while (ioctl->cmd != cmd)
		if (!ioctl++->cmd)
			return -ENOTTY;
	if (WARN_ON_ONCE(ioctl->size > sizeof(arg)) || get_user(size, (u32 __user *)uarg))
		return -EFAULT;
	if (size < ioctl->least)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(arg, ioctl->size, uarg, size);
	if (ret)
		return ret;
	size = min_t(u32, size, ioctl->size);
	/* Check the user pointer first, so that nothing must be undone. */
	if (ioctl->makes && copy_to_user(uarg, arg, size))
		return -EFAULT;
	ret = group ? ioctl->of_group(group, arg) : ioctl->of_device(device, arg);
	/* A descriptor is there. */
	return copy_to_user(uarg, arg, size) && ret <= 0 ? -EFAULT : ret;
}

#ifdef CONFIG_COMPAT
/*
 * An ioctl of a 32-bit program on a group, member or reader is the file's own.  The numbers of four
 * of perf's contain the size of a pointer (kernel/events/core.c: perf_compat_ioctl()).  What is no
 * pointer is not changed.
 */
long pmcgrp_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	static const unsigned int of_pointer[] = { PERF_EVENT_IOC_ID, PERF_EVENT_IOC_SET_FILTER,
						   PERF_EVENT_IOC_QUERY_BPF,
						   PERF_EVENT_IOC_MODIFY_ATTRIBUTES };
	unsigned int i, theirs;

	for (i = 0; i < ARRAY_SIZE(of_pointer); i++) {
		theirs = of_pointer[i] & ~IOCSIZE_MASK;
		if (cmd == (theirs | sizeof(compat_uptr_t) << IOCSIZE_SHIFT))
			cmd = of_pointer[i];
	}
	return file->f_op->unlocked_ioctl(file, cmd, (unsigned long)compat_ptr(arg));
}
#endif
