/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ROOT_H
#define PMCGRP_ROOT_H

#include <linux/sched.h>
#include "counter/attr.h"

struct pmcgrp_end_watch;
struct pmcgrp_evlist;

int pmcgrp_roots_make(struct pmcgrp_evlist *evlist, struct pmcgrp_failure *fail);
void pmcgrp_roots_enable(struct pmcgrp_evlist *evlist, bool enable);
void pmcgrp_roots_drop(struct pmcgrp_evlist *evlist);
void pmcgrp_root_drop(struct pmcgrp_evlist *evlist, int cpu);
void pmcgrp_root_rebuild(struct pmcgrp_evlist *evlist, int cpu);
unsigned int pmcgrp_roots_ended(const struct pmcgrp_evlist *evlist);
bool pmcgrp_roots_follow(const struct pmcgrp_evlist *evlist);
bool pmcgrp_roots_are_idle(const struct pmcgrp_evlist *evlist);
int pmcgrp_roots_watch(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch);
void pmcgrp_roots_unwatch(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch);
void pmcgrp_roots_drop_fired(struct pmcgrp_evlist *evlist);

#endif /* PMCGRP_ROOT_H */
