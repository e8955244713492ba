// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A count is right if it is between what the kernel itself says of the time inside, and of the
 * time around it. On a machine that does nothing else both are the same.
 */
#include <inttypes.h>
#include <string.h>

#include "say/append.h"
#include "judge.h"

/* A processor may count an instruction again that an interrupt has come upon. */
#define INSTRUCTIONS_ALLOWED(known) ((known) / 1000)
/* Two clocks of the kernel's, and a tick by which one that is not the processor's may be late. */
#define CLOCK_ALLOWED(ns) ((ns) / 100)
#define TICK_NS 10000000
/* Of a context switch a part is in a thread's time, and in no event's. */
#define SWITCH_NS 20000

struct bounds {
	uint64_t least;
	uint64_t most;
};

struct verdicts {
	bool counted[NR_WORK_SIDES];
	bool wrong;
	bool waited;		/* of one that is wrong: it was not on the PMU all of the time */
	enum pmcgrp_why why;
	char text[160];
};

static const char * const whats[] = {
	[WORK_INSTRUCTIONS] = "instructions",
	[WORK_SWITCHES] = "context switches",
	[WORK_FAULTS] = "page faults",
	[WORK_CLOCK] = "task-clock",
};

static const char * const names[] = { [WORK_PMCGRP] = "pmcgrp", [WORK_PERF] = "perf" };

static void take(struct verdicts *v, const struct work *work, enum work_kind kind,
		 enum work_side side, enum work_event event, uint64_t value,
		 const struct bounds *bounds)
{
	if (!work->has[side][event])
		return;
	v->counted[side] = true;
	/* A difference may be below 0. */
	append(v->text, sizeof(v->text), ", ", "%s %" PRId64, names[side], (int64_t)value);
	if (value >= bounds->least && value <= bounds->most)
		return;
	v->wrong = true;
	v->waited |= work->count[kind].waited[side];
	if (side == WORK_PMCGRP)
		v->why = work->count[kind].why;
}

/* @known: what is said first, the work itself. */
static void add(struct findings *f, const struct work *work, enum work_event event,
		const struct verdicts *v, const char *known, const char *allowed)
{
	const char *what = whats[event];
	enum work_side s;

	if (!v->counted[WORK_PMCGRP] && !v->counted[WORK_PERF]) {
		s = work->tried[WORK_PMCGRP] ? WORK_PMCGRP : WORK_PERF;
		findings_add(f, DOCTOR_UNKNOWN, what, "not counted: %s", work->why_not[s][event]);
		findings_advise(f, "see the rights and the PMUs above");
		return;
	}
	if (v->wrong && v->waited) {
		findings_add(f, DOCTOR_WARNING, what, "%s; %s: not counted all of the time%s%s",
			     known, v->text, v->why ? ": " : "", pmcgrp_why_text(v->why));
		findings_advise(f, "end what has counters (see above), and try again");
	} else if (v->wrong) {
		findings_add(f, DOCTOR_PROBLEM, what, "%s; %s (allowed: %s)", known, v->text,
			     allowed);
		findings_advise(f, "do not trust counts of this machine; report this");
	} else if (work->tried[WORK_PMCGRP] && !v->counted[WORK_PMCGRP]) {
		findings_add(f, DOCTOR_UNKNOWN, what, "%s; %s; not by pmcgrp: %s", known, v->text,
			     work->why_not[WORK_PMCGRP][event]);
		findings_advise(f, "see what is said of the module above");
	} else {
		findings_add(f, DOCTOR_OK, what, "%s; %s (allowed: %s)", known, v->text, allowed);
	}
}

static void add_values(struct findings *f, const struct verdicts *v, const uint64_t *value)
{
	if (v->counted[WORK_PMCGRP])
		findings_value(f, "pmcgrp", (long long)value[WORK_PMCGRP]);
	if (v->counted[WORK_PERF])
		findings_value(f, "perf", (long long)value[WORK_PERF]);
}

