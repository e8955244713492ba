/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_FORK_WORK_H
#define PMCGRP_FORK_WORK_H

#include <linux/types.h>

bool pmcgrp_fork_work_init(void);
bool pmcgrp_fork_work_queue(void);
void pmcgrp_fork_work_exit(void);

#endif /* PMCGRP_FORK_WORK_H */
