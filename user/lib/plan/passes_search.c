// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The search for a given number of passes.
 *
 * Pass by pass: the hardest group that is left is in it, with any others that go with it.  Where
 * room decides, only passes to which nothing can be added are looked at: groups can be taken from
 * later passes, for which there is room then as before.  Nor can a group of the pass be exchanged for
 * one of a later pass that needs what it does, and more.  Of groups that are alike the first that is
 * left is taken.  What is left and could not be divided is remembered.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "passes.h"

/* Bytes of all that is remembered. */
#define MEMORY (8 << 20)

/* How many nodes it is between looks at the clock. */
#define CLOCK_NODES 256

/*
 * struct search - a search
 * @p, @oracle, @any_order, @limits: as passes_search() has got them
 * @stopped: a limit was met
 * @left: groups of each kind that are in no pass yet
 * @taken: and those of each pass
 * @nr: passes
 * @easier: of each kind those behind it that can take its place anywhere
 * @slots: how many there are in @memory
 * @slot: bytes of each
 * @memory: what could not be divided: 1 + the number of passes, then @left
 */
struct search {
	const struct passes_problem *p;
	struct passes_oracle *oracle;
	bool any_order;
	struct passes_limits *limits;
	bool stopped;
	uint16_t left[PMCGRP_PLAN_EVENTS_MAX];
	uint16_t taken[PMCGRP_PLAN_EVENTS_MAX][PMCGRP_PLAN_EVENTS_MAX];
	unsigned int nr;
	uint64_t easier[PMCGRP_PLAN_EVENTS_MAX][PASSES_WORDS];
	size_t slots;
	size_t slot;
	uint16_t *memory;
};

uint64_t passes_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

/* Whether it may go on; a call of the planner costs more than a look at the clock. */
static bool go_on(struct search *s, bool asked)
{
	if (!s->limits->nodes) {
		s->stopped = true;
	} else {
		s->limits->nodes--;
		if ((asked || !(s->limits->nodes % CLOCK_NODES)) &&
		    passes_now() >= s->limits->until_us)
			s->stopped = true;
	}
	return !s->stopped;
}

static uint16_t *slot_of(struct search *s)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	unsigned int i;

	for (i = 0; i < s->p->nr_kinds; i++)
		hash = (hash ^ s->left[i]) * 0x100000001b3ULL;
	hash ^= hash >> 32;
	return s->memory + hash % s->slots * s->slot;
}

/* Whether this was left before with as many passes or more, in vain. */
static bool in_vain(struct search *s, unsigned int passes)
{
	uint16_t *slot = slot_of(s);

	return *slot > passes && !memcmp(slot + 1, s->left, s->p->nr_kinds * sizeof(*slot));
}

static void remember(struct search *s, unsigned int passes)
{
	uint16_t *slot = slot_of(s);

	*slot = passes + 1;
	memcpy(slot + 1, s->left, s->p->nr_kinds * sizeof(*slot));
}

/* The groups of a pass: of each kind those behind what earlier passes have. */
static void groups_of(const struct search *s, unsigned int pass, uint64_t groups[PASSES_WORDS])
{
	const struct passes_kind *kind = s->p->kind;
	unsigned int i, k, first, member;

	memset(groups, 0, PASSES_WORDS * sizeof(*groups));
	for (i = 0; i < s->p->nr_kinds; i++, kind++) {
		if (!s->taken[pass][i])
			continue;
		for (first = 0, k = 0; k < pass; k++)
			first += s->taken[k][i];
		for (k = 0; k < s->taken[pass][i]; k++) {
			member = s->p->member[kind->member + first + k];
			groups[member / 64] |= 1ULL << member % 64;
		}
	}
}

static bool cover(struct search *s, unsigned int pass);

/* Whether any other group could be added. */
static bool can_grow(const struct search *s, const struct passes_room *room, unsigned int before)
{
	struct passes_room more;
	unsigned int i;

	for (i = 0; i < before; i++) {
		more = *room;
		if (s->left[i] && passes_room_add(s->p, &more, &s->p->kind[i]))
			return true;
	}
	return false;
}

/* Whether there is room with one of kind @a instead of one of kind @b. */
static bool has_room_with(const struct search *s, unsigned int pass, unsigned int a, unsigned int b)
{
	struct passes_room room;
	unsigned int i, k, nr;

	passes_room_empty(s->p, &room);
	for (i = 0; i < s->p->nr_kinds; i++) {
		nr = s->taken[pass][i] + (i == a) - (i == b);
		for (k = 0; k < nr; k++) {
			if (!passes_room_add(s->p, &room, &s->p->kind[i]))
				return false;
		}
	}
	return true;
}

