/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_HOTPLUG_H
#define PMCGRP_HOTPLUG_H

int pmcgrp_hotplug_init(void);
void pmcgrp_hotplug_exit(void);

#endif /* PMCGRP_HOTPLUG_H */
