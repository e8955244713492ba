/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_REFUSAL_H
#define PMCGRP_REFUSAL_H

#include <linux/compiler.h>
#include <linux/types.h>
#include "arbiter/cpu.h"

void pmcgrp_refusal_note(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set);
bool pmcgrp_refusal_is_noted(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set);

/**
 * pmcgrp_refusal_stands - check whether placing a set would fail as it did before
 * @pcpu: this CPU's scheduler
 * @set: the set, off
 *
 * It would if the events on the PMU are of the kinds beside which drivers had no room for it, or
 * for another set of its kinds.
 *
 * Context: interrupts off; perf core's locks may be held.
 */
static inline bool pmcgrp_refusal_stands(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set)
{
	return unlikely(pcpu->rotated < pcpu->refused_until) && pmcgrp_refusal_is_noted(pcpu, set);
}

#endif /* PMCGRP_REFUSAL_H */
