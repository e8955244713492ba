// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which event on which counter: an exact answer, where arch/x86/events/core.c
 * (perf_assign_events()) takes the most constrained first and looks back at two
 * choices at most.  Whatever fits at all is found, so that what does not get a
 * counter is the scheduling's doing and never the solver's.
 */
#include <linux/bitops.h>
#include <linux/string.h>
#include "testpmu.h"

/**
 * struct fit - a solution in the making
 * @mask: the counters that each event may have
 * @counter: the one that it has, or %TPMU_NO_COUNTER
 * @owner: the event that has each counter, or -1
 */
struct fit {
	const u64	*mask;
	int		*counter;
	s8		owner[TPMU_COUNTERS];
};

/* The fixed counters first, which are good for little else: as x86 since 3.3. */
static unsigned int nth_choice(unsigned int bit)
{
	return (bit + TPMU_FIXED_FIRST) % TPMU_COUNTERS;
}

/* The moves found are made from the last one back, each into the room of the next. */
static void fit_shift(struct fit *fit, const s8 *via, unsigned int counter, unsigned int first)
{
	int free = counter;

	for (;;) {
		int event = via[free];
		int left = fit->counter[event];

		fit->counter[event] = free;
		fit->owner[free] = event;
		if (event == first)
			return;
		free = left;
	}
}

/*
 * A counter for one more event, if need be by moving others: breadth first, so that
 * as few move as possible.
 */
static bool fit_add(struct fit *fit, unsigned int event)
{
	s8 queue[TPMU_EVENTS_MAX], via[TPMU_COUNTERS];
	unsigned int head = 0, tail = 0;
	u64 seen = 0;

	queue[tail++] = event;
	while (head < tail) {
		unsigned int mover = queue[head++];
		u64 choices = ror64(fit->mask[mover] & ~seen, TPMU_FIXED_FIRST);

		seen |= fit->mask[mover];
		for (; choices; choices &= choices - 1) {
			unsigned int counter = nth_choice(__ffs64(choices));

			via[counter] = mover;
			if (fit->owner[counter] < 0) {
				fit_shift(fit, via, counter, event);
				return true;
			}
			queue[tail++] = fit->owner[counter];
		}
	}
	return false;
}

/**
 * tpmu_fit - find a counter for each of several events
 * @mask: the counters that each may have
 * @nr: how many events, %TPMU_EVENTS_MAX at most
 * @counter: in: what they have, %TPMU_NO_COUNTER for those that come; out: what
 *	they get, valid only on success.  Those that have one keep it if they can.
 *
 * Return: whether there is a solution.
 */
bool tpmu_fit(const u64 *mask, unsigned int nr, int *counter)
{
	struct fit fit = { .mask = mask, .counter = counter };
	unsigned int i;

	memset(fit.owner, -1, sizeof(fit.owner));
	for (i = 0; i < nr; i++)
		if (counter[i] >= 0)
			fit.owner[counter[i]] = i;
	for (i = 0; i < nr; i++)
		if (counter[i] < 0 && !fit_add(&fit, i))
			return false;
	return true;
}
