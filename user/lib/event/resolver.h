/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the files that look up an event share. */
#ifndef PMCGRP_EVENT_RESOLVER_H
#define PMCGRP_EVENT_RESOLVER_H

#include "event_codes.h"

/* No name of this kind. */
#define NEXT 1

struct resolver {
	struct event_machine *machine;
	const struct event_node *node;
	unsigned int flags;
	struct event_codes *codes;
	struct pmcgrp_events_error *error;
	bool no_tracefs;	/* tracepoints are for root alone */
};

#define FAIL(r, ...) event_fail((r)->error, (r)->node->column, __VA_ARGS__)

/* One code more, of that PMU or of none; NULL: no memory. */
struct event_code *resolver_append(struct resolver *r, const struct pmu *pmu);

/*
 * resolver_show_pmu - show which PMU counts the last code, as perf does: "cpu_core/cycles/u"
 * @len: so much of the PMU's name
 *
 * Return: 0 or -ENOMEM.
 */
int resolver_show_pmu(struct resolver *r, const struct pmu *pmu, size_t len);

/* Each returns 0, NEXT, -EINVAL with the error filled in, or -ENOMEM. */

/* A name with terms that is a PMU's, or that of several. */
int resolver_pmu(struct resolver *r);

/* A name of an event of PMUs. */
int resolver_alias(struct resolver *r);

/* Fills in the error for a name that ends with modifiers, and has more behind it. */
int resolver_modifiers_twice(struct resolver *r);

/* Whether what stands before a colon is an event: what stands behind it are modifiers. */
bool resolver_has_event(struct resolver *r);

/* Fills in the error for a name that nobody knows. @pfm_has_event: but libpfm4 its beginning. */
int resolver_unknown(struct resolver *r, bool pfm_has_event);

#endif
