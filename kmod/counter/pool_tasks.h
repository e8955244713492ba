/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_POOL_TASKS_H
#define PMCGRP_POOL_TASKS_H

#include <linux/types.h>

struct pmcgrp_shared_event;

void pmcgrp_pool_tasks_init(bool heeded);
void pmcgrp_pool_tasks_exit(void);
int pmcgrp_pool_tasks_want(struct pmcgrp_shared_event *ev, unsigned int nr);
void pmcgrp_pool_tasks_unwant(struct pmcgrp_shared_event *ev);
bool pmcgrp_pool_tasks_expect(unsigned int nr);
void pmcgrp_pool_tasks_grow(void);
void pmcgrp_pool_tasks_grow_soon(void);

#endif /* PMCGRP_POOL_TASKS_H */
