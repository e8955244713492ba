/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_LATCH_H
#define PMCGRP_LATCH_H

struct pmcgrp_evlist;
struct task_struct;

int pmcgrp_latch_add(struct pmcgrp_evlist *evlist, struct task_struct *task);
void pmcgrp_latches_drop(struct pmcgrp_evlist *evlist);
void pmcgrp_latch_init(void);

#endif /* PMCGRP_LATCH_H */
