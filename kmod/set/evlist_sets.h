/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EVLIST_SETS_H
#define PMCGRP_EVLIST_SETS_H

#include <linux/types.h>

struct pmcgrp_context;
struct pmcgrp_evset;
struct pmcgrp_evlist;
struct task_struct;

void pmcgrp_evlist_note_events(struct pmcgrp_evlist *evlist);
struct pmcgrp_evset *pmcgrp_evlist_set_of_task(struct pmcgrp_evlist *evlist,
					       const struct task_struct *task);
struct pmcgrp_evset *pmcgrp_evlist_make_set(struct pmcgrp_evlist *evlist, int cpu,
					    struct pmcgrp_context *ctx);
void pmcgrp_evlist_sets_lock(struct pmcgrp_evlist *evlist);
struct pmcgrp_evset *pmcgrp_evlist_set_of_cpu(struct pmcgrp_evlist *evlist, int cpu);
bool pmcgrp_evlist_call_only(struct pmcgrp_evlist *evlist, void (*func)(void *arg), void *arg);
void pmcgrp_evlist_set_end(struct pmcgrp_evset *set);
void pmcgrp_evlist_sets_insert(struct pmcgrp_evlist *evlist, unsigned int at);
void pmcgrp_evlist_sets_take_out(struct pmcgrp_evlist *evlist, unsigned int at);
void pmcgrp_evlist_sets_unpin(struct pmcgrp_evlist *evlist);

#endif /* PMCGRP_EVLIST_SETS_H */
