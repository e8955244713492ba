/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CONTROL_H
#define PMCGRP_CONTROL_H

#include <linux/types.h>

struct pmcgrp_evlist;
struct pmcgrp_group;
struct pmcgrp_values;

int pmcgrp_control_enable(struct pmcgrp_group *group);
int pmcgrp_control_disable(struct pmcgrp_group *group);
int pmcgrp_control_reset(struct pmcgrp_group *group, bool times);
void pmcgrp_control_set_enabled(struct pmcgrp_group *group, bool on);
void pmcgrp_control_keep(struct pmcgrp_group *group);
void pmcgrp_control_end_keeping(struct pmcgrp_group *group);
void pmcgrp_control_start_anew(struct pmcgrp_group *group, struct pmcgrp_evlist *evlist);
void pmcgrp_control_show(const struct pmcgrp_group *group, const struct pmcgrp_values **at,
			 const struct pmcgrp_values **zero, const struct pmcgrp_values *mine);
const struct pmcgrp_values *pmcgrp_control_refresh(struct pmcgrp_group *group,
						   const struct pmcgrp_values **zero);

#endif /* PMCGRP_CONTROL_H */
