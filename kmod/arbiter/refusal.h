/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_REFUSAL_H
#define PMCGRP_REFUSAL_H

#include <linux/types.h>

struct pmcgrp_cpu;
struct pmcgrp_evset;

void pmcgrp_refusal_note(const struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);
bool pmcgrp_refusal_stands(const struct pmcgrp_evset *set);

#endif /* PMCGRP_REFUSAL_H */
