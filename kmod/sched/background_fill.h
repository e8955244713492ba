/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_BACKGROUND_FILL_H
#define PMCGRP_BACKGROUND_FILL_H

#include <linux/types.h>
#include "arbiter/cpu.h"

struct pmcgrp_evset;

void pmcgrp_background_come(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);
void pmcgrp_background_fill(struct pmcgrp_cpu *pcpu);
void pmcgrp_background_tick(struct pmcgrp_cpu *pcpu, u64 now);
void pmcgrp_background_check(struct pmcgrp_cpu *pcpu);

/* A background set has left, off the PMU. */
static inline void pmcgrp_background_leave(struct pmcgrp_cpu *pcpu)
{
	pcpu->nr_background--;
	pcpu->background_waits &= !!pcpu->nr_background;
}

#endif /* PMCGRP_BACKGROUND_FILL_H */
