/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_BACKOFF_H
#define PMCGRP_BACKOFF_H

#include <linux/types.h>

struct pmcgrp_cpu;
struct pmcgrp_evset;

/**
 * struct pmcgrp_backoff - turns that perf does not gain by; one CPU's, interrupts off
 * @before: what perf had there when its last turn began; 0: not known
 * @seen: where that was so at its end as well; otherwise 0
 * @until: local_clock() up to which perf has no turn while that lasts
 * @ticks: how many these were
 */
struct pmcgrp_backoff {
	u64 before;
	u64 seen;
	u64 until;
	unsigned int ticks;
};

bool pmcgrp_backoff_begin(struct pmcgrp_backoff *backoff, const struct pmcgrp_evset *set);
void pmcgrp_backoff_end(struct pmcgrp_backoff *backoff, const struct pmcgrp_cpu *pcpu);

#endif /* PMCGRP_BACKOFF_H */
