/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_WAY_H
#define PMCGRP_WAY_H

#include <linux/types.h>

struct perf_event;
struct task_struct;

bool pmcgrp_way_make(struct task_struct *task);
void pmcgrp_way_note(struct perf_event *event, bool served);
void pmcgrp_way_release(void);
void pmcgrp_way_exit(void);

#endif /* PMCGRP_WAY_H */
