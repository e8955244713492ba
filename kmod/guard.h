/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GUARD_H
#define PMCGRP_GUARD_H

#include <linux/types.h>

struct perf_event_context;
struct pmcgrp_gang;
struct pmcgrp_guard;
struct pmcgrp_ride;

/* Pinned events that a CPU remembers to have helped. */
#define PMCGRP_HELPED	8

/**
 * struct pmcgrp_helped - a pinned event that was helped out of its error
 * @id: the event's id
 * @at: local_clock() then
 */
struct pmcgrp_helped {
	u64	id;
	u64	at;
};

/**
 * struct pmcgrp_help - one CPU's help to pinned events; that CPU, interrupts off
 * @helped: those that have been helped out of their error
 * @nr: how many there have been
 */
struct pmcgrp_help {
	struct pmcgrp_helped	helped[PMCGRP_HELPED];
	unsigned int		nr;
};

struct pmcgrp_guard *pmcgrp_guard_get(int cpu, u64 epoch);
void pmcgrp_guard_put(struct pmcgrp_guard *guard);
void pmcgrp_guards_keep(void);
void pmcgrp_guards_drop(void);
void pmcgrp_guard_out(struct perf_event_context *cpu_ctx);
void pmcgrp_guard_in(void);
void pmcgrp_guard_forget(void);
bool pmcgrp_guard_help(struct pmcgrp_gang *gang, const struct pmcgrp_ride *ride);

#endif /* PMCGRP_GUARD_H */
