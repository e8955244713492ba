/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SCHED_H
#define PMCGRP_SCHED_H

#include <linux/types.h>
#include "arbiter/cpu.h"

struct pmcgrp_evset;
struct task_struct;

void pmcgrp_sched_init(unsigned int mux_interval_ms);
void pmcgrp_sched_in_begin(struct pmcgrp_cpu *pcpu, const struct task_struct *prev);
void pmcgrp_sched_in_end(struct pmcgrp_cpu *pcpu);
void pmcgrp_sched_watch(struct pmcgrp_evset *set);
void pmcgrp_sched_task_counted(struct pmcgrp_evset *set);
void pmcgrp_sched_task_changed_of(struct pmcgrp_evset *set, struct task_struct *task);
void pmcgrp_sched_task_changed(struct pmcgrp_cpu *pcpu, struct task_struct *task);
void pmcgrp_sched_task_entered(struct pmcgrp_cpu *pcpu, struct task_struct *task);
void pmcgrp_sched_in(struct pmcgrp_evset *set);
void pmcgrp_sched_out(struct pmcgrp_evset *set);
void pmcgrp_sched_leave(struct pmcgrp_evset *set);
void pmcgrp_sched_enable(struct pmcgrp_evset *set);
void pmcgrp_sched_disable(struct pmcgrp_evset *set);

void pmcgrp_sched_open(int cpu, u64 generation);
void pmcgrp_sched_online(void);
void pmcgrp_sched_offline(void);
void pmcgrp_sched_suspend(void);
void pmcgrp_sched_resume(void);

#endif /* PMCGRP_SCHED_H */
