/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that ioctls write to user space. */
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

#endif /* PMCGRP_UAPI_COPY_H */
