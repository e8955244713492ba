/* SPDX-License-Identifier: GPL-2.0-only */
/* PMCGRP_IOC_CREATE. */
#ifndef PMCGRP_CREATE_H
#define PMCGRP_CREATE_H

#include <linux/fs.h>

struct pmcgrp_opener;

long pmcgrp_create(struct pmcgrp_opener *opener, const struct file_operations *fops,
		   void __user *uarg);

#endif /* PMCGRP_CREATE_H */
