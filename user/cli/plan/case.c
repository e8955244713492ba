// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "field.h"
#include "json.h"
#include "plan/plan_model.h"

/* Kinds of extra registers: what their names begin with. */
static const char offcore[] = "OFFCORE_RSP";

static int counter_bit(const char *name)
{
	char again[16];
	unsigned int i;

	for (i = 0; i < 64; i++) {
		pmcgrp_plan_counter(again, sizeof(again), i);
		if (!strcmp(name, again))
			return (int)i;
	}
	return -1;
}

static unsigned int extra_kind(struct pmcgrp_plan_pmu *pmu, const char *name)
{
	unsigned int i;

	if (!strncmp(name, offcore, strlen(offcore)))
		return 1;
	for (i = 1; i < PMCGRP_PLAN_EXTRA_MAX; i++) {
		if (!pmu->extra_name[i]) {
			pmu->extra_name[i] = name;
			pmu->nr_extra[i] = 1;
		}
		if (!strcmp(pmu->extra_name[i], name))
			return i + 1;
	}
	return 0;
}

static bool read_event(struct plan_case *c, struct pmcgrp_plan_event *event, const char *name,
		       json_t *json, struct field *at)
{
	const char *type = field_string(at, json, "type", "hw"), *extra;
	uint64_t weight;

	event->name = name;
	if (!strcmp(type, "software"))
		event->flags |= PMCGRP_PLAN_SOFTWARE;
	else if (strcmp(type, "hw"))
		return field_wrong(at, "type", "is \"hw\" or \"software\"");
	if (!field_bool(at, json, "supported", true))
		event->flags |= PMCGRP_PLAN_UNSUPPORTED;
	if (field_bool(at, json, "ht_exclusive", false))
		event->flags |= PMCGRP_PLAN_EXCLUSIVE;
	if (field_bool(at, json, "counter_pair", false))
		event->flags |= PMCGRP_PLAN_PAIR;
	if (field_bool(at, json, "overlap", false))
		event->flags |= PMCGRP_PLAN_OVERLAP;
	event->code = field_mask(at, json, "code", 0);
	event->config1 = field_mask(at, json, "config1", 0);
	if (event->flags & (PMCGRP_PLAN_SOFTWARE | PMCGRP_PLAN_UNSUPPORTED))
		return !at->error[0];
	event->mask = field_mask(at, json, "mask", (1ULL << c->pmu.nr_gp) - 1);
	weight = field_number(at, json, "weight", 0, 64);
	event->weight = (unsigned int)weight;
	extra = field_string(at, json, "extra_reg", NULL);
	if (extra)
		event->extra = extra_kind(&c->pmu, extra);
	if (c->pmu.style == PMCGRP_PLAN_ARM && event->mask >> c->pmu.nr_gp)
		event->flags |= PMCGRP_PLAN_CYCLES;
	if (event->flags & PMCGRP_PLAN_OVERLAP && event->mask >> PMCGRP_PLAN_FIXED)
		return field_wrong(at, "overlap", "is not for an event with a fixed counter");
	return !at->error[0];
}

static bool read_events(struct plan_case *c, json_t *json, struct field *at)
{
	json_t *events = field_object(at, json, "events"), *one;
	struct field inner;
	const char *name;

	if (!events)
		return false;
	c->events = calloc(json_object_size(events) + 1, sizeof(*c->events));
	if (!c->events)
		return field_no_memory(at);
	json_object_foreach(events, name, one) {
		inner = field_in(at, "events", name);
		if (!json_is_object(one))
			return field_wrong(&inner, NULL, "is no object");
		if (!read_event(c, &c->events[c->nr_events++], name, one, &inner))
			return false;
	}
	return true;
}

