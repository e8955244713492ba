// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Whether there is room for groups in one pass, however well counters are assigned. */
#include <string.h>

#include "passes.h"

/* Find a counter of @allowed for a need, where others move if they must: an augmenting path. */
static bool place(const struct passes_need *const *need, int8_t at[64], unsigned int i,
		  uint64_t allowed, uint64_t *seen)
{
	uint64_t open = need[i]->mask & allowed & ~*seen, bits;
	unsigned int bit;

	for (bits = open; bits; bits &= bits - 1) {
		bit = __builtin_ctzll(bits);
		if (at[bit] < 0) {
			at[bit] = i;
			return true;
		}
	}
	for (bits = open; bits; bits &= bits - 1) {
		bit = __builtin_ctzll(bits);
		if (*seen & (1ULL << bit))
			continue;
		*seen |= 1ULL << bit;
		if (place(need, at, at[bit], allowed, seen)) {
			at[bit] = i;
			return true;
		}
	}
	return false;
}

/*
 * Whether a hyper-thread may use so many general-purpose counters.  As many as can be are on others:
 * all have counters, and so have all for which others were found.
 */
static bool within_ht_limit(const struct passes_problem *p, const struct passes_room *room)
{
	uint64_t others = ~((1ULL << PMCGRP_PLAN_FIXED) - 1), seen;
	unsigned int i, nr = room->nr;
	int8_t at[64];

	memset(at, -1, sizeof(at));
	for (i = 0; i < room->nr; i++) {
		seen = 0;
		nr -= place(room->need, at, i, others, &seen);
	}
	return nr <= p->pmu->ht_limit;
}

static bool add(const struct passes_problem *p, struct passes_room *room, const struct passes_need *need)
{
	uint64_t seen = 0;
	int value = need->value;

	if (room->nr == 64)
		return false;
	room->need[room->nr] = need;
	if (!place(room->need, room->at, room->nr, ~0ULL, &seen))
		return false;
	room->nr++;
	room->limited |= need->exclusive;
	if (!need->own_value && (value < 0 || room->values[value / 64] & (1ULL << value % 64)))
		return true;
	if (value >= 0)
		room->values[value / 64] |= 1ULL << value % 64;
	room->nr_values[need->extra]++;
	return !p->pmu->nr_extra[need->extra] ||
	       room->nr_values[need->extra] <= p->pmu->nr_extra[need->extra];
}

void passes_room_empty(const struct passes_problem *p, struct passes_room *room)
{
	memset(room, 0, sizeof(*room));
	memset(room->at, -1, sizeof(room->at));
	room->limited = p->options && p->options->sibling_exclusive;
	if (p->watched)
		add(p, room, &p->watchdog);
}

/* group_can_go_on(): an exclusive group is the only one of the pinned, or of the flexible. */
static bool may_join(struct passes_room *room, const struct passes_kind *kind)
{
	bool pinned = kind->pinned;

	if (room->alone[true] || room->alone[pinned] || (kind->exclusive && room->groups[pinned]) ||
	    (kind->exclusive && pinned && room->groups[false]))
		return false;
	room->alone[pinned] |= kind->exclusive;
	room->groups[pinned]++;
	return true;
}

bool passes_room_add(const struct passes_problem *p, struct passes_room *room,
		     const struct passes_kind *kind)
{
	const struct passes_need *need = &p->need[kind->need], *end = need + kind->nr_need;
	bool shared = false;
	uint64_t bit;

	if (!may_join(room, kind))
		return false;
	for (; need < end; need++) {
		if (need->event >= 0 && !need->second) {
			bit = 1ULL << need->event % 64;
			shared = room->events[need->event / 64] & bit;
			room->events[need->event / 64] |= bit;
		}
		if (need->event >= 0 && shared)
			continue;
		if (!add(p, room, need))
			return false;
	}
	return !room->limited || !p->pmu->ht_limit || p->pmu->style != PMCGRP_PLAN_X86 ||
	       within_ht_limit(p, room);
}

/* Whether a need can take the place of another one. */
static bool replaces(const struct passes_need *a, const struct passes_need *b)
{
	if (a->mask & ~b->mask || a->event >= 0 || b->event >= 0 || (b->exclusive && !a->exclusive))
		return false;
	if (b->own_value || b->value >= 0)
		return a->extra == b->extra && (a->own_value || (b->value >= 0 && a->value == b->value));
	return true;
}

bool passes_easier(const struct passes_problem *p, unsigned int a, unsigned int b)
{
	const struct passes_kind *x = &p->kind[a], *y = &p->kind[b];
	unsigned int i, k;
	uint64_t used = 0;

	if (x->pinned != y->pinned || x->exclusive != y->exclusive || x->nr_need > 64)
		return false;
	for (i = 0; i < y->nr_need; i++) {
		for (k = 0; k < x->nr_need; k++) {
			if (!(used & (1ULL << k)) && replaces(&p->need[x->need + k], &p->need[y->need + i]))
				break;
		}
		if (k == x->nr_need)
			return false;
		used |= 1ULL << k;
	}
	return true;
}
