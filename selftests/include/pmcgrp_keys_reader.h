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

static inline unsigned int reader_slots(const struct table *t)
{
	return t->arg.nr_cpus * (t->arg.slots + 1);
}

static inline bool reader_make(struct reader *r, const struct table *t)
{
	*r = (struct reader){ .last = calloc(reader_slots(t), sizeof(*r->last)),
			      .value = calloc(reader_slots(t), sizeof(*r->value)) };
	return r->last && r->value;
}

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
				r->sum.running += r->last[at].time_running;
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

/* Whether all that was read, in sum, is what the group shows. */
static inline bool reader_end(struct reader *r, const struct table *t, unsigned int nr)
{
	struct group_values v;
	unsigned int i, k;
	bool good;

	for (i = 0; i < reader_slots(t); i++) {
		r->sum.enabled += r->last[i].time_enabled;
		r->sum.running += r->last[i].time_running;
		for (k = 0; k < nr; k++)
			r->sum.value[k] += r->value[i][k];
	}
	free(r->last);
	free(r->value);
	good = group_values(t->fd, nr, &v) && v.enabled == r->sum.enabled &&
	       v.running == r->sum.running;
	for (k = 0; good && k < nr; k++)
		good = v.m[k].value == r->sum.value[k];
	return good;
}

#endif /* PMCGRP_KEYS_READER_H */
