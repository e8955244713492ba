/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_HANDOVER_H
#define PMCGRP_HANDOVER_H

#include <linux/types.h>

struct pmcgrp_cpu;
struct pmcgrp_evset;

u64 pmcgrp_handover(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *from,
		    struct pmcgrp_evset *to);

#endif /* PMCGRP_HANDOVER_H */
