/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_DIRECT_H
#define PMCGRP_DIRECT_H

#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>

struct perf_event;
struct pmcgrp_group;
struct pmcgrp_ride;
struct pmu;
struct vm_area_struct;

/**
 * struct pmcgrp_window - how the task of a group reads it by itself
 * @pmu: of all members; NULL: it cannot.  Constant.
 * @shown: the page that is mapped; changed where the carrier is in, with interrupts off
 */
struct pmcgrp_window {
	struct pmu		*pmu;
	struct pmcgrp_direct	*shown;
};

void pmcgrp_direct_init(void);
int pmcgrp_direct_create(struct pmcgrp_group *group);
void pmcgrp_direct_free(struct pmcgrp_group *group);
void pmcgrp_direct_judge(struct pmcgrp_group *group);
void pmcgrp_direct_mark(const struct pmcgrp_group *group, struct perf_event *carrier);
void pmcgrp_direct_open(const struct pmcgrp_group *group);
void pmcgrp_direct_close(const struct pmcgrp_group *group, struct perf_event *carrier);
void pmcgrp_direct_show(const struct pmcgrp_ride *ride);
void pmcgrp_direct_hide(const struct pmcgrp_ride *ride);
bool pmcgrp_direct_is_old(const struct pmcgrp_group *group);
int pmcgrp_direct_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma);

#endif /* PMCGRP_DIRECT_H */
