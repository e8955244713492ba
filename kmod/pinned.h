/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_PINNED_H
#define PMCGRP_PINNED_H

#include <linux/types.h>

struct perf_event_context;
struct pmcgrp_cpu;
struct pmcgrp_guard;
struct pmcgrp_evset;

/* Pinned events that a CPU remembers to have helped. */
#define PMCGRP_RECOVERED 8

/**
 * struct pmcgrp_recovered - a pinned event that was helped out of its error
 * @id: the event's id
 * @at: local_clock() then
 */
struct pmcgrp_recovered {
	u64 id;
	u64 at;
};

/**
 * struct pmcgrp_recovery - one CPU's help to pinned events; that CPU, interrupts off
 * @recovered: those that have been helped out of their error
 * @nr: how many there have been
 */
struct pmcgrp_recovery {
	struct pmcgrp_recovered recovered[PMCGRP_RECOVERED];
	unsigned int nr;
};

struct pmcgrp_guard *pmcgrp_guard_get(int cpu, u64 generation);
void pmcgrp_guard_put(struct pmcgrp_guard *guard);
void pmcgrp_guards_keep(void);
void pmcgrp_guards_drop(void);
void pmcgrp_guard_out(struct perf_event_context *cpu_ctx);
void pmcgrp_guard_in(void);
void pmcgrp_guard_forget(void);
bool pmcgrp_pinned_recover(struct pmcgrp_cpu *pcpu, const struct pmcgrp_evset *set);

#endif /* PMCGRP_PINNED_H */
