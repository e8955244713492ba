/* SPDX-License-Identifier: GPL-2.0-only */
/* File operations of groups, and ioctls on /dev/pmcgrp. */
#ifndef PMCGRP_IOCTL_H
#define PMCGRP_IOCTL_H

#include <linux/fs.h>

long pmcgrp_device_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

#endif /* PMCGRP_IOCTL_H */
