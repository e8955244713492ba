/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_FOLLOW_H
#define PMCGRP_FOLLOW_H

#include <linux/types.h>

struct pmcgrp_cpu;
struct pmcgrp_hardware_ops;

/* For pmcgrp_pools_init(). */
extern const struct pmcgrp_hardware_ops pmcgrp_follow_ops;

void pmcgrp_follow_init(void);
void pmcgrp_follow_exit(void);
bool pmcgrp_follow_check(struct pmcgrp_cpu *pcpu);

#endif /* PMCGRP_FOLLOW_H */
