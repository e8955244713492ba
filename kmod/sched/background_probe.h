/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_BACKGROUND_PROBE_H
#define PMCGRP_BACKGROUND_PROBE_H

#include <linux/errno.h>
#include "counter/attr.h"

struct pmcgrp_evlist;

#ifdef CONFIG_KPROBES
int pmcgrp_background_get(struct pmcgrp_evlist *evlist, struct pmcgrp_failure *fail);
void pmcgrp_background_put(struct pmcgrp_evlist *evlist);
#else
static inline int pmcgrp_background_get(struct pmcgrp_evlist *evlist,
					struct pmcgrp_failure *fail)
{
	fail->why = PMCGRP_WHY_BACKGROUND;
	return -EOPNOTSUPP;
}

static inline void pmcgrp_background_put(struct pmcgrp_evlist *evlist)
{
}
#endif

#endif /* PMCGRP_BACKGROUND_PROBE_H */
