/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* From an event's name and terms to its code. */
#ifndef PMCGRP_EVENT_CODE_H
#define PMCGRP_EVENT_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"
#include "event_syntax.h"

/**
 * struct event_code - what a name and its terms decide
 * @pmu: the PMU that counts it, if one is named by it; else NULL
 * @type, @config: fields of perf_event_attr
 * @exclude_user, @exclude_kernel, @exclude_hv: the name itself has privilege levels (libpfm4)
 * @name: what term "name" says, or NULL
 * @unit, @scale, @snapshot, @per_pkg: as of struct pmu_alias
 * @explanation: a line for each part of it, or NULL
 *
 * Not perf_event_attr itself: libpfm4's header and the kernel's both define that, and cannot be
 * used in the same file.
 */
struct event_code {
	const struct pmu *pmu;
	uint32_t type;
	uint64_t config[PMU_CONFIGS];
	bool exclude_user;
	bool exclude_kernel;
	bool exclude_hv;
	char *name;
	char unit[32];
	double scale;
	bool snapshot;
	bool per_pkg;
	char *explanation;
};

/*
 * event_code_terms - apply terms
 * @pmu: whose formats and events are known, or NULL: then only terms that every event has
 * @flags: PMCGRP_EVENTS_*
 * @code: filled in before with what the name says
 *
 * A term that is given replaces that of an event of the PMU: "mem-loads,ldlat=30".  perf sets the
 * bits of both.
 *
 * Return: 0, -EINVAL with @error filled in, or -ENOMEM.
 */
int event_code_terms(struct event_machine *machine, const struct pmu *pmu,
		     const struct event_terms *terms, unsigned int flags, struct event_code *code,
		     struct pmcgrp_events_error *error);

/*
 * event_code_explain - add a line that says where a part of the code is from
 * @flags: without PMCGRP_EVENTS_EXPLAIN nothing is added
 *
 * Return: 0 or -ENOMEM.
 */
int event_code_explain(struct event_code *code, unsigned int flags, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same of a term's value in bits of a field.  @of: the event that the term is part of, or NULL */
int event_code_explain_bits(struct event_code *code, unsigned int flags, unsigned int config,
			    uint64_t bits, const struct event_term *term, const char *of);

/* Free what the code points to. */
void event_code_clear(struct event_code *code);

#endif
