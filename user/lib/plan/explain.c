// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Why an event is not counted all the time: the constraint or the competitor. */
#include <stdio.h>
#include <string.h>

#include "conflict.h"

/* Events that are looked at together. */
struct crowd {
	const struct pmcgrp_plan_event *event[CONFLICT_EVENTS];
	unsigned int nr;
	bool shares;	/* equal ones need one counter, but for the watchdog's */
	const struct pmcgrp_plan_event *watchdog;
};

struct explainer {
	const struct sim *sim;
	struct pmcgrp_plan *plan;
	struct conflict conflict;
};

static void say(struct pmcgrp_plan_row *row, const char *before, const char *text)
{
	snprintf(row->reason, sizeof(row->reason), "%s%s", before, text);
}

/* A reason that is another event's: "perf stat stops, as NAME is refused". */
static void say_refused(struct pmcgrp_plan_row *row, const char *what, const char *name)
{
	snprintf(row->reason, sizeof(row->reason), "%s%.150s is refused", what, name);
}

static bool is_one(const struct crowd *crowd, const struct pmcgrp_plan_event *a,
		   const struct pmcgrp_plan_event *b)
{
	return crowd->shares && a != crowd->watchdog && b != crowd->watchdog && sim_same_event(a, b);
}

static void add(struct crowd *crowd, const struct pmcgrp_plan_event *event)
{
	unsigned int i;

	if (event->flags & (PMCGRP_PLAN_SOFTWARE | PMCGRP_PLAN_UNSUPPORTED))
		return;
	for (i = 0; i < crowd->nr; i++)
		if (is_one(crowd, crowd->event[i], event))
			return;
	crowd->event[crowd->nr++] = event;
}

/* To the end, so that the conflict is this event's. */
static void add_last(struct crowd *crowd, const struct pmcgrp_plan_event *event)
{
	unsigned int i, k = 0;

	for (i = 0; i < crowd->nr; i++)
		if (!is_one(crowd, crowd->event[i], event))
			crowd->event[k++] = crowd->event[i];
	crowd->nr = k;
	add(crowd, event);
}

/* Events of a group that are open, but for row @except. */
static void add_group(const struct explainer *x, struct crowd *crowd, unsigned int group,
		      unsigned int except)
{
	unsigned int i;

	for (i = 0; i < x->plan->nr; i++)
		if (i != except && x->plan->rows[i].group == group &&
		    x->plan->rows[i].status != PMCGRP_PLAN_NOT_SUPPORTED)
			add(crowd, x->plan->rows[i].event);
}

static bool is_own(const struct explainer *x)
{
	return x->sim->cpu.options->who == PMCGRP_PLAN_PMCGRP;
}

/* Whether row @row conflicts with a crowd; then the reason says so, behind @before. */
static bool explain_by(struct explainer *x, struct pmcgrp_plan_row *to, const struct pmcgrp_plan_event *event,
		       const struct sim_cpu *cpu, struct crowd *crowd, const char *before)
{
	char text[PMCGRP_PLAN_REASON];

	if (event->flags & PMCGRP_PLAN_SOFTWARE)
		return false;
	add_last(crowd, event);
	conflict_find(&x->conflict, cpu, crowd->event, crowd->nr);
	if (x->conflict.kind == CONFLICT_NONE)
		return false;
	conflict_text(text, sizeof(text), &x->conflict, cpu);
	say(to, before, text);
	return true;
}

static void explain_refused(struct explainer *x, unsigned int at)
{
	struct pmcgrp_plan_row *row = &x->plan->rows[at];
	struct sim_cpu cpu = sim_cpu_of(x->sim->cpu.pmu, x->sim->cpu.options);
	struct crowd crowd = { .shares = is_own(x), .watchdog = x->sim->watchdog.event };
	unsigned int i, first = at;

	cpu.is_fake = true;
	while (first && x->plan->rows[first - 1].group == row->group)
		first--;
	if (row->event->flags & PMCGRP_PLAN_UNSUPPORTED) {
		say(row, "", "the PMU has no such event");
		return;
	}
	if (!sim_mask(&cpu, row->event) && row->event->mask) {
		say(row, "", "it can only be on GP3, which perf leaves alone while "
			     "allow_tsx_force_abort is 0");
		return;
	}
	if (!is_own(x) && at != first && x->plan->rows[first].status == PMCGRP_PLAN_NOT_SUPPORTED) {
		say_refused(row, "perf stat stops, as the leader ",
			    x->plan->rows[first].event->name);
		return;
	}
	for (i = first; i < x->plan->nr && x->plan->rows[i].group == row->group; i++)
		if (i != at && (is_own(x) || (i < at && x->plan->rows[i].status != PMCGRP_PLAN_NOT_SUPPORTED)))
			add(&crowd, x->plan->rows[i].event);
	if (explain_by(x, row, row->event, &cpu, &crowd, "the group never fits: "))
		return;
	for (i = first; is_own(x) && i < x->plan->nr && x->plan->rows[i].group == row->group; i++)
		if (explain_by(x, row, x->plan->rows[i].event, &cpu, &crowd, "the group never fits: "))
			return;
	say(row, "", "the driver does not find the counters that would do for the group");
}

