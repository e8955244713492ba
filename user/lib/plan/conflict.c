// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conflict.h"

#define NAMED_MAX 4	/* events that a sentence names */

/* Which event has which counter, in a matching of as many as there can be. */
struct match {
	const struct sim_cpu *cpu;
	const struct pmcgrp_plan_event *const *events;
	int of_counter[SIM_COUNTERS];	/* event, or -1 */
	uint64_t seen;
};

/* A counter for event @at; others are moved to make room. */
static bool find_counter(struct match *match, unsigned int at)
{
	uint64_t mask = sim_mask(match->cpu, match->events[at]);
	unsigned int i;

	for (i = 0; i < SIM_COUNTERS; i++) {
		if (!(mask & 1ULL << i) || match->seen & 1ULL << i)
			continue;
		match->seen |= 1ULL << i;
		if (match->of_counter[i] < 0 ||
		    find_counter(match, (unsigned int)match->of_counter[i])) {
			match->of_counter[i] = (int)at;
			return true;
		}
	}
	return false;
}

static void add_event(struct conflict *conflict, const struct pmcgrp_plan_event *event)
{
	conflict->event[conflict->nr++] = event;
}

static bool find_registers(struct conflict *conflict, const struct sim_cpu *cpu,
			   const struct pmcgrp_plan_event *const *events, unsigned int nr)
{
	unsigned int extra = events[nr - 1]->extra, i, k;

	if (!extra)
		return false;
	conflict->nr = 0;
	for (i = 0; i < nr; i++) {
		for (k = 0; k < conflict->nr; k++)
			if (conflict->event[k]->config1 == events[i]->config1)
				break;
		if (events[i]->extra == extra && k == conflict->nr)
			add_event(conflict, events[i]);
	}
	conflict->kind = CONFLICT_REGISTERS;
	conflict->extra = extra;
	conflict->room = cpu->pmu->nr_extra[extra - 1];
	conflict->need = conflict->nr;
	return conflict->need > conflict->room;
}

static bool needs_gp(const struct sim_cpu *cpu, const struct pmcgrp_plan_event *event)
{
	return !(sim_mask(cpu, event) >> PMCGRP_PLAN_FIXED);
}

static bool find_ht(struct conflict *conflict, const struct sim_cpu *cpu,
		    const struct pmcgrp_plan_event *const *events, unsigned int nr)
{
	bool limited = cpu->options->sibling_exclusive;
	unsigned int i;

	for (i = 0; i < nr; i++)
		limited |= events[i]->flags & PMCGRP_PLAN_EXCLUSIVE;
	if (!cpu->pmu->ht_limit || !limited || !needs_gp(cpu, events[nr - 1]))
		return false;
	conflict->nr = 0;
	for (i = 0; i < nr; i++)
		if (needs_gp(cpu, events[i]))
			add_event(conflict, events[i]);
	conflict->kind = CONFLICT_HT;
	conflict->room = cpu->pmu->ht_limit;
	conflict->need = conflict->nr;
	return conflict->need > conflict->room;
}

/* Pairs take two counters each: all that have no fixed one are added up. */
static bool find_pairs(struct conflict *conflict, const struct sim_cpu *cpu,
		       const struct pmcgrp_plan_event *const *events, unsigned int nr)
{
	unsigned int i, pairs = 0;

	if (!needs_gp(cpu, events[nr - 1]))
		return false;
	conflict->nr = 0;
	for (i = 0; i < nr; i++) {
		if (!needs_gp(cpu, events[i]))
			continue;
		pairs += !!(events[i]->flags & PMCGRP_PLAN_PAIR);
		add_event(conflict, events[i]);
	}
	conflict->kind = CONFLICT_COUNTERS;
	conflict->counters = sim_gp_mask(cpu->pmu);
	conflict->room = cpu->pmu->nr_gp;
	conflict->need = conflict->nr + pairs;
	return pairs && conflict->need > conflict->room;
}

