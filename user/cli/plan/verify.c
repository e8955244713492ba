// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* plan --verify: predicted and observed, side by side. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "json.h"
#include "observe.h"
#include "say/name.h"
#include "verify.h"

#define PAUSE_MS	20	/* a few intervals of perf core's rotation */
#define POINTS		3.0	/* by which a share may differ */
#define NAME_WIDTH	32
#define FIGURE_WIDTH	15

/* One of perf and pmcgrp. */
struct side {
	const char *name;
	const struct pmcgrp_plan *plan;
	struct plan_observed *observed;	/* of each row; NULL: it cannot be asked */
};

static bool share_is_as(const struct pmcgrp_plan_row *row, const struct plan_observed *observed)
{
	return row->has_share == observed->has_share &&
	       (!row->has_share || fabs(row->share - observed->share) <= POINTS);
}

/*
 * With a share that differs by little it does not matter how it is called: an event that is on all
 * the time but for the moment in which the others were opened.
 */
static bool is_as(const struct pmcgrp_plan_row *row, const struct plan_observed *observed)
{
	if (row->status != observed->status &&
	    (row->status == PMCGRP_PLAN_NOT_SUPPORTED || observed->status == PMCGRP_PLAN_NOT_SUPPORTED ||
	     !row->has_share || !observed->has_share))
		return false;
	return row->status == PMCGRP_PLAN_NOT_SUPPORTED || share_is_as(row, observed);
}

static uint64_t counters_of(const struct pmcgrp_plan_row *row)
{
	uint64_t bits = 0;
	unsigned int i;

	for (i = 0; i < row->nr_counters; i++)
		bits |= 1ULL << row->counters[i];
	return bits;
}

/* An event may not have been looked at on all of its counters. */
static bool counters_are_as(const struct pmcgrp_plan_row *row, const struct plan_observed *observed)
{
	return !(observed->counters & ~counters_of(row));
}

static void print_figure(enum pmcgrp_plan_status status, bool has_share, double share)
{
	char text[32];

	if (status == PMCGRP_PLAN_NOT_SUPPORTED)
		snprintf(text, sizeof(text), "not supported");
	else if (!has_share || status == PMCGRP_PLAN_NOT_COUNTED)
		snprintf(text, sizeof(text), "not counted");
	else
		snprintf(text, sizeof(text), "%.2f %%", share);
	printf(" %*s", FIGURE_WIDTH, text);
}

static void print_counters(const char *before, uint64_t bits)
{
	unsigned int i;
	char name[16];

	for (i = 0; i < 64; i++) {
		if (!(bits & 1ULL << i))
			continue;
		pmcgrp_plan_counter(name, sizeof(name), i);
		printf("%s%s", before, name);
		before = " ";
	}
}

static void print_side(const struct side *side, unsigned int i)
{
	const struct pmcgrp_plan_row *row = &side->plan->rows[i];

	print_figure(row->status, row->has_share, row->share);
	if (side->observed)
		print_figure(side->observed[i].status, side->observed[i].has_share,
			     side->observed[i].share);
}

static void print_table(const struct side *sides, unsigned int nr)
{
	const struct pmcgrp_plan *plan = sides[0].plan;
	unsigned int i, k;

	printf("%-*s", NAME_WIDTH, "");
	for (k = 0; k < nr; k++)
		printf(" %*s%s %*s", FIGURE_WIDTH - 6, sides[k].name, " plan:", FIGURE_WIDTH,
		       sides[k].observed ? "observed" : "");
	printf("   counters observed\n");
	for (i = 0; i < plan->nr; i++) {
		name_left(stdout, NAME_WIDTH, plan->rows[i].event->name);
		for (k = 0; k < nr; k++)
			print_side(&sides[k], i);
		if (sides[0].observed)
			print_counters("   ", sides[0].observed[i].counters);
		putchar('\n');
	}
}

static json_t *observed_json(const struct plan_observed *observed)
{
	struct pmcgrp_plan_row row = { .status = observed->status, .has_share = observed->has_share,
				       .share = observed->share };
	static const struct pmcgrp_plan_event none = { .name = "" };
	unsigned int i;
	json_t *json;

	row.event = &none;
	row.kernel_share = observed->share;
	for (i = 0; i < 64; i++)
		if (observed->counters & 1ULL << i)
			row.counters[row.nr_counters++] = (uint8_t)i;
	json = plan_json_row(&row);
	json_object_del(json, "event");
	return json;
}

