/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_VAIN_H
#define PMCGRP_VAIN_H

#include <linux/types.h>

struct pmcgrp_gang;
struct pmcgrp_ride;

/**
 * struct pmcgrp_vain - turns that perf does not gain by; one CPU's, interrupts off
 * @before: what perf had there when its last turn began; 0: not known
 * @seen: where that was so at its end as well; otherwise 0
 * @until: local_clock() up to which perf has no turn while that lasts
 * @ticks: how many these were
 */
struct pmcgrp_vain {
	u64		before;
	u64		seen;
	u64		until;
	unsigned int	ticks;
};

bool pmcgrp_vain_begin(struct pmcgrp_vain *vain, const struct pmcgrp_ride *ride);
void pmcgrp_vain_end(struct pmcgrp_vain *vain, const struct pmcgrp_gang *gang);

#endif /* PMCGRP_VAIN_H */