/* Says that the work could not be done; or returns false. */
static bool failed(struct findings *f, const struct work *work, enum work_kind kind,
		   enum work_event event)
{
	const char *what = whats[event];

	if (!work->err[kind])
		return false;
	findings_add(f, DOCTOR_UNKNOWN, what, "could not be tried: %s", strerror(-work->err[kind]));
	findings_advise(f, "try again; see \"ulimit -a\"");
	return true;
}

/* By how much twice the loop has more: what else is counted is the same both times. */
static void instructions(struct findings *f, const struct work *work)
{
	const struct work_count *once = &work->count[WORK_LOOP], *twice;
	uint64_t known = (uint64_t)WORK_LOOPS * work->loop_instructions, value[NR_WORK_SIDES];
	const struct bounds bounds = { known - INSTRUCTIONS_ALLOWED(known),
				       known + INSTRUCTIONS_ALLOWED(known) };
	struct verdicts v = { 0 };
	char text[64];
	enum work_side s;

	twice = &work->count[WORK_LOOP_TWICE];
	if (failed(f, work, WORK_LOOP, WORK_INSTRUCTIONS) ||
	    failed(f, work, WORK_LOOP_TWICE, WORK_INSTRUCTIONS))
		return;
	if (!known) {
		findings_add(f, DOCTOR_UNKNOWN, whats[WORK_INSTRUCTIONS],
			     "no loop of known length for this processor");
		findings_advise(f, "compare \"pmcgrp stat\" with \"pmcgrp stat --perf\"");
		return;
	}
	for (s = 0; s < NR_WORK_SIDES; s++) {
		value[s] = twice->value[s][WORK_INSTRUCTIONS] - once->value[s][WORK_INSTRUCTIONS];
		take(&v, work, once->waited[s] ? WORK_LOOP : WORK_LOOP_TWICE, s,
		     WORK_INSTRUCTIONS, value[s], &bounds);
	}
	snprintf(text, sizeof(text), "%" PRIu64 " in a loop", known);
	add(f, work, WORK_INSTRUCTIONS, &v, text, "0.1%");
	findings_value(f, "known", (long long)known);
	add_values(f, &v, value);
}

/* What the kernel's own number grew by: inside of a side's time, and around it. */
static struct bounds bounds_of(const struct work_count *c, enum work_side side, size_t offset)
{
	unsigned int first = side == WORK_PMCGRP ? 0 : 1;
	uint64_t at[WORK_MARKS];
	unsigned int i;

	for (i = 0; i < WORK_MARKS; i++)
		memcpy(&at[i], (const char *)&c->mark[i] + offset, sizeof(at[i]));
	return (struct bounds){ .least = at[WORK_MARKS - 2 - first] - at[first + 1],
				.most = at[WORK_MARKS - 1 - first] - at[first] };
}

static void switches(struct findings *f, const struct work *work)
{
	const struct work_count *c = &work->count[WORK_PING];
	struct verdicts v = { 0 };
	uint64_t value[NR_WORK_SIDES];
	struct bounds bounds;
	char text[96];
	enum work_side s;

	if (failed(f, work, WORK_PING, WORK_SWITCHES))
		return;
	for (s = 0; s < NR_WORK_SIDES; s++) {
		bounds = bounds_of(c, s, offsetof(struct work_mark, switches));
		if (bounds.least < WORK_PINGS)
			bounds.least = WORK_PINGS;
		value[s] = c->value[s][WORK_SWITCHES];
		take(&v, work, WORK_PING, s, WORK_SWITCHES, value[s], &bounds);
	}
	bounds = bounds_of(c, WORK_PERF, offsetof(struct work_mark, switches));
	snprintf(text, sizeof(text), "%u round trips through pipes; getrusage(2) %" PRIu64,
		 WORK_PINGS, bounds.least);
	add(f, work, WORK_SWITCHES, &v, text, "what getrusage(2) has around it");
	findings_value(f, "known", WORK_PINGS);
	findings_value(f, "getrusage", (long long)bounds.least);
	add_values(f, &v, value);
}

