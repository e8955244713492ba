/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of ioctls: structs that begin with their size, and conversion from 32-bit programs. */
#ifndef PMCGRP_UAPI_COPY_H
#define PMCGRP_UAPI_COPY_H

#include <linux/compat.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>

/**
 * pmcgrp_copy_sized - copy a struct that starts with its size from user space
 * @to: out: the struct; fields that the user's struct lacks become zero
 * @to_size: size of @to in bytes
 * @least: size of the first published version of the struct
 * @from: user pointer to the struct
 *
 * Context: may sleep.
 * Return: 0, or -EFAULT; -EINVAL if the size is below @least; -E2BIG as copy_struct_from_user(), or
 * above a page.
 */
static inline int pmcgrp_copy_sized(void *to, size_t to_size, size_t least,
				    void __user *from)
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

/**
 * pmcgrp_stride_check - check what user space states as the size of an entry
 * @stride: the size
 * @least: that of the first form of the entry
 *
 * Return: 0; -EINVAL if it is below @least; -E2BIG if it is above 64 KiB.
 */
static inline int pmcgrp_stride_check(u32 stride, size_t least)
{
	return stride < least ? -EINVAL : stride > SZ_64K ? -E2BIG :
							       0;
}

/**
 * pmcgrp_copy_array - copy an array to user space
 * @to: user pointer
 * @stride: size of an entry as user space states it, which can be less or more than the kernel's
 * @from: the array
 * @size: size of an entry of @from
 * @nr: number of entries
 *
 * What user space has more of an entry becomes zero.
 *
 * Context: may sleep.
 * Return: 0 or -EFAULT.
 */
static inline int pmcgrp_copy_array(u64 to, size_t stride, const void *from, size_t size,
				    unsigned int nr)
{
	u8 __user *out = u64_to_user_ptr(to);
	size_t known = min(stride, size);
	unsigned int i;

	for (i = 0; i < nr; i++, out += stride, from += size)
		if (copy_to_user(out, from, known) || clear_user(out + known, stride - known))
			return -EFAULT;
	return 0;
}

#ifdef CONFIG_COMPAT
/**
 * pmcgrp_compat_args - convert command and argument of a 32-bit ioctl on a group or member
 * @cmd: in and out: command; the number of PERF_EVENT_IOC_ID contains the size of a pointer
 * @arg: in and out: argument, converted if it is a pointer
 */
static inline void pmcgrp_compat_args(unsigned int *cmd, unsigned long *arg)
{
	if (*cmd == _IOC(_IOC_READ, _IOC_TYPE(PERF_EVENT_IOC_ID),
			 _IOC_NR(PERF_EVENT_IOC_ID), sizeof(compat_uptr_t)))
		*cmd = PERF_EVENT_IOC_ID;
	else if (*cmd != PMCGRP_IOC_READ_CPUS && *cmd != PMCGRP_IOC_INFO &&
		 *cmd != PMCGRP_IOC_ADD && *cmd != PMCGRP_IOC_RING &&
		 *cmd != PMCGRP_IOC_TRIGGER && *cmd != PMCGRP_IOC_KEYS &&
		 *cmd != PMCGRP_IOC_SPAN)
		return;
	*arg = (unsigned long)compat_ptr(*arg);
}
#endif

#endif /* PMCGRP_UAPI_COPY_H */
