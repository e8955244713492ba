/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptors for reading only. */
#ifndef PMCGRP_READ_ONLY_H
#define PMCGRP_READ_ONLY_H

#include <linux/types.h>

struct file;
struct pmcgrp_group;

long pmcgrp_read_only_open(struct file *of, const struct pmcgrp_group *group, unsigned long flags);
struct file *pmcgrp_read_only_of(const struct file *file);
long pmcgrp_read_only_refuse(unsigned int cmd, unsigned long arg);

#endif /* PMCGRP_READ_ONLY_H */
