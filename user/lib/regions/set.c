// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What regions have counted: how it is kept and summed up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "regions/set.h"

static const struct {
	const char *name;
	const char *text;
} missed[PMCGRP_REGION_REASONS] = {
	[PMCGRP_REGION_PARTLY] = { "partly",
				   "the group had its counters for a part of the time only" },
	[PMCGRP_REGION_UNCOUNTED] = { "uncounted",
				      "the thread has no group, or it could not be read" },
	[PMCGRP_REGION_MISMATCHED] = { "mismatched", "begins and ends do not nest" },
	[PMCGRP_REGION_NO_BEGIN] = { "no-begin", "ended without a beginning in that thread" },
	[PMCGRP_REGION_TOO_DEEP] = { "too-deep", "too many regions were open in the thread" },
	[PMCGRP_REGION_OPEN] = { "open", "not ended by the end of the thread, or by now" },
	[PMCGRP_REGION_FORKED] = { "forked", "begun before a fork() that made the process" },
};

static const char *const refused[REGION_REFUSED_REASONS] = {
	[REGION_REFUSED_NAME] = "begins and ends of regions that cannot be: a name is 1 to 127 "
				"printable characters, and there are up to 1024",
	[REGION_REFUSED_MEMORY] = "begins and ends for which there was no memory",
	[REGION_REFUSED_INTERRUPTED] = "begins and ends in a signal handler that had interrupted "
				       "another one",
	[REGION_REFUSED_THREADS] = "threads are not shown: they did not come out of a begin or end "
				   "within a second",
};

const char *pmcgrp_region_missed_name(enum pmcgrp_region_missed reason)
{
	return reason < PMCGRP_REGION_REASONS ? missed[reason].name : "unknown";
}

const char *pmcgrp_region_missed_text(enum pmcgrp_region_missed reason)
{
	return reason < PMCGRP_REGION_REASONS ? missed[reason].text : "for an unknown reason";
}

const char *region_refused_text(enum region_refused reason)
{
	return refused[reason];
}

int region_set_init(struct region_set *set, unsigned int nr)
{
	*set = (struct region_set){ .nr_values = nr };
	set->values = calloc(nr ? nr : 1, sizeof(*set->values));
	return set->values ? 0 : -ENOMEM;
}

int region_set_like(struct region_set *set, const struct region_set *from)
{
	int ret = region_set_init(set, from->nr_values);
	unsigned int i;

	for (i = 0; i < set->nr_values && !ret; i++) {
		set->values[i] = strdup(from->values[i]);
		if (!set->values[i])
			ret = -ENOMEM;
	}
	memcpy(set->failure, from->failure, sizeof(set->failure));
	return ret;
}

void region_set_free(struct region_set *set)
{
	unsigned int i;

	for (i = 0; set->values && i < set->nr_values; i++)
		free(set->values[i]);
	free(set->values);
	for (i = 0; i < set->nr_rows; i++)
		free(set->rows[i].values);
	free(set->rows);
	free(set->threads);
	*set = (struct region_set){ 0 };
}

struct region_set_thread *region_set_add_thread(struct region_set *set)
{
	struct region_set_thread *more;

	more = reallocarray(set->threads, set->nr_threads + 1, sizeof(*more));
	if (!more)
		return NULL;
	set->threads = more;
	more += set->nr_threads++;
	*more = (struct region_set_thread){ 0 };
	return more;
}

struct region_row *region_set_add_row(struct region_set *set)
{
	struct region_value *values = calloc(set->nr_values ? set->nr_values : 1, sizeof(*values));
	struct region_row *more;
	unsigned int i;

	if (!values)
		return NULL;
	more = reallocarray(set->rows, set->nr_rows + 1, sizeof(*more));
	if (!more) {
		free(values);
		return NULL;
	}
	set->rows = more;
	more += set->nr_rows++;
	*more = (struct region_row){ .values = values };
	for (i = 0; i < set->nr_values; i++)
		values[i].min = UINT64_MAX;
	return more;
}

