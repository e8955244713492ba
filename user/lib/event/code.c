// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Terms: those that every event has, those of a PMU's formats, and events of the PMU, which stand
 * for terms of their own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <linux/perf_event.h>

#include "event_code.h"
#include "kernel_name.h"
#include "near_names.h"

/**
 * struct flat - terms without events of the PMU in between
 * @term: the term
 * @own: it was given, and is not part of an event
 * @of: the event that it is part of, else NULL
 */
struct flat {
	const struct event_term *term;
	bool own;
	const char *of;
};

/* @aliases: what the events of the PMU stand for; @flat points into these */
struct flat_terms {
	struct flat *at;
	size_t nr;
	struct event_terms *aliases;
	size_t nr_aliases;
};

struct encoder {
	struct event_machine *machine;
	const struct pmus *pmus;
	const struct pmu *pmu;
	unsigned int flags;
	struct event_code *code;
	struct pmcgrp_events_error *error;
	struct flat_terms flat;
};

/* How a term concerns an event of a counter group. */
enum fixed {
	FIXED_CONFIG,
	FIXED_NAME,
	FIXED_IGNORED,
	FIXED_REFUSED,
};

/* Terms that all PMUs have.  @why: what to do instead */
static const struct fixed_term {
	const char *name;
	enum fixed how;
	unsigned int config;
	const char *why;
} fixed_terms[] = {
	{ "config", FIXED_CONFIG, PMU_CONFIG, NULL },
	{ "config1", FIXED_CONFIG, PMU_CONFIG1, NULL },
	{ "config2", FIXED_CONFIG, PMU_CONFIG2, NULL },
	{ "config3", FIXED_CONFIG, PMU_CONFIG3, NULL },
	{ "config4", FIXED_REFUSED, 0, "counter groups do not have it" },
	{ "name", FIXED_NAME, 0, NULL },
	{ "metric-id", FIXED_IGNORED, 0, NULL },
	{ "period", FIXED_REFUSED, 0, "samples have a trigger: see \"pmcgrp record --every\"" },
	{ "freq", FIXED_REFUSED, 0, "samples have a trigger: see \"pmcgrp record -F\"" },
	{ "branch_type", FIXED_REFUSED, 0, "counter groups sample no branches" },
	{ "time", FIXED_REFUSED, 0, "each sample has a time" },
	{ "call-graph", FIXED_REFUSED, 0, "see \"pmcgrp record --call-graph\"" },
	{ "stack-size", FIXED_REFUSED, 0, "see \"pmcgrp record --call-graph\"" },
	{ "max-stack", FIXED_REFUSED, 0, "see \"pmcgrp record --call-graph\"" },
	{ "nr", FIXED_REFUSED, 0, "samples have a trigger of their own" },
	{ "inherit", FIXED_REFUSED, 0, "the whole group is inherited, or not" },
	{ "no-inherit", FIXED_REFUSED, 0, "the whole group is inherited, or not" },
	{ "overwrite", FIXED_REFUSED, 0, "see \"pmcgrp record --overwrite\"" },
	{ "no-overwrite", FIXED_REFUSED, 0, "see \"pmcgrp record --overwrite\"" },
	{ "percore", FIXED_REFUSED, 0, "see \"pmcgrp stat --per-core\"" },
	{ "aux-output", FIXED_REFUSED, 0, "counter groups have no AUX area" },
	{ "aux-sample-size", FIXED_REFUSED, 0, "counter groups have no AUX area" },
};

static const struct fixed_term *fixed_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(fixed_terms) / sizeof(fixed_terms[0]); i++) {
		if (!strcmp(fixed_terms[i].name, name))
			return &fixed_terms[i];
	}
	return NULL;
}

static int flat_append(struct flat_terms *flat, const struct event_term *term, const char *of)
{
	struct flat *at = reallocarray(flat->at, flat->nr + 1, sizeof(*at));

	if (!at)
		return -ENOMEM;
	flat->at = at;
	at[flat->nr++] = (struct flat){ .term = term, .own = !of, .of = of };
	return 0;
}

/* The name of an event of the PMU that a term stands for, or NULL: it is no such term. */
static const char *alias_of(const struct encoder *e, const struct event_term *term)
{
	struct pmu_format format;

	if (fixed_of(term->name))
		return NULL;
	if (term->has_value)
		return term->text && !strcasecmp(term->name, "event") ? term->text : NULL;
	return pmu_format(e->pmus, e->pmu, term->name, &format) == -ENOENT ? term->name : NULL;
}

static int alias_note(struct encoder *e, const struct event_term *term,
		      const struct pmu_alias *alias)
{
	struct event_code *code = e->code;

	if ((alias->unit[0] && code->unit[0]) || (alias->scale != 1.0 && code->scale != 1.0))
		return event_fail(e->error, term->column,
				  "'%.64s' is the second event here with a unit or a scale",
				  term->name);
	if (alias->unit[0])
		memcpy(code->unit, alias->unit, sizeof(code->unit));
	if (alias->scale != 1.0)
		code->scale = alias->scale;
	code->snapshot |= alias->snapshot;
	code->per_pkg |= alias->per_pkg;
	return 0;
}

