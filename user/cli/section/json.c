// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The JSON of section. pmcgrp-section(1) describes the keys. */
#include <errno.h>

#include <jansson.h>

#include "section_report.h"

/* Enough for every digit that means something, too few to show 0.1 as 0.1000...01. */
#define DIGITS 15

/* Above what JSON's readers take for an integer, the nearest real number. */
static json_t *number(uint64_t value)
{
	return value > INT64_MAX ? json_real((double)value) : json_integer((json_int_t)value);
}

static json_t *hex(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	return json_string(text);
}

static const char *kind_name(enum pmcgrp_section_kind kind)
{
	switch (kind) {
	case PMCGRP_SECTION_MODULE:
		return "module";
	case PMCGRP_SECTION_FUNCTION:
		return "function";
	case PMCGRP_SECTION_TRACEPOINTS:
		return "tracepoints";
	case PMCGRP_SECTION_USER_FUNCTION:
		return "user_function";
	}
	return "unknown";
}

static json_t *missed(const struct section *section)
{
	json_t *object = json_object();
	unsigned int i;
	int bad = 0;

	for (i = 0; i < SECTION_REASONS; i++)
		bad |= json_object_set_new(object, pmcgrp_missed_name(i),
					   number(section->missed[i]));
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

/* Those that are not empty. */
static json_t *buckets(const __u64 *bucket)
{
	json_t *list = json_array();
	unsigned int i;
	int bad = 0;

	for (i = 0; i < PMCGRP_SECTION_BUCKETS; i++) {
		if (bucket[i])
			bad |= json_array_append_new(list, json_pack("{s:o,s:o,s:o}",
				"from", number(section_bucket_from(i)),
				"to", number(section_bucket_to(i)),
				"count", number(bucket[i])));
	}
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}

/* What the time and members have alike; null where nothing was counted. */
static int add_counts(json_t *object, const struct section *section, unsigned int i)
{
	const struct section_value *value = &section->values[i];
	double mean = section_mean(section, i);
	bool any = section->count;
	int bad;

	bad = json_object_set_new(object, "sum", number(value->stat.sum));
	bad |= json_object_set_new(object, "mean", any ? json_real(mean) : json_null());
	bad |= json_object_set_new(object, "min", any ? number(value->stat.min) : json_null());
	bad |= json_object_set_new(object, "min-exact", json_boolean(value->min_exact));
	bad |= json_object_set_new(object, "max", any ? number(value->stat.max) : json_null());
	bad |= json_object_set_new(object, "max-exact", json_boolean(value->max_exact));
	bad |= json_object_set_new(object, "buckets", buckets(value->stat.bucket));
	return bad;
}

static int add_time(json_t *object, const struct section *section)
{
	json_t *time = json_object();
	int bad;

	bad = json_object_set_new(time, "unit", json_string("ns"));
	bad |= add_counts(time, section, 0);
	bad |= json_object_set_new(object, "time", time);
	return bad;
}

static int add_member(json_t *list, const struct section *section, unsigned int i)
{
	const struct section_value *value = &section->values[i];
	json_t *object = json_object();
	int bad;

	bad = json_object_set_new(object, "event", json_string(value->name));
	bad |= json_object_set_new(object, "type", number(value->stat.type));
	bad |= json_object_set_new(object, "config", hex(value->stat.config));
	bad |= json_object_set_new(object, "config1", hex(value->stat.config1));
	bad |= json_object_set_new(object, "config2", hex(value->stat.config2));
	bad |= json_object_set_new(object, "config3", hex(value->stat.config3));
	bad |= add_counts(object, section, i);
	bad |= json_array_append_new(list, object);
	return bad;
}

/* ---- Keys ---- */

static int add_key_stat(json_t *object, const struct section_key_row *row, unsigned int i)
{
	const struct pmcgrp_section_key_stat *stat = &row->entry->stat[i];
	int bad;

	bad = json_object_set_new(object, "sum", number(stat->sum));
	bad |= json_object_set_new(object, "min", number(stat->min));
	bad |= json_object_set_new(object, "max", number(stat->max));
	if (row->buckets)
		bad |= json_object_set_new(object, "buckets", buckets(row->buckets->bucket[i]));
	return bad;
}

static int add_key(json_t *list, const struct section *section, const struct section_key_row *row)
{
	json_t *object = json_object(), *time = json_object(), *members = json_array(), *member;
	unsigned int i;
	int bad;

	bad = json_object_set_new(object, "kind", json_string(row->kind));
	bad |= json_object_set_new(object, "name", json_string(row->name));
	bad |= json_object_set_new(object, "id", row->has_id ? number(row->id) : json_null());
	bad |= json_object_set_new(object, "comm",
				   row->comm[0] ? json_string(row->comm) : json_null());
	bad |= json_object_set_new(object, "count", number(row->entry->count));
	bad |= json_object_set_new(time, "unit", json_string("ns"));
	bad |= add_key_stat(time, row, 0);
	bad |= json_object_set_new(object, "time", time);
	for (i = 1; i < section->nr; i++) {
		member = json_object();
		bad |= json_object_set_new(member, "event", json_string(section->values[i].name));
		bad |= add_key_stat(member, row, i);
		bad |= json_array_append_new(members, member);
	}
	bad |= json_object_set_new(object, "members", members);
	bad |= json_array_append_new(list, object);
	return bad;
}

static int add_keys(json_t *object, const struct section *section)
{
	const struct section_keys *keys = section->keys;
	json_t *list = json_array();
	unsigned int i;
	int bad;

	bad = json_object_set_new(object, "by", json_string(keys->by));
	for (i = 0; i < keys->nr; i++)
		bad |= add_key(list, section, &keys->rows[i]);
	bad |= json_object_set_new(object, "keys", list);
	bad |= json_object_set_new(object, "keys-left-out", number(keys->left_out));
	return bad;
}

static int add_section(json_t *list, const struct section *section)
{
	const char *owner = section->owner[0] ? section->owner : NULL;
	json_t *object = json_object(), *members = json_array();
	unsigned int i;
	int bad;

	bad = json_object_set_new(object, "id", number(section->id));
	bad |= json_object_set_new(object, "name", json_string(section->name));
	bad |= json_object_set_new(object, "kind", json_string(kind_name(section->kind)));
	bad |= json_object_set_new(object, "gone", json_boolean(section->is_gone));
	bad |= json_object_set_new(object, "group", number(section->group));
	bad |= json_object_set_new(object, "owner", owner ? json_string(owner) : json_null());
	bad |= json_object_set_new(object, "count", number(section->count));
	bad |= json_object_set_new(object, "missed", missed(section));
	bad |= json_object_set_new(object, "in-flight", number(section->in_flight));
	bad |= add_time(object, section);
	for (i = 1; i < section->nr; i++)
		bad |= add_member(members, section, i);
	bad |= json_object_set_new(object, "members", members);
	if (section->keys)
		bad |= add_keys(object, section);
	bad |= json_array_append_new(list, object);
	return bad;
}

int section_json(FILE *file, const struct section_report *report)
{
	size_t flags = JSON_REAL_PRECISION(DIGITS) | (report->interval ? 0 : JSON_INDENT(1));
	json_t *object = json_object(), *list = json_array();
	unsigned int i;
	int bad = 0;

	if (report->interval)
		bad = json_object_set_new(object, "interval", json_real(report->timestamp));
	for (i = 0; i < report->set->nr; i++)
		bad |= add_section(list, &report->set->sections[i]);
	bad |= json_object_set_new(object, "sections", list);
	if (!bad && !json_dumpf(object, file, flags))
		fputc('\n', file);
	else
		bad = -1;
	json_decref(object);
	return bad ? -ENOMEM : 0;
}
