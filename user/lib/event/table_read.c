// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdlib.h>

#include <jansson.h>

#include "table_rows.h"

#define FORMAT 1
#define COLUMNS_MAX 64

enum kind {
	SKIPPED,		/* a column of a later release */
	TEXT,
	NEEDED_TEXT,
	NUMBER,
	FLAG,
	CONSTRAINT,
};

/* A place of the arrays in the file, and where its value goes. */
struct column {
	const char *name;
	enum kind kind;
	size_t offset;
};

#define ENTRY(field) offsetof(struct event_table_entry, field)
#define METRIC(field) offsetof(struct event_table_metric, field)

static const struct column entry_columns[] = {
	{ "name", NEEDED_TEXT, ENTRY(name) },
	{ "terms", NEEDED_TEXT, ENTRY(terms) },
	{ "desc", TEXT, ENTRY(desc) },
	{ "long_desc", TEXT, ENTRY(long_desc) },
	{ "topic", TEXT, ENTRY(topic) },
	{ "unit", TEXT, ENTRY(unit) },
	{ "counter", TEXT, ENTRY(counter) },
	{ "errata", TEXT, ENTRY(errata) },
	{ "compat", TEXT, ENTRY(compat) },
	{ "scale", NUMBER, ENTRY(scale) },
	{ "per_pkg", FLAG, ENTRY(per_pkg) },
	{ "deprecated", FLAG, ENTRY(deprecated) },
	{ NULL, SKIPPED, 0 },
};

static const struct column metric_columns[] = {
	{ "name", NEEDED_TEXT, METRIC(name) },
	{ "expr", NEEDED_TEXT, METRIC(expr) },
	{ "groups", TEXT, METRIC(groups) },
	{ "desc", TEXT, METRIC(desc) },
	{ "long_desc", TEXT, METRIC(long_desc) },
	{ "threshold", TEXT, METRIC(threshold) },
	{ "unit", TEXT, METRIC(unit) },
	{ "no_group", TEXT, METRIC(no_group) },
	{ "default_group", TEXT, METRIC(default_group) },
	{ "aggregation", TEXT, METRIC(aggregation) },
	{ "compat", TEXT, METRIC(compat) },
	{ "scale", NUMBER, METRIC(scale) },
	{ "constraint", CONSTRAINT, METRIC(constraint) },
	{ NULL, SKIPPED, 0 },
};

/* By enum event_table_constraint. */
static const char *const constraints[] = {
	NULL, "NO_GROUP_EVENTS", "NO_GROUP_EVENTS_NMI", "NO_GROUP_EVENTS_SMT",
	"NO_THRESHOLD_AND_NMI"
};

/* Where the reader is, for what is malformed. */
struct reader {
	const char *path;
	struct failure *failure;
};

static int __attribute__((format(printf, 2, 3)))
malformed(const struct reader *r, const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	begin(r->failure, PMCGRP_WHY_NONE, -1, -1);
	say(r->failure, "%s: %s; it is not as user/events/convert of this release writes it: build "
			"and install it again", r->path, what);
	return -EINVAL;
}

static int no_memory(const struct reader *r)
{
	return failure_plain(r->failure, ENOMEM, PMCGRP_WHY_NOMEM, r->path);
}