/* Return 1 if the term is no event of the PMU. */
static int alias_flatten(struct encoder *e, const struct event_term *term, const char *name)
{
	struct event_terms *aliases, *terms;
	struct pmu_alias alias;
	int ret = event_machine_alias(e->machine, e->pmu, name, &alias);
	size_t i;

	if (ret == -ENOENT)
		return 1;
	if (!ret)
		ret = alias_note(e, term, &alias);
	if (ret < 0)
		return ret;
	aliases = reallocarray(e->flat.aliases, e->flat.nr_aliases + 1, sizeof(*aliases));
	if (!aliases)
		return -ENOMEM;
	e->flat.aliases = aliases;
	terms = &aliases[e->flat.nr_aliases];
	ret = event_terms_parse(terms, alias.terms, NULL, 0, e->error);
	if (ret == -EINVAL)
		return event_fail(e->error, term->column,
				  "the file of event '%.64s' of PMU %.32s is malformed: \"%.64s\"", name,
				  e->pmu->name, alias.terms);
	if (ret < 0)
		return ret;
	e->flat.nr_aliases++;
	for (i = 0; i < terms->nr && !ret; i++) {
		/* Errors point at the event. */
		terms->at[i].column = term->column;
		terms->at[i].value_column = term->column;
		ret = flat_append(&e->flat, &terms->at[i], name);
	}
	return ret;
}

static int flatten(struct encoder *e, const struct event_terms *terms)
{
	const char *alias;
	size_t i;
	int ret = 0;

	for (i = 0; i < terms->nr && ret >= 0; i++) {
		alias = e->pmu ? alias_of(e, &terms->at[i]) : NULL;
		ret = alias ? alias_flatten(e, &terms->at[i], alias) : 1;
		if (ret > 0)
			ret = flat_append(&e->flat, &terms->at[i], NULL);
	}
	return ret;
}

static void flat_free(struct flat_terms *flat)
{
	while (flat->nr_aliases)
		event_terms_free(&flat->aliases[--flat->nr_aliases]);
	free(flat->aliases);
	free(flat->at);
}

/* Whether the term is given by itself, too; then that counts. */
static bool is_replaced(const struct encoder *e, const struct event_term *term)
{
	size_t i;

	for (i = 0; i < e->flat.nr; i++) {
		if (e->flat.at[i].own && !strcmp(e->flat.at[i].term->name, term->name))
			return true;
	}
	return false;
}

static int check_twice(const struct encoder *e, size_t i)
{
	const struct event_term *term = e->flat.at[i].term;
	size_t k;

	for (k = 0; k < i; k++) {
		if (e->flat.at[k].own && !strcmp(e->flat.at[k].term->name, term->name))
			return event_fail(e->error, term->column, "term '%.64s' is given twice",
					  term->name);
	}
	return 0;
}

static int need_number(const struct encoder *e, const struct event_term *term)
{
	if (term->text)
		return event_fail(e->error, term->value_column,
				  !strcmp(term->text, "?") ?
				  "term '%.64s' has no value of its own: give it one, as in %.64s=1" :
				  "the value of term '%.64s' is a number, not '%.64s'",
				  term->name, strcmp(term->text, "?") ? term->text : term->name);
	return 0;
}

static int explain(struct encoder *e, const struct flat *flat, unsigned int config, uint64_t bits)
{
	return event_code_explain_bits(e->code, e->flags, config, bits, flat->term, flat->of);
}

static int fixed_apply(struct encoder *e, const struct flat *flat, const struct fixed_term *fixed)
{
	const struct event_term *term = flat->term;
	char number[24];
	int ret = 0;

	switch (fixed->how) {
	case FIXED_CONFIG:
		ret = need_number(e, term);
		e->code->config[fixed->config] = term->number;
		return ret ? ret : explain(e, flat, fixed->config, ~0ULL);
	case FIXED_NAME:
		if (!term->has_value)
			return event_fail(e->error, term->column, "term 'name' needs a value");
		snprintf(number, sizeof(number), "%llu", (unsigned long long)term->number);
		free(e->code->name);
		e->code->name = strdup(term->text ? term->text : number);
		return e->code->name ? 0 : -ENOMEM;
	case FIXED_REFUSED:
		if (!(e->flags & PMCGRP_EVENTS_ANY))
			return event_fail(e->error, term->column,
					  "term '%s' is not for events of a counter group: %s",
					  term->name, fixed->why);
		return 0;
	default:
		return 0;
	}
}

/* The largest value that bits hold. */
static uint64_t bits_max(uint64_t bits)
{
	int nr = __builtin_popcountll(bits);

	return nr == 64 ? ~0ULL : (1ULL << nr) - 1;
}

static void bits_set(uint64_t *field, uint64_t bits, uint64_t value)
{
	for (; bits; bits &= bits - 1, value >>= 1) {
		if (value & 1)
			*field |= bits & -bits;
	}
}