static bool find_counters(struct conflict *conflict, const struct sim_cpu *cpu,
			  const struct pmcgrp_plan_event *const *events, unsigned int nr)
{
	struct match match = { .cpu = cpu, .events = events };
	unsigned int i;

	memset(match.of_counter, 0xff, sizeof(match.of_counter));
	for (i = 0; i < nr; i++) {
		match.seen = 0;
		if (find_counter(&match, i))
			continue;
		if (i < nr - 1)	/* another one that waits, too */
			continue;
		/* All counters that were tried are taken, by events that can have no other. */
		conflict->nr = 0;
		for (i = 0; i < nr; i++)
			if (!(sim_mask(cpu, events[i]) & ~match.seen))
				add_event(conflict, events[i]);
		conflict->kind = CONFLICT_COUNTERS;
		conflict->counters = match.seen;
		conflict->room = sim_bits(match.seen);
		conflict->need = conflict->nr;
		return true;
	}
	return false;
}

void conflict_find(struct conflict *conflict, const struct sim_cpu *cpu,
		   const struct pmcgrp_plan_event *const *events, unsigned int nr)
{
	if (!find_registers(conflict, cpu, events, nr) && !find_counters(conflict, cpu, events, nr) &&
	    !find_ht(conflict, cpu, events, nr) && !find_pairs(conflict, cpu, events, nr))
		conflict->kind = CONFLICT_NONE;
}

/* ---- In words ---- */

struct words {
	char *text;
	size_t size;
	size_t len;
};

static void say(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct words *words, const char *format, ...)
{
	va_list args;
	int len;

	if (words->len >= words->size)
		return;
	va_start(args, format);
	len = vsnprintf(words->text + words->len, words->size - words->len, format, args);
	va_end(args);
	if (len > 0)
		words->len += (size_t)len;
}

/* "GP0 to GP3", "GP0, FIXED1" */
static void say_counters(struct words *words, uint64_t counters)
{
	const char *between = "";
	unsigned int i, last;
	char name[16];

	for (i = 0; i < SIM_COUNTERS; i = last + 1, between = ", ") {
		for (; i < SIM_COUNTERS && !(counters & 1ULL << i); i++)
			;
		if (i == SIM_COUNTERS)
			return;
		for (last = i; last + 1 < SIM_COUNTERS && counters & 1ULL << (last + 1); last++)
			if (last + 1 == PMCGRP_PLAN_FIXED)
				break;
		pmcgrp_plan_counter(name, sizeof(name), i);
		say(words, "%s%s", between, name);
		if (last == i)
			continue;
		pmcgrp_plan_counter(name, sizeof(name), last);
		say(words, "%s%s", last == i + 1 ? ", " : " to ", name);
	}
}

static void say_events(struct words *words, const struct conflict *conflict)
{
	unsigned int i, named = conflict->nr > NAMED_MAX ? NAMED_MAX - 1 : conflict->nr;

	for (i = 0; i < named; i++)
		say(words, "%s%s", i ? ", " : ": ", conflict->event[i]->name);
	if (named < conflict->nr)
		say(words, " and %u more", conflict->nr - named);
}

void conflict_text(char *text, size_t size, const struct conflict *conflict, const struct sim_cpu *cpu)
{
	struct words words = { .text = text, .size = size };

	text[0] = '\0';
	switch (conflict->kind) {
	case CONFLICT_NONE:
		return;
	case CONFLICT_COUNTERS:
		if (!conflict->room) {
			say(&words, "no counter can count it");
			return;
		}
		say_counters(&words, conflict->counters);
		if (conflict->room == 1)
			say(&words, " counts one event at a time, and %u need it", conflict->need);
		else if (conflict->need > conflict->nr)
			say(&words, " are %u counters, and %u are needed, two for each pair",
			    conflict->room, conflict->need);
		else
			say(&words, " are %u counters, and %u events need one", conflict->room,
			    conflict->need);
		break;
	case CONFLICT_REGISTERS:
		if (conflict->room == 1)
			say(&words, "there is one register %s for %u values",
			    cpu->pmu->extra_name[conflict->extra - 1], conflict->need);
		else
			say(&words, "there are %u registers %s for %u values", conflict->room,
			    cpu->pmu->extra_name[conflict->extra - 1], conflict->need);
		break;
	case CONFLICT_HT:
		say(&words, "beside events that corrupt the other hyper-thread's counts %u "
			    "general-purpose counters may be used, and %u events need one",
		    conflict->room, conflict->need);
		break;
	}
	say_events(&words, conflict);
}
