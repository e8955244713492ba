/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CPUS_H
#define PMCGRP_CPUS_H

#include "set/follower.h"

/* One CPU; CPUs that user space has listed; all. */
extern const struct pmcgrp_follower pmcgrp_cpus_one, pmcgrp_cpus_listed, pmcgrp_cpus_all;

u64 pmcgrp_cpus_whose(const struct pmcgrp_target *target);
bool pmcgrp_cpus_suit(const struct pmcgrp_evlist *evlist, const struct pmcgrp_target *target);
int pmcgrp_cpus_make(struct pmcgrp_evlist *evlist, const struct pmcgrp_evlist *like,
		     struct pmcgrp_failure *fail);

#endif /* PMCGRP_CPUS_H */
