/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SWITCH_ROOM_H
#define PMCGRP_SWITCH_ROOM_H

#include <linux/types.h>

struct pmcgrp_evlist;

bool pmcgrp_switch_has_room(unsigned int bound);
void pmcgrp_switch_binding_made(unsigned int nr);
void pmcgrp_switch_binding_freed(unsigned int nr);
int pmcgrp_switch_add_cgroup(struct pmcgrp_evlist *evlist);
void pmcgrp_switch_remove_cgroup(struct pmcgrp_evlist *evlist);

#endif /* PMCGRP_SWITCH_ROOM_H */
