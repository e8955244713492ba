// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What is wrong with a name that is no event, where, and which names are close: its modifiers, its
 * unit masks, the system or the name of a tracepoint, its PMU, or all of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "kernel_name.h"
#include "near_names.h"
#include "pfm.h"
#include "resolver.h"
#include "rights.h"

/* At a character of the name. */
#define FAIL_AT(r, at, ...) \
	event_fail((r)->error, (r)->node->column + (size_t)((at) - (r)->node->name), __VA_ARGS__)

/* Who has events: "this machine", or a model. */
static const char *whose(const struct resolver *r)
{
	return r->machine->given ? r->machine->given->model : "this machine";
}

static int unknown_pmu(struct resolver *r)
{
	const struct pmus *pmus = event_machine_pmus(r->machine);
	char list[120] = "", near[NEAR_TEXT];
	size_t i, used = 0;

	if (near_pmu(r->machine, r->node->name, near, sizeof(near))[0])
		return FAIL(r, "'%.64s' is neither a PMU nor an event of one%s", r->node->name, near);
	for (i = 0; pmus && i < pmus->nr && used < sizeof(list) - 1; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
					 pmus->at[i].name);
	return FAIL(r, "'%.64s' is neither a PMU nor an event of one; %s has %s",
		    r->node->name, whose(r), list[0] ? list : "no PMU that sysfs shows");
}

/* Whether the kernel or a PMU has an event of this name. */
static bool is_event(struct resolver *r, const char *name)
{
	const struct pmus *pmus = event_machine_pmus(r->machine);
	struct pmu_alias alias;
	uint64_t config;
	uint32_t type;
	size_t i;

	if (kernel_name_encode(name, &type, &config) || !kernel_name_raw(name, &config))
		return true;
	for (i = 0; pmus && i < pmus->nr; i++) {
		if (!event_machine_alias(r->machine, &pmus->at[i], name, &alias))
			return true;
	}
	return false;
}

bool resolver_has_event(struct resolver *r)
{
	char head[128];

	snprintf(head, sizeof(head), "%.*s", (int)strcspn(r->node->name, ":"), r->node->name);
	return is_event(r, head);
}

int resolver_modifiers_twice(struct resolver *r)
{
	return event_fail(r->error, r->node->modifiers.column,
			  "'%.64s' has modifiers already: write them together, as \":uk\"",
			  r->node->name);
}

static int unknown_modifier(struct resolver *r, const char *at)
{
	const char *bad = at + strspn(at, "p" EVENT_LETTERS);

	if (!*bad)
		return resolver_modifiers_twice(r);
	return FAIL_AT(r, bad, "'%c' is no modifier: these are p and " EVENT_LETTERS, *bad);
}

static void offer(void *ctx, const char *name)
{
	near_offer(ctx, name);
}

/* Of an event that libpfm4 knows: the part behind @colon. */
static int unknown_unit_mask(struct resolver *r, const char *event, const char *colon)
{
	size_t len = colon ? strcspn(colon + 1, ":=") : 0;
	char part[NEAR_LENGTH] = "", text[NEAR_TEXT];
	struct near near;

	if (!colon)
		return FAIL(r, "'%.64s' wants a unit mask behind a colon; libpfm4's \"showevtinfo %.64s\" "
			    "lists them", r->node->name, event);
	snprintf(part, sizeof(part), "%.*s", (int)len, colon + 1);
	near_begin(&near, part);
	event_pfm_each_mask(event, offer, &near);
	return FAIL_AT(r, colon + 1, "'%s' is neither a unit mask nor a modifier of %.64s, or not with "
		       "those before it%s", part, event, near_text(&near, text, sizeof(text)));
}

/*
 * The first part of the name with which libpfm4 does not take it any more; NULL: it lacks one. An
 * event without its unit mask is no error of the name up to there.
 */
static const char *wrong_part(const char *name, const char *colon)
{
	char *part = strdup(name);
	const char *found = NULL;
	size_t end;

	while (part && colon && !found) {
		end = (size_t)(colon - name) + 1 + strcspn(colon + 1, ":");
		part[end] = '\0';
		if (event_pfm_refuses_part(part))
			found = colon;
		part[end] = name[end];
		colon = strchr(colon + 1, ':');
	}
	free(part);
	return found;
}

/* Behind the name of libpfm4's PMU, if there is one: pmu::EVENT:MASK. */
static int unknown_to_pfm(struct resolver *r)
{
	const char *name = r->node->name, *pmu = strstr(name, "::");
	const char *colon = strchr(pmu ? pmu + 2 : name, ':');
	int len = colon ? (int)(colon - name) : (int)strlen(name);
	char event[128];

	snprintf(event, sizeof(event), "%.*s", len, name);
	return unknown_unit_mask(r, event, wrong_part(name, colon));
}

/* "sched:nosuch": of a system that there is, or of none. */
static int unknown_tracepoint(struct resolver *r)
{
	const char *name = r->node->name, *event = strchr(name, ':') + 1;
	int len = (int)(event - 1 - name);
	char near[NEAR_TEXT];

	if (!tracefs_has(r->machine->tracing, ""))
		return FAIL(r, "'%.64s' cannot be looked up: there is no %s; as root, \"mount -t tracefs "
			    "tracefs /sys/kernel/tracing\"", name, r->machine->tracing[0]);
	if (!tracefs_has(r->machine->tracing, name)) {
		near_system(r->machine, name, near, sizeof(near));
		return FAIL(r, "'%.*s' is neither a system of tracepoints nor an event of this machine%s",
			    len, name, near);
	}
	if (strpbrk(name, "*?["))
		return FAIL_AT(r, event, "no tracepoint of %.*s matches '%.64s'", len, name, event);
	if (near_tracepoint(r->machine, name, near, sizeof(near)))
		return FAIL_AT(r, event, "tracepoint '%.64s' has no number in its file id", name);
	return FAIL_AT(r, event, "there is no tracepoint '%.64s' in %.*s%s", event, len, name,
		       near[0] ? near : ": \"pmcgrp list tracepoint\" shows them");
}

int resolver_unknown(struct resolver *r, bool pfm_has_event)
{
	const char *name = r->node->name, *colon = strchr(name, ':');
	char near[NEAR_TEXT];

	if (r->node->has_terms)
		return unknown_pmu(r);
	if (colon && resolver_has_event(r))
		return unknown_modifier(r, colon + 1);
	if (pfm_has_event)
		return unknown_to_pfm(r);
	if (rights_locked() && tracefs_is_name(name) &&
	    (r->no_tracefs || !tracefs_has(r->machine->tracing, "")))
		return FAIL(r, "'%.64s' cannot be looked up in %s: kernel lockdown is on (%s), which keeps "
			    "root from tracefs, too: boot with lockdown=integrity, or without", name,
			    r->machine->tracing[0], rights_lockdown());
	if (r->no_tracefs)
		return FAIL(r, "'%.64s' cannot be looked up in %s: run as root", name,
			    r->machine->tracing[0]);
	if (tracefs_is_name(name))
		return unknown_tracepoint(r);
	if (near_event(r->machine, name, near, sizeof(near))[0])
		return FAIL(r, "'%.64s' is not an event that %.64s has%s", name, whose(r), near);
	if (r->machine->given)
		return FAIL(r, "'%.64s' is not an event that %.64s has: neither the kernel, nor perf's "
			    "table, nor the model itself knows it", name, whose(r));
	return FAIL(r, "'%.64s' is not an event that this machine has: neither the kernel, nor its PMUs, "
		    "nor libpfm4 know it; \"pmcgrp list\" shows what there is", name);
}
