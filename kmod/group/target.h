/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TARGET_H
#define PMCGRP_TARGET_H

struct pmcgrp_failure;
struct pmcgrp_group;
struct pmcgrp_target;

int pmcgrp_group_start(struct pmcgrp_group *group, const struct pmcgrp_target *target,
		       struct pmcgrp_failure *fail);
int pmcgrp_group_own_lock(struct pmcgrp_group *group, u32 *why);
void pmcgrp_group_close(struct pmcgrp_group *group);
void pmcgrp_groups_rebuild(int cpu);
void pmcgrp_groups_drop(int cpu);
void pmcgrp_groups_end(void);

#endif /* PMCGRP_TARGET_H */
