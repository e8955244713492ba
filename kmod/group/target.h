/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TARGET_H
#define PMCGRP_TARGET_H

struct pmcgrp_failure;
struct pmcgrp_group;
struct pmcgrp_target;

int pmcgrp_target_start(struct pmcgrp_group *group, struct pmcgrp_target *target,
			struct pmcgrp_failure *fail);
int pmcgrp_target_unshare_lock(struct pmcgrp_group *group, u32 *why);
void pmcgrp_target_close(struct pmcgrp_group *group);

#endif /* PMCGRP_TARGET_H */