static int format_apply(struct encoder *e, const struct flat *flat,
			const struct pmu_format *format)
{
	const struct event_term *term = flat->term;
	uint64_t max = bits_max(format->bits);
	int ret = need_number(e, term);

	if (ret < 0)
		return ret;
	if (!term->has_value && max > 1)
		return event_fail(e->error, term->column, "term '%.64s' needs a value: 0 to %#llx",
				  term->name, (unsigned long long)max);
	if (term->number > max)
		return event_fail(e->error, term->value_column,
				  "this is too much for term '%.64s' of PMU %.32s: 0 to %#llx",
				  term->name, e->pmu->name, (unsigned long long)max);
	bits_set(&e->code->config[format->config], format->bits, term->number);
	return explain(e, flat, format->config, format->bits);
}

static const char *near_terms(const struct encoder *e, const struct event_term *term, char *text,
			      size_t size)
{
	char fixed[512] = "";
	size_t i, used = 0;

	for (i = 0; i < sizeof(fixed_terms) / sizeof(fixed_terms[0]); i++) {
		if (fixed_terms[i].how != FIXED_REFUSED)
			used += (size_t)snprintf(fixed + used, sizeof(fixed) - used, "%s,",
						 fixed_terms[i].name);
	}
	return near_term(e->machine, e->pmu, fixed, term->name, text, size);
}

static int unknown_term(const struct encoder *e, const struct event_term *term)
{
	char list[160], near[NEAR_TEXT];

	if (near_terms(e, term, near, sizeof(near))[0])
		return event_fail(e->error, term->column, "'%.64s' is neither a term nor an event%s%.32s%s",
				  term->name, e->pmu ? " of PMU " : "", e->pmu ? e->pmu->name : "",
				  near);
	if (!e->pmu)
		return event_fail(e->error, term->column,
				  "term '%.64s' is not one that every event has: these are config, "
				  "config1, config2, config3, name; others are of a PMU", term->name);
	pmu_formats_list(e->pmus, e->pmu, list, sizeof(list));
	return event_fail(e->error, term->column,
			  "'%.64s' is neither a term nor an event of PMU %.32s (terms: %s)",
			  term->name, e->pmu->name, list[0] ? list : "none");
}

/* A raw code, msr/r1a/, and of a core PMU the kernel's events: cpu/cycles/, cpu/L1-dcache-loads/. */
static int core_apply(struct encoder *e, const struct event_term *term)
{
	struct event_code *code = e->code;
	uint64_t config;
	uint32_t type;

	if (term->has_value)
		return unknown_term(e, term);
	if (!kernel_name_raw(term->name, &config)) {
		code->config[PMU_CONFIG] = config;
	} else if (e->pmu->core && kernel_name_encode(term->name, &type, &config) && type != PERF_TYPE_SOFTWARE) {
		code->type = type;
		code->config[PMU_CONFIG] = config | event_machine_extended(e->machine, e->pmu);
	} else {
		return unknown_term(e, term);
	}
	return event_code_explain(code, e->flags, "type = %u, config = %#llx: event %s of the kernel",
				  code->type, (unsigned long long)code->config[PMU_CONFIG],
				  term->name);
}

static int term_apply(struct encoder *e, size_t i)
{
	const struct event_term *term = e->flat.at[i].term;
	const struct fixed_term *fixed = fixed_of(term->name);
	struct pmu_format format;
	int ret;

	if (!e->flat.at[i].own) {
		/* A period in a table is a proposal for samples. */
		if (is_replaced(e, term) || (fixed && fixed->how == FIXED_REFUSED))
			return 0;
	} else {
		ret = check_twice(e, i);
		if (ret < 0)
			return ret;
	}
	if (fixed)
		return fixed_apply(e, &e->flat.at[i], fixed);
	if (!e->pmu)
		return unknown_term(e, term);
	ret = pmu_format(e->pmus, e->pmu, term->name, &format);
	if (!ret)
		return format_apply(e, &e->flat.at[i], &format);
	if (ret == -EOPNOTSUPP)
		return event_fail(e->error, term->column,
				  "term '%.64s' of PMU %.32s is in config4, which counter "
				  "groups do not have", term->name, e->pmu->name);
	if (ret == -EINVAL)
		return event_fail(e->error, term->column,
				  "the format of term '%.64s' of PMU %.32s is malformed", term->name,
				  e->pmu->name);
	return core_apply(e, term);
}

int event_code_terms(struct event_machine *machine, const struct pmu *pmu,
		     const struct event_terms *terms, unsigned int flags, struct event_code *code,
		     struct pmcgrp_events_error *error)
{
	struct encoder e = {
		.machine = machine,
		.pmus = &machine->pmus,
		.pmu = pmu,
		.flags = flags,
		.code = code,
		.error = error,
	};
	size_t i;
	int ret;

	ret = pmu ? event_code_explain(code, flags, "type = %u: PMU %s", code->type, pmu->name) : 0;
	if (!ret)
		ret = flatten(&e, terms);
	for (i = 0; i < e.flat.nr && ret >= 0; i++)
		ret = term_apply(&e, i);
	flat_free(&e.flat);
	return ret;
}
