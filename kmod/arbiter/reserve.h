/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RESERVE_H
#define PMCGRP_RESERVE_H

struct pmcgrp_cpu;
struct work_struct;

int pmcgrp_reserve_init(void (*fill)(struct pmcgrp_cpu *pcpu));
void pmcgrp_reserve_work(struct work_struct *work);
void pmcgrp_reserve_exit(void);

#endif /* PMCGRP_RESERVE_H */
