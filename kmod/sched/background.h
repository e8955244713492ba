/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_BACKGROUND_H
#define PMCGRP_BACKGROUND_H

#include <linux/compiler.h>
#include <linux/types.h>
#include "arbiter/cpu.h"
#include "arbiter/refusal.h"

struct pmcgrp_evset;

void pmcgrp_background_take_off(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);
void pmcgrp_background_wait(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);
void pmcgrp_background_yield(struct pmcgrp_cpu *pcpu);
void pmcgrp_background_off_slow(struct pmcgrp_cpu *pcpu);

/**
 * pmcgrp_background_off - take all background sets off the PMU; they come back as @work has run
 * @pcpu: this CPU's scheduler
 *
 * Context: interrupts off; not inside perf core, or where nothing has been placed in its section.
 */
static inline void pmcgrp_background_off(struct pmcgrp_cpu *pcpu)
{
	if (unlikely(pcpu->nr_background_on))
		pmcgrp_background_off_slow(pcpu);
}

/**
 * pmcgrp_background_refuses - check whether placing a set would fail, with no background set on
 * @pcpu: this CPU's scheduler
 * @set: the set, off, not a background set
 *
 * Context: as pmcgrp_background_off().
 */
static __always_inline bool pmcgrp_background_refuses(struct pmcgrp_cpu *pcpu,
						      const struct pmcgrp_evset *set)
{
	if (likely(!pmcgrp_refusal_stands(pcpu, set)))
		return false;
	if (likely(!pcpu->nr_background_on))
		return true;
	pmcgrp_background_off_slow(pcpu);
	return pmcgrp_refusal_stands(pcpu, set);
}

#endif /* PMCGRP_BACKGROUND_H */