static void faults(struct findings *f, const struct work *work)
{
	const struct work_count *c = &work->count[WORK_PAGE];
	struct verdicts v = { 0 };
	uint64_t value[NR_WORK_SIDES];
	struct bounds bounds;
	char text[96];
	enum work_side s;

	if (failed(f, work, WORK_PAGE, WORK_FAULTS))
		return;
	for (s = 0; s < NR_WORK_SIDES; s++) {
		/* Those of the kernel, on its own account, are in getrusage(2) alone. */
		bounds = bounds_of(c, s, offsetof(struct work_mark, faults));
		bounds.least = WORK_PAGES;
		value[s] = c->value[s][WORK_FAULTS];
		take(&v, work, WORK_PAGE, s, WORK_FAULTS, value[s], &bounds);
	}
	bounds = bounds_of(c, WORK_PERF, offsetof(struct work_mark, faults));
	snprintf(text, sizeof(text), "%u fresh pages; getrusage(2) %" PRIu64, WORK_PAGES,
		 bounds.least);
	add(f, work, WORK_FAULTS, &v, text, "what getrusage(2) has around it");
	findings_value(f, "known", WORK_PAGES);
	findings_value(f, "getrusage", (long long)bounds.least);
	add_values(f, &v, value);
}

/*
 * The thread's time on its CPU is all in task-clock. What interrupts and a hypervisor took is in
 * it, too, and may not be in the thread's time.
 */
static void clocks(struct findings *f, const struct work *work)
{
	const struct work_count *c = &work->count[WORK_LOOP_TWICE];
	struct bounds cpu, wall, bounds;
	uint64_t allowed, lost = 0;
	struct verdicts v = { 0 };
	uint64_t value[NR_WORK_SIDES];
	char text[96];
	enum work_side s;

	if (failed(f, work, WORK_LOOP_TWICE, WORK_CLOCK))
		return;
	for (s = 0; s < NR_WORK_SIDES; s++) {
		cpu = bounds_of(c, s, offsetof(struct work_mark, cpu_ns));
		wall = bounds_of(c, s, offsetof(struct work_mark, wall_ns));
		lost = SWITCH_NS * bounds_of(c, s, offsetof(struct work_mark, switches)).most;
		allowed = CLOCK_ALLOWED(cpu.least) + lost;
		bounds.least = cpu.least - (allowed < cpu.least ? allowed : cpu.least);
		bounds.most = wall.most + CLOCK_ALLOWED(wall.most) + TICK_NS;
		value[s] = c->value[s][WORK_CLOCK];
		take(&v, work, WORK_LOOP_TWICE, s, WORK_CLOCK, value[s], &bounds);
	}
	/* perf's time lies within pmcgrp's. */
	if (v.counted[WORK_PMCGRP] && v.counted[WORK_PERF] &&
	    value[WORK_PERF] > value[WORK_PMCGRP] + CLOCK_ALLOWED(value[WORK_PMCGRP]) + lost)
		v.wrong = true;
	cpu = bounds_of(c, WORK_PERF, offsetof(struct work_mark, cpu_ns));
	wall = bounds_of(c, WORK_PMCGRP, offsetof(struct work_mark, wall_ns));
	snprintf(text, sizeof(text), "ns: of the thread %" PRIu64 ", of the wall %" PRIu64,
		 cpu.least, wall.most);
	add(f, work, WORK_CLOCK, &v, text, "between these two, 1%, and 20 us a switch");
	findings_value(f, "thread", (long long)cpu.least);
	findings_value(f, "wall", (long long)wall.most);
	add_values(f, &v, value);
}

void work_judge(struct findings *f, const struct work *work)
{
	instructions(f, work);
	switches(f, work);
	faults(f, work);
	clocks(f, work);
}
