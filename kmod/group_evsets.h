/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GROUP_EVSETS_H
#define PMCGRP_GROUP_EVSETS_H

struct pmcgrp_evset;
struct pmcgrp_group;
struct task_struct;

struct pmcgrp_evset *pmcgrp_evset_of_task(struct pmcgrp_group *group,
					  const struct task_struct *task);
struct pmcgrp_evset *pmcgrp_evset_of_cpu(struct pmcgrp_group *group, int cpu);
void pmcgrp_evset_end(struct pmcgrp_evset *set);
void pmcgrp_evsets_insert(struct pmcgrp_group *group, unsigned int at);
void pmcgrp_evsets_take_out(struct pmcgrp_group *group, unsigned int at);
void pmcgrp_evsets_unpin(struct pmcgrp_group *group);

#endif /* PMCGRP_GROUP_EVSETS_H */
