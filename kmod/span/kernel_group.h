/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_KERNEL_GROUP_H
#define PMCGRP_KERNEL_GROUP_H

#include <linux/list.h>

struct module;
struct pmcgrp_group;

/**
 * struct pmcgrp_kernel_group - a group of another kernel module
 * @node: node in the list of all of them
 * @group: the group.  Constant.
 * @owner: the module.  Constant.
 */
struct pmcgrp_kernel_group {
	struct list_head node;
	struct pmcgrp_group *group;
	struct module *owner;
};

int pmcgrp_kernel_groups_init(void);
void pmcgrp_kernel_groups_exit(void);

#endif /* PMCGRP_KERNEL_GROUP_H */