static bool read_pmu(struct plan_case *c, json_t *json, struct field *at)
{
	const char *style = field_string(at, json, "style", "x86");
	struct pmcgrp_plan_pmu *pmu = &c->pmu;
	json_t *extra = json_object_get(json, "extra_regs");
	struct field inner = field_in(at, "extra_regs", NULL);

	if (!strcmp(style, "arm"))
		pmu->style = PMCGRP_PLAN_ARM;
	else if (strcmp(style, "x86"))
		return field_wrong(at, "style", "is \"x86\" or \"arm\"");
	pmu->nr_gp = (unsigned int)field_number(at, json, "n_gp", 0, PMCGRP_PLAN_FIXED - 1);
	pmu->nr_fixed = (unsigned int)field_number(at, json, "n_fixed", 0, 16);
	pmu->extra_name[0] = offcore;
	pmu->nr_extra[0] = (unsigned int)field_number(&inner, extra, offcore, 0, 4);
	if (field_bool(at, json, "ht_workaround", false)) {
		pmu->ht_limit = pmu->nr_gp / 2;
		pmu->ht_limit = (unsigned int)field_number(at, json, "gp_limit_when_exclusive",
							   pmu->ht_limit, 32);
	}
	if (field_bool(at, json, "tfa_pmc3_blocked", false))
		c->options.no_pmc3 = true;
	return !at->error[0] && !inner.error[0] && read_events(c, json, at);
}

/* {"GP0": "SHARED"} */
static bool read_sibling(struct plan_case *c, json_t *json, struct field *at)
{
	const char *name, *state;
	uint64_t *mask;
	json_t *one;
	int bit;

	json_object_foreach(json, name, one) {
		state = json_string_value(one);
		if (state && !strcmp(state, "SHARED"))
			mask = &c->options.sibling_shared;
		else if (state && !strcmp(state, "EXCLUSIVE"))
			mask = &c->options.sibling_exclusive;
		else if (state && !strcmp(state, "UNUSED"))
			continue;
		else
			return field_wrong(at, name, "is \"SHARED\", \"EXCLUSIVE\" or \"UNUSED\"");
		bit = counter_bit(name);
		if (bit < 0)
			return field_wrong(at, name, "is no counter, as \"GP0\" or \"FIXED1\"");
		*mask |= 1ULL << bit;
	}
	return true;
}

/* As "6.12", or "<4.7-rc7": the one before that, or "<=5.5". */
static bool read_kernel(unsigned int *kernel, const char *text)
{
	bool before = text[0] == '<' && text[1] != '=';
	const char *end;

	end = plan_kernel_parse(text + strspn(text, "<="), kernel);
	if (!end || *end)
		return false;
	/* Before a release is before its first candidate. */
	if (before && !strchr(text, '-'))
		*kernel &= ~0xffU;
	*kernel -= before;
	return true;
}

static bool read_options(struct plan_case *c, json_t *json, struct field *at)
{
	struct field inner = field_in(at, "sibling_thread_counters", NULL);
	const char *text;

	if (field_bool(at, json, "tfa_pmc3_blocked", false))
		c->options.no_pmc3 = true;
	c->options.run_us = field_number(at, json, "run_ms", 0, 1ULL << 40) * 1000;
	c->options.mux_us = field_number(at, json, "mux_interval_ms", 4, 1ULL << 32) * 1000;
	text = field_string(at, json, "pinned_failure_semantics", NULL);
	if (!text)
		text = field_string(at, json, "kernel", NULL);
	if (text && !read_kernel(&c->options.kernel, text))
		return field_wrong(at, "kernel", "is a version as \"6.12\", \"4.7-rc7\" or \"<4.7\"");
	return !at->error[0] &&
	       read_sibling(c, json_object_get(json, "sibling_thread_counters"), &inner);
}

static const struct pmcgrp_plan_event *find(const struct plan_case *c, const char *name)
{
	unsigned int i;

	for (i = 0; i < c->nr_events; i++)
		if (!strcmp(c->events[i].name, name))
			return &c->events[i];
	return NULL;
}

static bool read_group(struct plan_case *c, struct pmcgrp_plan_group *group, json_t *json,
		       struct field *at, unsigned int *nr)
{
	json_t *events = json_object_get(json, "events"), *one;
	const char *name;
	size_t i;

