/* SPDX-License-Identifier: GPL-2.0-only */
/* A reader of a table of counts by key, to whom nothing is lost of keys that have ended. */
#ifndef PMCGRP_KEYS_READER_H
#define PMCGRP_KEYS_READER_H

#include "pmcgrp_keys.h"

#define READER_MEMBERS	3	/* the most of a group */

/* What a reader knows: the last values of each id. */
struct reader {
	struct told sum;		/* of ids that are gone */
	unsigned int processes;		/* ids */
	struct pmcgrp_keys_slot *last;	/* of each slot */
	uint64_t (*value)[READER_MEMBERS];
};

static inline bool reader_read(struct reader *r, const struct table *t, unsigned int nr,
			       uint32_t flags)
{
	unsigned int n, i, k, at = 0;
	uint64_t value[READER_MEMBERS];
	struct pmcgrp_keys_slot copy;

	if (table_flush(t, flags))
		return false;
	for (n = 0; n < t->arg.nr_cpus; n++) {
		for (i = 0; i <= t->arg.slots; i++, at++) {
			if (!slot_copy(t, table_slot(t, n, i), nr, &copy, value))
				continue;
			if (copy.id != r->last[at].id) {
				r->sum.enabled += r->last[at].time_enabled;
				for (k = 0; k < nr; k++)
					r->sum.value[k] += r->value[at][k];
				r->processes++;
			}
			r->last[at] = copy;
			memcpy(r->value[at], value, sizeof(value));
		}
	}
	return true;
}

#endif /* PMCGRP_KEYS_READER_H */
