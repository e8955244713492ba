/* SPDX-License-Identifier: GPL-2.0-only */
/* File operations of groups, ioctls on /dev/pmcgrp, and helpers for arguments of ioctls. */
#ifndef PMCGRP_IOCTL_H
#define PMCGRP_IOCTL_H

#include <linux/fs.h>

extern const struct file_operations pmcgrp_group_fops;

int pmcgrp_copy_sized(void *to, size_t to_size, size_t least, void __user *from);
void pmcgrp_compat_args(unsigned int *cmd, unsigned long *arg);
long pmcgrp_device_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

#endif /* PMCGRP_IOCTL_H */