void region_row_add(struct region_row *row, const struct region_row *other, unsigned int nr_values)
{
	unsigned int i;

	row->nr_threads += other->nr_threads;
	row->calls += other->calls;
	row->counted += other->counted;
	row->renewed += other->renewed;
	row->self_missed += other->self_missed;
	row->enabled += other->enabled;
	row->running += other->running;
	for (i = 0; i < PMCGRP_REGION_REASONS; i++)
		row->missed[i] += other->missed[i];
	for (i = 0; i < nr_values; i++) {
		const struct region_value *from = &other->values[i];
		struct region_value *to = &row->values[i];

		to->sum += from->sum;
		to->self += from->self;
		if (from->min < to->min)
			to->min = from->min;
		if (from->max > to->max)
			to->max = from->max;
	}
}

bool region_set_alike(const struct region_set *set, const struct region_set *other)
{
	unsigned int i;

	if (set->nr_values != other->nr_values)
		return false;
	for (i = 0; i < set->nr_values; i++) {
		if (strcmp(set->values[i], other->values[i]))
			return false;
	}
	return true;
}

static struct region_row *find_row(struct region_set *set, const char *name)
{
	unsigned int i;

	for (i = 0; i < set->nr_rows; i++) {
		if (!strcmp(set->rows[i].name, name))
			return &set->rows[i];
	}
	return NULL;
}

int region_set_sum(struct region_set *total, const struct region_set *set)
{
	struct region_set_thread *thread;
	struct region_row *row;
	unsigned int i;

	for (i = 0; i < REGION_REFUSED_REASONS; i++)
		total->refused[i] += set->refused[i];
	for (i = 0; i < set->nr_threads; i++) {
		thread = region_set_add_thread(total);
		if (!thread)
			return -ENOMEM;
		*thread = set->threads[i];
	}
	for (i = 0; i < set->nr_rows; i++) {
		row = find_row(total, set->rows[i].name);
		if (!row) {
			row = region_set_add_row(total);
			if (!row)
				return -ENOMEM;
			memcpy(row->name, set->rows[i].name, sizeof(row->name));
		}
		region_row_add(row, &set->rows[i], total->nr_values);
	}
	return 0;
}

const struct region_row *region_set_empty(const struct region_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_rows; i++) {
		if (!set->rows[i].name[0] && set->rows[i].counted)
			return &set->rows[i];
	}
	return NULL;
}

/* ---- Ratios ---- */

/* "cycles" of "cycles:u". */
static bool is_event(const char *value, const char *event)
{
	size_t len = strlen(event);

	return !strncmp(value, event, len) && (!value[len] || value[len] == ':');
}

/* With the same modifiers, as both are of one mode then. */
static bool find_value(const struct region_set *set, const char *event, const char *as,
		       unsigned int *index)
{
	const char *colon = strchr(as, ':');
	unsigned int i;

	for (i = 1; i < set->nr_values; i++) {
		const char *own = strchr(set->values[i], ':');

		*index = i;
		if (is_event(set->values[i], event) && !strcmp(own ? own : "", colon ? colon : ""))
			return true;
	}
	return false;
}

bool region_ratio(const struct region_set *set, const struct region_row *row, unsigned int of,
		  struct region_ratio *ratio)
{
	static const struct {
		const char *event, *by, *sign, *unit;
		double factor;
	} known[] = {
		{ "instructions", "cycles", "", "insn per cycle", 1.0 },
		{ "branch-misses", "branches", "%", "of all branches", 100.0 },
		{ "cache-misses", "cache-references", "%", "of all cache refs", 100.0 },
	};
	unsigned int by;
	size_t i;

	for (i = 0; of && i < sizeof(known) / sizeof(known[0]); i++) {
		if (!is_event(set->values[of], known[i].event) ||
		    !find_value(set, known[i].by, set->values[of], &by) || !row->values[by].sum)
			continue;
		ratio->value = known[i].factor * (double)row->values[of].sum /
			       (double)row->values[by].sum;
		ratio->sign = known[i].sign;
		ratio->unit = known[i].unit;
		ratio->of = of;
		return true;
	}
	return false;
}
