/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PINNED_H
#define PMCGRP_PINNED_H

#include <linux/types.h>

struct perf_event_context;
struct pmcgrp_cpu;
struct pmu;

/* Number of recovered pinned events that a CPU remembers. */
#define PMCGRP_RECOVERED 8

/**
 * struct pmcgrp_recovered - a pinned perf event that was recovered from error
 * @id: id of the event
 * @at: local_clock() at the recovery
 */
struct pmcgrp_recovered {
	u64 id;
	u64 at;
};

/**
 * struct pmcgrp_recovery - recovery of pinned perf events on one CPU; that CPU, interrupts off
 * @recovered: the events that were recovered last
 * @nr: number of entries of @recovered written so far
 */
struct pmcgrp_recovery {
	struct pmcgrp_recovered recovered[PMCGRP_RECOVERED];
	unsigned int nr;
};

/**
 * enum pmcgrp_pinned_next - pinned events of a task that is about to run
 * @PMCGRP_PINNED_NONE: none of a PMU with counters of this module comes in
 * @PMCGRP_PINNED_AT_EXEC: some do, at the task's next execve() only
 * @PMCGRP_PINNED_COMES: some do
 * @PMCGRP_PINNED_RECOVERED: some do that were in error
 */
enum pmcgrp_pinned_next {
	PMCGRP_PINNED_NONE,
	PMCGRP_PINNED_AT_EXEC,
	PMCGRP_PINNED_COMES,
	PMCGRP_PINNED_RECOVERED,
};

bool pmcgrp_pinned_in_error(struct pmu *pmu);
enum pmcgrp_pinned_next pmcgrp_pinned_next(struct pmcgrp_cpu *pcpu,
					   struct perf_event_context *ctx);
bool pmcgrp_pinned_comes(struct pmcgrp_cpu *pcpu, struct perf_event_context *ctx);
bool pmcgrp_pinned_recover(struct pmcgrp_cpu *pcpu, struct pmu *pmu);

#endif /* PMCGRP_PINNED_H */
