/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Why events do not fit a PMU together. */
#ifndef PMCGRP_PLAN_CONFLICT_H
#define PMCGRP_PLAN_CONFLICT_H

#include "sim.h"

#define CONFLICT_EVENTS (PMCGRP_PLAN_EVENTS_MAX + 1)

enum conflict_kind {
	CONFLICT_NONE,
	CONFLICT_COUNTERS,	/* more events need @counters than there are */
	CONFLICT_REGISTERS,	/* more values than extra registers of a kind */
	CONFLICT_HT,		/* more general-purpose counters than the HT erratum leaves */
};

/**
 * struct conflict - what is in the way of an event
 * @kind: enum conflict_kind
 * @counters: of CONFLICT_COUNTERS: the counters that all of @event need one of
 * @extra: of CONFLICT_REGISTERS: their kind
 * @room: how many there are
 * @need: how many are needed
 * @nr: of @event
 * @event: the events that need them, the one in question last
 */
struct conflict {
	enum conflict_kind kind;
	uint64_t counters;
	unsigned int extra;
	unsigned int room;
	unsigned int need;
	unsigned int nr;
	const struct pmcgrp_plan_event *event[CONFLICT_EVENTS];
};

/*
 * conflict_find - what the last of some events needs that the others have
 * @events: at least one; those before the last fit together or not
 */
void conflict_find(struct conflict *conflict, const struct sim_cpu *cpu,
		   const struct pmcgrp_plan_event *const *events, unsigned int nr);

/* It in words: "GP2 counts one event at a time, and 2 need it: a, b". */
void conflict_text(char *text, size_t size, const struct conflict *conflict, const struct sim_cpu *cpu);

#endif
