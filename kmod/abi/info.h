/* SPDX-License-Identifier: GPL-2.0-only */
/* PMCGRP_IOC_INFO and PMCGRP_IOC_INFO_NEXT. */
#ifndef PMCGRP_INFO_H
#define PMCGRP_INFO_H

#include <linux/compiler_types.h>

struct file;
struct pmcgrp_group;

long pmcgrp_info(struct pmcgrp_group *group, void __user *uarg);
long pmcgrp_info_next_ioctl(const struct file *device, void __user *uarg);

#endif /* PMCGRP_INFO_H */
