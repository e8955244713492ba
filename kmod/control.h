/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CONTROL_H
#define PMCGRP_CONTROL_H

#include <linux/smp.h>
#include <linux/types.h>

struct pmcgrp_group;
struct pmcgrp_evset;
struct pmcgrp_values;

/* Visit one set of a group, with the values that it contributes to the group's sum. */
typedef void (*pmcgrp_evset_visit_t)(struct pmcgrp_evset *set, const struct pmcgrp_values *at,
				     void *arg);

int pmcgrp_group_enable(struct pmcgrp_group *group);
void pmcgrp_group_enable_locked(struct pmcgrp_group *group);
int pmcgrp_group_disable(struct pmcgrp_group *group);
void pmcgrp_group_disable_locked(struct pmcgrp_group *group);
void pmcgrp_group_freeze(struct pmcgrp_group *group);
void pmcgrp_group_thaw(struct pmcgrp_group *group);
int pmcgrp_group_reset(struct pmcgrp_group *group, bool times);
void pmcgrp_group_refresh(struct pmcgrp_group *group);
void pmcgrp_group_refresh_own(struct pmcgrp_group *group);
void pmcgrp_group_call(struct pmcgrp_group *group, smp_call_func_t func, void *info);
void pmcgrp_group_refresh_evsets(struct pmcgrp_group *group, pmcgrp_evset_visit_t visit, void *arg);
bool pmcgrp_group_in_error(struct pmcgrp_group *group);

#endif /* PMCGRP_CONTROL_H */
