/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_READ_MANY_H
#define PMCGRP_READ_MANY_H

#include <linux/fs.h>

long pmcgrp_read_many(const struct file_operations *group_fops, void __user *uarg);

#endif /* PMCGRP_READ_MANY_H */
