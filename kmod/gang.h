/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GANG_H
#define PMCGRP_GANG_H

#include <linux/types.h>

struct pmcgrp_ride;

void pmcgrp_gangs_init(unsigned int rotate_ms);
u64 pmcgrp_gang_interval_ns(void);

void pmcgrp_gang_join(struct pmcgrp_ride *ride);
void pmcgrp_gang_leave(struct pmcgrp_ride *ride);

u64 pmcgrp_gang_epoch(int cpu);
bool pmcgrp_gang_is_alive(int cpu);
bool pmcgrp_gang_is_open(int cpu);
void pmcgrp_gang_open(int cpu, u64 epoch);
void pmcgrp_gang_revive(void);
void pmcgrp_gang_close(void);

#endif /* PMCGRP_GANG_H */
