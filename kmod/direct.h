/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_DIRECT_H
#define PMCGRP_DIRECT_H

#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>

struct perf_event;
struct pmcgrp_group;
struct pmcgrp_ride;
struct pmu;
struct task_struct;
struct vm_area_struct;

/**
 * struct pmcgrp_window - how the task of a group reads it by itself
 * @pmu: of all members; NULL: it cannot.  Constant.
 * @sentry: pmcgrp_sentry_create(); NULL: none is needed.  Constant once the group counts
 * @shown: the page that is mapped; changed where the carrier is in, with interrupts off
 */
struct pmcgrp_window {
	struct pmu		*pmu;
	struct perf_event	*sentry;
	struct pmcgrp_direct	*shown;
};

int pmcgrp_direct_create(struct pmcgrp_group *group);
void pmcgrp_direct_free(struct pmcgrp_group *group);
void pmcgrp_direct_judge(struct pmcgrp_group *group);
int pmcgrp_direct_watch(struct pmcgrp_group *group, struct task_struct *task);
void pmcgrp_direct_unwatch(struct pmcgrp_group *group);
void pmcgrp_direct_mark(const struct pmcgrp_group *group, struct perf_event *carrier);
void pmcgrp_direct_open(const struct pmcgrp_group *group);
void pmcgrp_direct_close(const struct pmcgrp_group *group, struct perf_event *carrier);
void pmcgrp_direct_show(const struct pmcgrp_ride *ride);
void pmcgrp_direct_hide(const struct pmcgrp_group *group);
void pmcgrp_direct_counters_moved(void);
bool pmcgrp_direct_is_old(const struct pmcgrp_group *group);
int pmcgrp_direct_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma);

#endif /* PMCGRP_DIRECT_H */
