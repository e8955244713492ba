/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SHARE_H
#define PMCGRP_SHARE_H

#include <linux/list.h>
#include <linux/types.h>
#include "group.h"

struct task_struct;

bool pmcgrp_share_join(struct pmcgrp_group *group, const struct task_struct *task);
void pmcgrp_share_offer(struct pmcgrp_group *group);
void pmcgrp_share_withdraw(struct pmcgrp_group *group);
bool pmcgrp_share_leave(struct pmcgrp_group *group);
bool pmcgrp_share_is_over(const struct pmcgrp_group *source);
int pmcgrp_share_end(struct pmcgrp_group *group, u32 *why);
struct pmcgrp_group *pmcgrp_share_lock(struct pmcgrp_group *group);
void pmcgrp_share_unlock(struct pmcgrp_group *group);
void pmcgrp_share_set_enabled(struct pmcgrp_group *group, bool on);
void pmcgrp_share_refresh(struct pmcgrp_group *group);

#endif /* PMCGRP_SHARE_H */