	if (!json_is_array(events) || !json_array_size(events))
		return field_wrong(at, "events", "is a list of the PMU's events, and not empty");
	group->pinned = field_bool(at, json, "pinned", false);
	group->exclusive = field_bool(at, json, "exclusive", false);
	group->weak = field_bool(at, json, "weak", false);
	group->events = c->members + *nr;
	group->nr = (unsigned int)json_array_size(events);
	json_array_foreach(events, i, one) {
		name = json_string_value(one);
		c->members[*nr] = name ? find(c, name) : NULL;
		if (!c->members[(*nr)++])
			return field_wrong(at, name ? name : "events", "is no event of pmu.events");
	}
	return !at->error[0];
}

static bool read_groups(struct plan_case *c, json_t *json, struct field *at)
{
	json_t *groups = json_object_get(json, "groups"), *one;
	size_t i, nr_members = 0;
	unsigned int nr = 0;
	struct field inner;
	char number[32];

	if (!json_is_array(groups))
		return field_wrong(at, "groups", "is a list of groups");
	json_array_foreach(groups, i, one)
		nr_members += json_array_size(json_object_get(one, "events"));
	c->groups = calloc(json_array_size(groups) + 1, sizeof(*c->groups));
	c->members = calloc(nr_members + 1, sizeof(*c->members));
	if (!c->groups || !c->members)
		return field_no_memory(at);
	json_array_foreach(groups, i, one) {
		snprintf(number, sizeof(number), "%zu", i);
		inner = field_in(at, "groups", number);
		if (!read_group(c, &c->groups[c->nr_groups++], one, &inner, &nr))
			return false;
	}
	return true;
}

/*
 * The watchdog counts cycles. Its constraint is that of the case's own event of this name, or what
 * the kernel has where cycles have a fixed counter. On Bulldozer cycles are an event of the compute
 * unit, for counters 0 to 2 (arch/x86/events/amd/core.c: amd_get_event_constraints_f15h()).
 */
static bool read_watchdog(struct plan_case *c, json_t *json, json_t *options, struct field *at)
{
	const char *architecture = field_string(at, json, "microarchitecture", "");
	const struct pmcgrp_plan_event *cycles = find(c, "cycles");
	uint64_t gp = (1ULL << c->pmu.nr_gp) - 1, mask;

	if (c->pmu.style != PMCGRP_PLAN_X86 || !field_bool(at, options, "nmi_watchdog", false))
		return true;
	c->watchdog = (struct pmcgrp_plan_event){ .name = "the NMI watchdog", .mask = gp };
	if (cycles && !(cycles->flags & PMCGRP_PLAN_UNSUPPORTED)) {
		c->watchdog.mask = cycles->mask;
		c->watchdog.weight = cycles->weight;
	} else if (c->pmu.nr_fixed > 1) {
		c->watchdog.mask |= 1ULL << (PMCGRP_PLAN_FIXED + 1);
	} else if (!strcmp(architecture, "Bulldozer")) {
		c->watchdog.mask &= 0x7;
	}
	mask = field_mask(at, options, "watchdog_forced_counter_mask", 0);
	if (mask) {
		c->watchdog.mask = mask;
		c->watchdog.weight = 0;
	}
	c->pmu.watchdog = &c->watchdog;
	return !at->error[0];
}

int plan_case_read(struct plan_case *c, json_t *json, char *error)
{
	struct field at = field_root(error);
	json_t *pmu, *options;

	*c = (struct plan_case){ .id = field_string(&at, json, "id", NULL) };
	if (!json_is_object(json)) {
		field_wrong(&at, NULL, "a case is an object with pmu and groups");
		return -EINVAL;
	}
	pmu = field_object(&at, json, "pmu");
	options = json_object_get(json, "options");
	if (pmu) {
		struct field of_pmu = field_in(&at, "pmu", NULL);
		struct field of_options = field_in(&at, "options", NULL);

		if (read_options(c, options, &of_options) && read_pmu(c, pmu, &of_pmu) &&
		    read_watchdog(c, json, options, &of_options) && read_groups(c, json, &at))
			return 0;
	}
	return -EINVAL;
}

void plan_case_free(struct plan_case *c)
{
	free(c->events);
	free(c->groups);
	free(c->members);
}

json_t *plan_case_result(const struct plan_case *c, const struct pmcgrp_plan *plan)
{
	return json_pack("{s:s?, s:o}", "id", c->id, "expected", plan_json_rows(plan));
}
