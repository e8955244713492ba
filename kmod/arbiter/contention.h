/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CONTENTION_H
#define PMCGRP_CONTENTION_H

#include <linux/types.h>

struct pmcgrp_counter;
struct pmcgrp_cpu;
struct pmcgrp_evset;
struct perf_event_context;
struct pmu;

/* PMUs of a CPU that are distinguished; if there are more, contention is for all. */
#define PMCGRP_CONTENDED_MAX 4

/**
 * struct pmcgrp_contended - PMUs of a CPU that perf and pmcgrp compete for
 * @nr: number of PMUs in @pmu; PMCGRP_CONTENDED_MAX + 1 if there are more
 * @may_go: any of them may be gone when nobody has counters of it (pmcgrp_pmu_may_go())
 * @pmu: these PMUs
 */
struct pmcgrp_contended {
	unsigned int nr;
	bool may_go;
	struct pmu *pmu[PMCGRP_CONTENDED_MAX];
};

/**
 * struct pmcgrp_contention - where perf events wait for counters of flexible sets that are on
 * @pmus: their PMUs
 * @set: a set with counters of one of these, or NULL; of one with @in_error if there is such
 * @counter: the first counter of @set on that PMU
 * @in_error: pinned perf events have been recovered from error
 * @any: any flexible set is on
 */
struct pmcgrp_contention {
	struct pmcgrp_contended pmus;
	const struct pmcgrp_evset *set;
	const struct pmcgrp_counter *counter;
	bool in_error;
	bool any;
};

bool pmcgrp_contended_by(const struct pmcgrp_contended *pmus, struct pmcgrp_counter *const *counter,
			 unsigned int nr_hw);
void pmcgrp_contended_add(struct pmcgrp_contended *pmus, const struct pmcgrp_contended *more);
bool pmcgrp_contended_find(struct pmcgrp_contended *pmus, const struct pmcgrp_evset *set);
bool pmcgrp_contended_wanted_by(const struct pmcgrp_contended *pmus,
				struct perf_event_context *ctx);
bool pmcgrp_contended_exist(const struct pmcgrp_contended *pmus, const struct pmcgrp_cpu *pcpu);
void pmcgrp_contended_find_own(struct pmcgrp_contended *pmus, const struct pmcgrp_cpu *pcpu);
bool pmcgrp_contention_perf_waits(struct pmu *pmu);
bool pmcgrp_contended_by_cpu(const struct pmcgrp_contended *pmus);
bool pmcgrp_contended_waits(struct pmcgrp_contended *waits, const struct pmcgrp_contended *pmus);
void pmcgrp_contention_find(struct pmcgrp_contention *contention, struct pmcgrp_cpu *pcpu);
bool pmcgrp_contention_is_likely(const struct pmcgrp_cpu *pcpu, bool *any);

#endif /* PMCGRP_CONTENTION_H */
