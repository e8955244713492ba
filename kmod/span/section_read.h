/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SECTION_READ_H
#define PMCGRP_SECTION_READ_H

#include <linux/compiler.h>

struct file;

long pmcgrp_section_next_ioctl(const struct file *device, void __user *uarg);

#endif /* PMCGRP_SECTION_READ_H */
