/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_FOLLOW_H
#define PMCGRP_FOLLOW_H

struct pmcgrp_hardware_ops;

/* For pmcgrp_pools_init(). */
extern const struct pmcgrp_hardware_ops pmcgrp_follow_ops;

int pmcgrp_follow_init(void);
void pmcgrp_follow_exit(void);
int pmcgrp_follow_get(void);
void pmcgrp_follow_put(void);

#endif /* PMCGRP_FOLLOW_H */
