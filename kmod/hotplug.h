/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_HOTPLUG_H
#define PMCGRP_HOTPLUG_H

struct pmcgrp_counter;

void pmcgrp_hotplug_leave_pmu(struct pmcgrp_counter *counter);
int pmcgrp_hotplug_init(void);
void pmcgrp_hotplug_exit(void);

#endif /* PMCGRP_HOTPLUG_H */