/* Only for kinds that come earlier, so it ends; the first group of the pass always remains. */
static bool can_exchange(struct search *s, unsigned int pass)
{
	unsigned int a, b;

	for (b = 0; b < s->p->nr_kinds; b++) {
		for (a = 0; s->taken[pass][b] && a < b; a++) {
			if (s->left[a] && s->easier[a][b / 64] & (1ULL << b % 64) &&
			    has_room_with(s, pass, a, b))
				return true;
		}
	}
	return false;
}

static void find_easier(struct search *s)
{
	unsigned int a, b;

	for (a = 0; a < s->p->nr_kinds; a++) {
		for (b = a + 1; b < s->p->nr_kinds; b++) {
			if (passes_easier(s->p, a, b))
				s->easier[a][b / 64] |= 1ULL << b % 64;
		}
	}
}

/* Add groups of kinds from @from on in all ways, and divide what is left then. */
static bool fill(struct search *s, unsigned int pass, unsigned int from, const struct passes_room *room)
{
	uint64_t groups[PASSES_WORDS];
	struct passes_room more;
	bool grown = false, fits;
	unsigned int i;

	if (!go_on(s, false))
		return false;
	for (i = from; i < s->p->nr_kinds; i++) {
		if (!s->left[i])
			continue;
		more = *room;
		if (!passes_room_add(s->p, &more, &s->p->kind[i]))
			continue;
		grown = true;
		s->left[i]--;
		s->taken[pass][i]++;
		if (fill(s, pass, i, &more))
			return true;
		s->left[i]++;
		s->taken[pass][i]--;
		if (s->stopped)
			return false;
	}
	if (!s->oracle) {
		if (grown || can_grow(s, room, from) || passes_bound(s->p, s->left) > s->nr - pass - 1 ||
		    can_exchange(s, pass))
			return false;
		return cover(s, pass + 1);
	}
	if (passes_bound(s->p, s->left) > s->nr - pass - 1)
		return false;
	groups_of(s, pass, groups);
	fits = s->any_order ? passes_ask_any_order(s->oracle, groups) : passes_ask(s->oracle, groups);
	return go_on(s, true) && fits && cover(s, pass + 1);
}

/* Divide what is left into passes from @pass on. */
static bool cover(struct search *s, unsigned int pass)
{
	struct passes_room room;
	unsigned int first;

	for (first = 0; first < s->p->nr_kinds && !s->left[first]; first++)
		;
	if (first == s->p->nr_kinds)
		return true;
	if (pass == s->nr || passes_bound(s->p, s->left) > s->nr - pass || in_vain(s, s->nr - pass))
		return false;
	passes_room_empty(s->p, &room);
	if (!passes_room_add(s->p, &room, &s->p->kind[first]))
		return false;
	s->left[first]--;
	s->taken[pass][first]++;
	if (fill(s, pass, first, &room))
		return true;
	s->left[first]++;
	s->taken[pass][first]--;
	if (!s->stopped)
		remember(s, s->nr - pass);
	return false;
}

enum passes_found passes_search(const struct passes_problem *p, unsigned int nr,
				struct passes_oracle *oracle, bool any_order,
				struct passes_limits *limits, unsigned int *pass)
{
	struct search *s = calloc(1, sizeof(*s));
	enum passes_found found = PASSES_NO_MEMORY;
	uint64_t groups[PASSES_WORDS];
	unsigned int i, k;

	if (!s)
		return found;
	s->p = p;
	s->oracle = oracle;
	s->any_order = any_order;
	s->limits = limits;
	s->nr = nr;
	if (!oracle)
		find_easier(s);
	for (i = 0; i < p->nr_kinds; i++)
		s->left[i] = p->kind[i].nr;
	s->slot = 1 + p->nr_kinds;
	s->slots = MEMORY / (s->slot * sizeof(*s->memory));
	s->memory = calloc(s->slots, s->slot * sizeof(*s->memory));
	if (s->memory) {
		found = PASSES_FOUND;
		if (!cover(s, 0))
			found = s->stopped ? PASSES_STOPPED : PASSES_NONE;
	}
	for (k = 0; found == PASSES_FOUND && k < nr; k++) {
		groups_of(s, k, groups);
		for (i = 0; i < p->nr; i++) {
			if (groups[i / 64] & (1ULL << i % 64))
				pass[i] = k;
		}
	}
	free(s->memory);
	free(s);
	return found;
}
