/* SPDX-License-Identifier: GPL-2.0-only */
/* Triggers: perf events whose overflows cause samples of a group. */
#ifndef PMCGRP_TRIGGER_H
#define PMCGRP_TRIGGER_H

struct pmcgrp_group;

long pmcgrp_trigger_add(struct pmcgrp_group *group, void __user *uarg);
void pmcgrp_triggers_enable(struct pmcgrp_group *group, bool enable);
unsigned int pmcgrp_triggers_in_error(const struct pmcgrp_group *group);
void pmcgrp_triggers_rebuild(struct pmcgrp_group *group, int cpu);
void pmcgrp_triggers_drop(struct pmcgrp_group *group);

#endif /* PMCGRP_TRIGGER_H */
