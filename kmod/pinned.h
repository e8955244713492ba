/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PINNED_H
#define PMCGRP_PINNED_H

#include <linux/types.h>

struct perf_event_context;
struct pmcgrp_cpu;
struct pmu;
struct pmcgrp_evset;

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

int pmcgrp_guard_get(int cpu, const struct pmu *pmu);
void pmcgrp_guard_put(int cpu, const struct pmu *pmu);
int pmcgrp_guard_renew(int cpu);
void pmcgrp_guards_keep(void);
void pmcgrp_guards_drop(void);
void pmcgrp_guard_out(struct perf_event_context *cpu_ctx);
void pmcgrp_guard_in(void);
void pmcgrp_guard_forget(void);
bool pmcgrp_pinned_recover(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set);

#endif /* PMCGRP_PINNED_H */
