/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user page (struct pmcgrp_user_page): it lets the task of a group read its counters without a
 * system call.
 */
#ifndef PMCGRP_USER_PAGE_H
#define PMCGRP_USER_PAGE_H

#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>

struct perf_event;
struct pmcgrp_group;
struct pmcgrp_evset;
struct pmu;
struct task_struct;
struct vm_area_struct;

/**
 * struct pmcgrp_user_read - user page of a group
 * @pmu: PMU of all members; NULL if user space cannot read the group.  Constant.
 * @sentry: carrier that tells when @pmu is rescheduled, or NULL if not needed.  Constant once the group counts.
 * @page: the user page, or NULL; written on the CPU where the carrier is scheduled in, interrupts
 *	off
 */
struct pmcgrp_user_read {
	struct pmu *pmu;
	struct perf_event *sentry;
	struct pmcgrp_user_page *page;
};

void pmcgrp_user_page_init(void);
int pmcgrp_user_page_create(struct pmcgrp_group *group);
void pmcgrp_user_page_publish(const struct pmcgrp_evset *set);
bool pmcgrp_user_page_is_old(const struct pmcgrp_group *group);
int pmcgrp_user_page_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma);

#endif /* PMCGRP_USER_PAGE_H */
