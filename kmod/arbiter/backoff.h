/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_BACKOFF_H
#define PMCGRP_BACKOFF_H

#include <linux/types.h>

struct pmcgrp_contended;
struct pmcgrp_cpu;

/**
 * struct pmcgrp_backoff - pauses between slices by which perf gains nothing; one CPU's,
 *	interrupts off
 * @before: fingerprint of the perf events when perf's last slice began; 0: unknown
 * @seen: fingerprint for which a slice gained nothing, or 0
 * @until: local_clock() until which perf has no slice while the fingerprint is @seen
 * @ticks: length of the pause in intervals
 */
struct pmcgrp_backoff {
	u64 before;
	u64 seen;
	u64 until;
	unsigned int ticks;
};

bool pmcgrp_backoff_begin(struct pmcgrp_backoff *backoff, const struct pmcgrp_contended *pmus);
void pmcgrp_backoff_end(struct pmcgrp_backoff *backoff, const struct pmcgrp_cpu *pcpu,
			const struct pmcgrp_contended *pmus);

#endif /* PMCGRP_BACKOFF_H */
