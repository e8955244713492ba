/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user page (struct pmcgrp_user_page): it lets the task of a group read its counters without a
 * system call.
 */
#ifndef PMCGRP_USER_PAGE_H
#define PMCGRP_USER_PAGE_H

#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>

struct pmcgrp_group;
struct pmcgrp_evset;
struct vm_area_struct;

int pmcgrp_user_page_create(struct pmcgrp_group *group);
void pmcgrp_user_page_publish(const struct pmcgrp_evset *set);
bool pmcgrp_user_page_is_old(const struct pmcgrp_group *group);
int pmcgrp_user_page_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma);

#endif /* PMCGRP_USER_PAGE_H */