int table_constraint(enum event_table_constraint *constraint, const char *name)
{
	size_t i;

	for (i = 1; name && i < sizeof(constraints) / sizeof(constraints[0]); i++) {
		if (!strcmp(name, constraints[i])) {
			*constraint = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int put_value(void *record, const struct column *column, const json_t *value)
{
	void *to = (char *)record + column->offset;

	switch (column->kind) {
	case TEXT:
	case NEEDED_TEXT:
		*(const char **)to = json_string_value(value);
		return json_is_string(value) ? 0 : -EINVAL;
	case NUMBER:
		*(double *)to = json_number_value(value);
		return json_is_number(value) ? 0 : -EINVAL;
	case FLAG:
		*(bool *)to = json_is_true(value);
		return json_is_boolean(value) ? 0 : -EINVAL;
	case CONSTRAINT:
		return table_constraint(to, json_string_value(value));
	case SKIPPED:
		break;
	}
	return 0;
}

/* @row's values go to @record, whose numbers are 1 if the file has none. */
static int put_row(const struct reader *r, void *record, const struct column *columns[],
		   const struct column *all, const char *pmu, const json_t *row)
{
	size_t i;

	if (!json_is_array(row) || json_array_size(row) > COLUMNS_MAX)
		return malformed(r, "%s: an event or metric is no array", pmu);
	for (i = 0; all[i].name; i++)
		if (all[i].kind == NUMBER)
			*(double *)((char *)record + all[i].offset) = 1;
	for (i = 0; i < json_array_size(row); i++) {
		const json_t *value = json_array_get(row, i);

		if (!columns[i])
			return malformed(r, "%s: more values than columns", pmu);
		if (!json_is_null(value) && put_value(record, columns[i], value))
			return malformed(r, "%s: element %zu, %s, of an event or metric is wrong",
					 pmu, i, columns[i]->name);
	}
	for (i = 0; all[i].name; i++)
		if (all[i].kind == NEEDED_TEXT && !*(const char **)((char *)record + all[i].offset))
			return malformed(r, "%s: an event or metric without %s", pmu, all[i].name);
	return 0;
}

/* What is in each place of the arrays; the rest is NULL. */
static int find_columns(const struct reader *r, const json_t *names, const struct column *all,
			const struct column *columns[])
{
	size_t i, k;

	if (!json_is_array(names) || json_array_size(names) > COLUMNS_MAX)
		return malformed(r, "no array of columns");
	for (i = 0; i < json_array_size(names); i++) {
		const char *name = json_string_value(json_array_get(names, i));

		if (!name)
			return malformed(r, "a column without a name");
		for (k = 0; all[k].name && strcmp(all[k].name, name); k++)
			;
		columns[i] = &all[k];
	}
	return 0;
}

/* The object's keys name the PMU, in both kinds of records. */
#define PMU_OFFSET ENTRY(pmu)
_Static_assert(PMU_OFFSET == METRIC(pmu), "one place for both");

/* All rows of all PMUs, of records of @size bytes. */
static int put_rows(const struct reader *r, json_t *tables, const json_t *names,
		    const struct column *all, size_t size, void **records, size_t *nr)
{
	const struct column *columns[COLUMNS_MAX] = { NULL };
	int ret = find_columns(r, names, all, columns);
	char *record;
	void *pmu;
	size_t i;

	if (ret)
		return ret;
	if (!json_is_object(tables))
		return malformed(r, "no object of PMUs");
	for (pmu = json_object_iter(tables); pmu; pmu = json_object_iter_next(tables, pmu)) {
		if (!json_is_array(json_object_iter_value(pmu)))
			return malformed(r, "%s is no array", json_object_iter_key(pmu));
		*nr += json_array_size(json_object_iter_value(pmu));
	}
	record = calloc(*nr + 1, size);
	if (!record)
		return no_memory(r);
	*records = record;
	for (pmu = json_object_iter(tables); pmu; pmu = json_object_iter_next(tables, pmu)) {
		const char *name = json_object_iter_key(pmu);
		const json_t *rows = json_object_iter_value(pmu);

		for (i = 0; i < json_array_size(rows); i++, record += size) {
			ret = put_row(r, record, columns, all, name, json_array_get(rows, i));
			if (ret)
				return ret;
			*(const char **)(record + PMU_OFFSET) = name;
		}
	}
	return 0;
}

static int compare_names(const char *pmu_a, const char *name_a, const char *compat_a,
			 const char *pmu_b, const char *name_b, const char *compat_b)
{
	int ret = strcmp(pmu_a, pmu_b);

	if (!ret)
		ret = strcasecmp(name_a, name_b);
	return ret ? ret : strcmp(compat_a ? compat_a : "", compat_b ? compat_b : "");
}

static int compare_entries(const void *a, const void *b)
{
	const struct event_table_entry *x = a, *y = b;

	return compare_names(x->pmu, x->name, x->compat, y->pmu, y->name, y->compat);
}

static int compare_metrics(const void *a, const void *b)
{
	const struct event_table_metric *x = a, *y = b;

	return compare_names(x->pmu, x->name, x->compat, y->pmu, y->name, y->compat);
}

void table_sort_metrics(struct event_table *table)
{
	qsort(table->metrics, table->nr_metrics, sizeof(*table->metrics), compare_metrics);
}

/* Once they are sorted. */
static int find_pmus(const struct reader *r, struct event_table *table, size_t max)
{
	size_t i;

	table->pmus = calloc(max + 1, sizeof(*table->pmus));
	if (!table->pmus)
		return no_memory(r);
	for (i = 0; i < table->nr; i++) {
		struct table_pmu *last = table->pmus + table->nr_pmus - !!table->nr_pmus;

		if (table->nr_pmus && !strcmp(last->name, table->entries[i].pmu)) {
			last->nr++;
			continue;
		}
		last = &table->pmus[table->nr_pmus++];
		last->name = table->entries[i].pmu;
		last->first = i;
		last->nr = 1;
	}
	return 0;
}

static int put_all(const struct reader *r, struct event_table *table)
{
	json_t *root = table->json, *events = json_object_get(root, "events"), *groups;
	void *group;
	int ret;

	if (json_integer_value(json_object_get(root, "format")) != FORMAT)
		return malformed(r, "its format is not %d", FORMAT);
	table->model = json_string_value(json_object_get(root, "model"));
	if (!table->model)
		return malformed(r, "no model");
	ret = put_rows(r, events, json_object_get(root, "event_columns"), entry_columns,
		       sizeof(*table->entries), (void **)&table->entries, &table->nr);
	if (!ret)
		ret = put_rows(r, json_object_get(root, "metrics"),
			       json_object_get(root, "metric_columns"), metric_columns,
			       sizeof(*table->metrics), (void **)&table->metrics,
			       &table->nr_metrics);
	if (ret)
		return ret;
	groups = json_object_get(root, "groups");
	if (!json_is_object(groups))
		return malformed(r, "no object of groups");
	for (group = json_object_iter(groups); group; group = json_object_iter_next(groups, group))
		if (!json_is_string(json_object_iter_value(group)))
			return malformed(r, "the description of group %s is no string",
					 json_object_iter_key(group));
	qsort(table->entries, table->nr, sizeof(*table->entries), compare_entries);
	table_sort_metrics(table);
	return find_pmus(r, table, json_object_size(events));
}

int table_read(struct event_table **out, const char *text, size_t size, const char *path,
	       struct failure *failure)
{
	const struct reader r = { .path = path, .failure = failure };
	struct event_table *table = calloc(1, sizeof(*table));
	json_error_t error;
	int ret;

	if (!table)
		return no_memory(&r);
	table->json = json_loadb(text, size, 0, &error);
	if (table->json)
		ret = put_all(&r, table);
	else if (json_error_code(&error) == json_error_out_of_memory)
		ret = no_memory(&r);
	else
		ret = malformed(&r, "line %d column %d: %s", error.line, error.column, error.text);
	if (ret)
		event_table_close(table);
	else
		*out = table;
	return ret;
}

int event_table_empty(struct event_table **out, const char *missing)
{
	struct event_table *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->model = "files alone";
	table->missing = strdup(missing);
	/* What is sorted and searched is there, and has no elements. */
	table->entries = calloc(1, sizeof(*table->entries));
	table->metrics = calloc(1, sizeof(*table->metrics));
	if (!table->missing || !table->entries || !table->metrics) {
		event_table_close(table);
		return -ENOMEM;
	}
	*out = table;
	return 0;
}

const char *event_table_missing(const struct event_table *table)
{
	return table->missing;
}

void event_table_close(struct event_table *table)
{
	if (!table)
		return;
	json_decref(table->json);
	json_decref(table->files);
	free(table->missing);
	free(table->entries);
	free(table->pmus);
	free(table->metrics);
	free(table);
}

const char *event_table_group_desc(const struct event_table *table, const char *group)
{
	const json_t *groups = json_object_get(table->json, "groups");

	return json_string_value(json_object_get(groups, group));
}
