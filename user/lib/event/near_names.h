/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which names of this machine are close to one that it does not have. */
#ifndef PMCGRP_EVENT_NEAR_NAMES_H
#define PMCGRP_EVENT_NEAR_NAMES_H

#include "machine.h"
#include "near.h"

/*
 * near_event - of events: the kernel's, those of PMUs and of perf's tables, libpfm4's
 *
 * Return: @text, as near_text() has it.
 */
const char *near_event(struct event_machine *machine, const char *name, char *text, size_t size);

/* The same for what stands before a colon: of systems of tracepoints, and of events. */
const char *near_system(struct event_machine *machine, const char *name, char *text, size_t size);

/* The same of tracepoints in a name's system; returns whether there is the very one. */
bool near_tracepoint(struct event_machine *machine, const char *name, char *text, size_t size);

/* The same of PMUs, and of the events that may have terms as well. */
const char *near_pmu(struct event_machine *machine, const char *name, char *text, size_t size);

/*
 * near_term - of terms: those that are given, with commas, and if there is a PMU, its own and its
 *	events
 */
const char *near_term(struct event_machine *machine, const struct pmu *pmu, const char *fixed,
		      const char *name, char *text, size_t size);

#endif
