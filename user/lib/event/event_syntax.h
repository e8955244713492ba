/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The grammar of event lists: from text to names, terms and modifiers that are not looked up. */
#ifndef PMCGRP_EVENT_SYNTAX_H
#define PMCGRP_EVENT_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmcgrp.h>

/* Modifiers, each once, but p. */
#define EVENT_LETTERS "ukhGHIPSDWebR"

enum event_modifier {
	EVENT_USER	= 1 << 0,	/* u: count user mode */
	EVENT_KERNEL	= 1 << 1,	/* k: count kernel mode */
	EVENT_HV	= 1 << 2,	/* h: count the hypervisor */
	EVENT_GUEST	= 1 << 3,	/* G: count guests */
	EVENT_HOST	= 1 << 4,	/* H: count the host */
	EVENT_NO_IDLE	= 1 << 5,	/* I: do not count the idle task */
	EVENT_PRECISE	= 1 << 6,	/* P: samples as precise as can be */
	EVENT_SAMPLE	= 1 << 7,	/* S: samples have the counts of the whole group */
	EVENT_PINNED	= 1 << 8,	/* D: the group is always on the PMU */
	EVENT_WEAK	= 1 << 9,	/* W: a group that does not fit is broken up */
	EVENT_EXCLUSIVE	= 1 << 10,	/* e: no other group is on the PMU meanwhile */
	EVENT_BPF	= 1 << 11,	/* b: a BPF program counts */
	EVENT_LATENCY	= 1 << 12,	/* R: the latency of retirement */
};

#define EVENT_MODES (EVENT_USER | EVENT_KERNEL | EVENT_HV)
#define EVENT_SIDES (EVENT_GUEST | EVENT_HOST)

/**
 * struct event_modifiers - what stands behind a colon
 * @bits: enum event_modifier
 * @precise: number of letters p, 0 to 3
 * @column: where they begin
 */
struct event_modifiers {
	unsigned int bits;
	unsigned int precise;
	size_t column;
};

/**
 * struct event_term - a part of what stands between two slashes
 * @name: what stands before "=", or all of it
 * @text: a value that is no number, or NULL
 * @number: a value that is one; 1 if there is none
 * @has_value: there is a value
 * @column: where the name begins
 * @value_column: where the value begins
 */
struct event_term {
	char *name;
	char *text;
	uint64_t number;
	bool has_value;
	size_t column;
	size_t value_column;
};

struct event_terms {
	struct event_term *at;
	size_t nr;
};

/**
 * struct event_node - an event as it was written
 * @name: what stands before its terms and modifiers: an event, or a PMU if there are terms
 * @shown: all of it, with the modifiers of its group
 * @has_terms: there were slashes
 */
struct event_node {
	char *name;
	char *shown;
	bool has_terms;
	struct event_terms terms;
	struct event_modifiers modifiers;
	size_t column;
};

/**
 * struct event_node_group - events in braces, or one without
 * @name: what stands before the brace, or NULL
 * @braces: there are braces
 * @first: index of the first of its nodes
 * @nr: their number
 * @modifiers: what stands behind the brace
 */
struct event_node_group {
	char *name;
	bool braces;
	size_t first;
	size_t nr;
	struct event_modifiers modifiers;
};

struct event_syntax {
	struct event_node *nodes;
	size_t nr;
	struct event_node_group *groups;
	size_t nr_groups;
};

/*
 * event_syntax_parse - parse a list of events
 *
 * Return: 0, then event_syntax_free() frees what it holds; -EINVAL with @error filled in; or
 * -ENOMEM.
 */
int event_syntax_parse(struct event_syntax *syntax, const char *text,
		       struct pmcgrp_events_error *error);

void event_syntax_free(struct event_syntax *syntax);

/*
 * event_terms_parse - parse terms, as they are in sysfs
 * @text: the terms; parsed up to @end, or all of it if that is NULL
 * @column: of the first character, for errors
 *
 * Return: as event_syntax_parse(); event_terms_free() frees them.
 */
int event_terms_parse(struct event_terms *terms, const char *text, const char *end, size_t column,
		      struct pmcgrp_events_error *error);

void event_terms_free(struct event_terms *terms);

/* Fill in @error. Return: -EINVAL. */
int event_fail(struct pmcgrp_events_error *error, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
