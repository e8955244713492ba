// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* JSON of regions: an object a line for each region. pmcgrp-stat(1) describes the keys. */
#include <errno.h>

#include <jansson.h>

#include "region_reports.h"

/* Enough for every digit that means something, too few to show 0.1 as 0.1000...01. */
#define DIGITS 15

/* Above what JSON's readers take for an integer, the nearest real number. */
static json_t *number(uint64_t value)
{
	return value > INT64_MAX ? json_real((double)value) : json_integer((json_int_t)value);
}

/* Where nothing was counted there is no mean, least or greatest. */
static int add_value(json_t *object, const struct region_row *row, unsigned int i)
{
	const struct region_value *value = &row->values[i];
	bool any = row->counted;
	int bad;

	bad = json_object_set_new(object, "sum", number(value->sum));
	bad |= json_object_set_new(object, "self", number(value->self));
	bad |= json_object_set_new(object, "mean",
				   any ? json_real((double)value->sum / (double)row->counted) :
					 json_null());
	bad |= json_object_set_new(object, "min", any ? number(value->min) : json_null());
	bad |= json_object_set_new(object, "max", any ? number(value->max) : json_null());
	return bad;
}

static int add_ratio(json_t *object, const struct region_set *set, const struct region_row *row,
		     unsigned int i)
{
	struct region_ratio ratio;
	int bad;

	if (!region_ratio(set, row, i, &ratio))
		return 0;
	bad = json_object_set_new(object, "metric-value", json_real(ratio.value));
	bad |= json_object_set_new(object, "metric-unit", json_string(ratio.unit));
	return bad;
}

static int add_member(json_t *list, const struct region_set *set, const struct region_row *row,
		      unsigned int i)
{
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "event", json_string(set->values[i]));
	bad |= add_value(object, row, i);
	bad |= add_ratio(object, set, row, i);
	bad |= json_array_append_new(list, object);
	return bad;
}

/* Those that there are. */
static json_t *missed(const struct region_row *row)
{
	json_t *object = json_object();
	unsigned int i;
	int bad = 0;

	for (i = 0; i < PMCGRP_REGION_REASONS; i++) {
		if (row->missed[i])
			bad |= json_object_set_new(object, pmcgrp_region_missed_name(i),
						   number(row->missed[i]));
	}
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

static int add_partly(json_t *object, const struct region_row *row)
{
	int bad;

	if (!row->enabled)
		return 0;
	bad = json_object_set_new(object, "partly-time-enabled", number(row->enabled));
	bad |= json_object_set_new(object, "partly-time-running", number(row->running));
	return bad;
}

static int add_row(json_t *object, const struct regions_print *print, const struct region_row *row)
{
	json_t *time = json_object(), *members = json_array();
	unsigned int i;
	json_t *name;
	int bad;

	/* The empty region has none. */
	name = row->name[0] ? json_string(row->name) : json_null();
	bad = json_object_set_new(object, "region", name);
	if (print->per_thread) {
		bad |= json_object_set_new(object, "process", json_integer(row->pid));
		bad |= json_object_set_new(object, "thread",
					   row->tid ? json_integer(row->tid) : json_null());
	} else {
		bad |= json_object_set_new(object, "threads", json_integer(row->nr_threads));
	}
	bad |= json_object_set_new(object, "calls", number(row->calls));
	bad |= json_object_set_new(object, "counted", number(row->counted));
	bad |= json_object_set_new(object, "renewed", number(row->renewed));
	bad |= json_object_set_new(object, "self-missed", number(row->self_missed));
	bad |= json_object_set_new(object, "missed", missed(row));
	bad |= add_partly(object, row);
	bad |= json_object_set_new(time, "unit", json_string("ns"));
	bad |= add_value(time, row, 0);
	bad |= json_object_set_new(object, "time", time);
	for (i = 1; i < print->set->nr_values; i++)
		bad |= add_member(members, print->set, row, i);
	bad |= json_object_set_new(object, "members", members);
	return bad;
}

int regions_json(FILE *file, const struct regions_print *print)
{
	json_t *object;
	unsigned int i;
	int bad = 0;

	for (i = 0; i < print->set->nr_rows && !bad; i++) {
		object = json_object();
		bad = add_row(object, print, &print->set->rows[i]);
		if (!bad && !json_dumpf(object, file, JSON_REAL_PRECISION(DIGITS)))
			fputc('\n', file);
		else
			bad = -1;
		json_decref(object);
	}
	return bad ? -ENOMEM : 0;
}