/* The event of its group that was refused, or NULL. */
static const struct pmcgrp_plan_event *refused_beside(const struct explainer *x, unsigned int group)
{
	unsigned int i;

	for (i = 0; i < x->plan->nr; i++)
		if (x->plan->rows[i].group == group &&
		    x->plan->rows[i].status == PMCGRP_PLAN_NOT_SUPPORTED)
			return x->plan->rows[i].event;
	return NULL;
}

/* The watchdog's, and those of pinned groups other than this one. */
static void add_pinned(const struct explainer *x, struct crowd *crowd, unsigned int group)
{
	unsigned int i;

	if (x->sim->watchdog.event)
		add(crowd, x->sim->watchdog.event);
	for (i = 0; i < x->sim->nr; i++)
		if (x->sim->groups[i].pinned && x->sim->groups[i].on && x->sim->groups[i].group != group)
			add_group(x, crowd, x->sim->groups[i].group, ~0U);
}

/* Each event of the group against @crowd: the one in question first. */
static bool explain_group(struct explainer *x, unsigned int at, const struct crowd *crowd,
			  const char *before)
{
	struct pmcgrp_plan_row *row = &x->plan->rows[at];
	struct crowd all;
	unsigned int i;

	all = *crowd;
	add_group(x, &all, row->group, at);
	if (explain_by(x, row, row->event, &x->sim->cpu, &all, before))
		return true;
	for (i = 0; i < x->plan->nr; i++) {
		if (i == at || x->plan->rows[i].group != row->group ||
		    x->plan->rows[i].status == PMCGRP_PLAN_NOT_SUPPORTED)
			continue;
		all = *crowd;
		add_group(x, &all, row->group, i);
		if (explain_by(x, row, x->plan->rows[i].event, &x->sim->cpu, &all, before))
			return true;
	}
	return false;
}

/* Of the groups that it can be behind, the one that is on least. */
static void say_before(const struct explainer *x, struct pmcgrp_plan_row *row)
{
	const struct pmcgrp_plan_row *least = NULL, *other;
	unsigned int i;

	for (i = 0; i < x->plan->nr; i++) {
		other = &x->plan->rows[i];
		if (other->group == row->group || other->status == PMCGRP_PLAN_NOT_SUPPORTED ||
		    other->event->flags & PMCGRP_PLAN_SOFTWARE)
			continue;
		if (!least || other->kernel_share < least->kernel_share)
			least = other;
	}
	snprintf(row->reason, sizeof(row->reason),
		 "perf tries no further group once one finds no counter, and %.120s is before it in some "
		 "turns", least ? least->event->name : "another");
}

static void explain_wait(struct explainer *x, unsigned int at)
{
	struct pmcgrp_plan_row *row = &x->plan->rows[at];
	struct crowd crowd = { .shares = is_own(x), .watchdog = x->sim->watchdog.event };
	const char *before = row->on ? "" : "it never has a turn: ";
	unsigned int i;

	add_pinned(x, &crowd, row->group);
	if (explain_group(x, at, &crowd, "pinned events come first: "))
		return;
	for (i = 0; i < x->sim->nr; i++)
		if (!x->sim->groups[i].pinned && x->sim->groups[i].group != row->group)
			add_group(x, &crowd, x->sim->groups[i].group, ~0U);
	if (x->sim->cpu.options->run_us && !row->on)
		before = "the run ends before its turn comes: ";
	if (explain_group(x, at, &crowd, before))
		return;
	if (is_own(x))
		say(row, "", "groups that take turns with it leave no room for it meanwhile");
	else
		say_before(x, row);
}

/* A pinned group in error. */
static void explain_error(struct explainer *x, unsigned int at)
{
	struct crowd crowd = { .shares = is_own(x), .watchdog = x->sim->watchdog.event };

	add_pinned(x, &crowd, x->plan->rows[at].group);
	if (!explain_group(x, at, &crowd, "it is pinned, and in error: "))
		say(&x->plan->rows[at], "", "it is pinned, and in error: a pinned group before it found no "
					    "counter, and perf then tried no further one");
}

static bool in_error(const struct sim *sim, unsigned int group)
{
	unsigned int i;

	for (i = 0; i < sim->nr; i++)
		if (sim->groups[i].group == group && sim->groups[i].error)
			return true;
	return false;
}

void sim_explain(const struct sim *sim, struct pmcgrp_plan *plan)
{
	struct explainer x = { .sim = sim, .plan = plan };
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		struct pmcgrp_plan_row *row = &plan->rows[i];

		if (row->status == PMCGRP_PLAN_COUNTED)
			continue;
		if (row->status == PMCGRP_PLAN_NOT_SUPPORTED)
			explain_refused(&x, i);
		else if (in_error(sim, row->group))
			explain_error(&x, i);
		else if (!row->has_share)
			say_refused(row, "perf stat cannot read the group, as ",
				    refused_beside(&x, row->group)->name);
		else
			explain_wait(&x, i);
	}
}
