// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "space.h"

/* The first that ends behind an address. */
static size_t at_or_behind(const struct rep_space *space, uint64_t address)
{
	size_t low = 0, high = space->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->rows[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Ranges from @first to before @end become @nr others, which the caller writes. */
static void replace(struct rep_space *space, size_t first, size_t end, size_t nr)
{
	memmove(space->rows + first + nr, space->rows + end,
		(space->nr - end) * sizeof(*space->rows));
	space->nr = space->nr - (end - first) + nr;
}

int rep_space_add(struct rep_space *space, const struct rep_range *range)
{
	struct rep_range left = { 0 }, right = { 0 }, *at;
	size_t first, end;

	if (range->end <= range->start)
		return 0;
	/* Two more at most: one range may be cut into the parts before and behind the new one. */
	if (!rep_grow(&space->rows, &space->room, space->nr + 1, sizeof(*space->rows)))
		return -ENOMEM;
	first = at_or_behind(space, range->start);
	for (end = first; end < space->nr && space->rows[end].start < range->end; end++)
		;
	if (first < end && space->rows[first].start < range->start) {
		left = space->rows[first];
		left.end = range->start;
	}
	if (first < end && space->rows[end - 1].end > range->end) {
		right = space->rows[end - 1];
		right.offset += range->end - right.start;
		right.start = range->end;
	}
	replace(space, first, end, 1U + (left.end != 0) + (right.end != 0));
	at = space->rows + first;
	if (left.end)
		*at++ = left;
	*at++ = *range;
	if (right.end)
		*at = right;
	return 0;
}

const struct rep_range *rep_space_find(const struct rep_space *space, uint64_t address)
{
	size_t at = at_or_behind(space, address);

	return at < space->nr && space->rows[at].start <= address ? &space->rows[at] : NULL;
}

int rep_space_copy(struct rep_space *to, const struct rep_space *from)
{
	struct rep_range *rows = malloc((from->nr + 1) * sizeof(*rows));

	rep_space_free(to);
	if (!rows)
		return -ENOMEM;
	if (from->nr)
		memcpy(rows, from->rows, from->nr * sizeof(*rows));
	*to = (struct rep_space){ .rows = rows, .nr = from->nr, .room = from->nr + 1 };
	return 0;
}

void rep_space_free(struct rep_space *space)
{
	free(space->rows);
	memset(space, 0, sizeof(*space));
}