static int print_json(const struct side *sides, unsigned int nr)
{
	json_t *all = json_array(), *row;
	unsigned int i, k;
	int ret;

	for (i = 0; i < sides[0].plan->nr; i++) {
		row = json_pack("{s:s}", "event", sides[0].plan->rows[i].event->name);
		for (k = 0; k < nr; k++) {
			const struct side *side = &sides[k];

			json_object_set_new(row, side->name,
					    json_pack("{s:o, s:o}", "plan",
						      plan_json_row(&side->plan->rows[i]), "observed",
						      side->observed ? observed_json(&side->observed[i]) :
								       json_null()));
		}
		json_array_append_new(all, row);
	}
	ret = json_dumpf(all, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(all);
	return ret;
}

/* How many rows are not as predicted; says which. */
static unsigned int judge(const struct side *side)
{
	unsigned int i, wrong = 0;

	for (i = 0; side->observed && i < side->plan->nr; i++) {
		const struct pmcgrp_plan_row *row = &side->plan->rows[i];

		if (!is_as(row, &side->observed[i])) {
			cli_say("%s: %s is not as predicted%s%s", side->name, row->event->name,
				side->observed[i].why[0] ? ": " : "", side->observed[i].why);
			wrong++;
		} else if (!counters_are_as(row, &side->observed[i])) {
			cli_say("%s: %s was on another counter than predicted", side->name,
				row->event->name);
			wrong++;
		}
	}
	return wrong;
}

static struct perf_event_attr *attrs_of(const struct plan_problem *problem)
{
	unsigned int nr = pmcgrp_events_nr(problem->groups.list), i;
	struct perf_event_attr *attrs = calloc(nr + 1, sizeof(*attrs));
	const struct pmcgrp_event *event;

	for (i = 0; attrs && i < nr; i++) {
		event = pmcgrp_events_at(problem->groups.list, i);
		memcpy(&attrs[i], event->attr,
		       event->attr->size < sizeof(attrs[i]) ? event->attr->size : sizeof(attrs[i]));
	}
	return attrs;
}

static int observe_own(const struct plan_opened *opened, struct side *side, unsigned int nr)
{
	struct pmcgrp *h;
	int err;

	if (pmcgrp_open(&h, 0) < 0) {
		cli_say("pmcgrp is not asked: %s", pmcgrp_strerror(NULL));
		return 0;
	}
	side->observed = calloc(nr + 1, sizeof(*side->observed));
	err = side->observed ? plan_observe_own(h, opened, PLAN_VERIFY_MS, side->observed) : -ENOMEM;
	pmcgrp_close(h);
	return err;
}

static int observe(const struct plan_problem *problem, struct side *perf, struct side *own)
{
	struct plan_opened opened = { .groups = problem->groups.groups, .nr = problem->groups.nr };
	struct perf_event_attr *attrs = attrs_of(problem);
	unsigned int nr = perf->plan->nr;
	int err = -ENOMEM;

	opened.attrs = attrs;
	perf->observed = calloc(nr + 1, sizeof(*perf->observed));
	if (attrs && perf->observed)
		err = plan_observe_perf(&opened, PLAN_VERIFY_MS, perf->observed);
	/* While perf core's timer still runs, pmcgrp's counters would leave with their groups. */
	plan_busy(PAUSE_MS, NULL, NULL);
	if (!err)
		err = observe_own(&opened, own, nr);
	free(attrs);
	return err;
}

int plan_verify(const struct plan_options *o, const struct plan_problem *problem)
{
	struct side sides[] = { { .name = "perf" }, { .name = "pmcgrp" } };
	struct plan_answer answer;
	int err, ret = 0;

	err = plan_solve(&answer, problem, o);
	if (err)
		return cli_say_errno("plan", -err);
	sides[0].plan = answer.perf;
	sides[1].plan = answer.own;
	err = observe(problem, &sides[0], &sides[1]);
	if (err)
		ret = cli_say_errno("--verify", -err);
	else if (o->json)
		err = print_json(sides, 2);
	else
		print_table(sides, 2);
	if (!ret && (err || fflush(stdout) || ferror(stdout)))
		ret = cli_say_errno("cannot write what was seen", errno);
	if (!ret)
		ret = judge(&sides[0]) + judge(&sides[1]) > 0;
	free(sides[0].observed);
	free(sides[1].observed);
	plan_answer_free(&answer);
	return ret;
}
