/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GROUP_CPUS_H
#define PMCGRP_GROUP_CPUS_H

#include "group.h"

/* Whether no carriers follow the CPUs of a new group. */
static inline bool pmcgrp_group_stays_in(const struct pmcgrp_group *group)
{
	return pmcgrp_group_counts_cpus(group) && !(group->flags & PMCGRP_CREATE_PINNED);
}

int pmcgrp_group_cpu_in(struct pmcgrp_group *group, int cpu);
int pmcgrp_group_cpus_make(struct pmcgrp_group *group);
void pmcgrp_group_cpus_out(struct pmcgrp_group *group);

#endif /* PMCGRP_GROUP_CPUS_H */
