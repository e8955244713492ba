// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "metric_file.h"
#include "metric_parse.h"
#include "near.h"
#include "table_rows.h"

/* Where the reader is. */
struct file {
	struct event_table *table;
	const char *path;
	const char *at;			/* how far the lines have been counted */
	unsigned int line;
	struct failure *failure;
	struct event_table_metric *metrics;
	size_t nr;
};

enum kind {
	TEXT,
	CONSTRAINT,
	SCALE,
	IGNORED,	/* of perf's reports */
};

#define METRIC(field) offsetof(struct event_table_metric, field)

static const struct key {
	const char *name;
	enum kind kind;
	size_t offset;
} keys[] = {
	{ "MetricName", TEXT, METRIC(name) },
	{ "MetricExpr", TEXT, METRIC(expr) },
	{ "MetricGroup", TEXT, METRIC(groups) },
	{ "ScaleUnit", SCALE, 0 },
	{ "BriefDescription", TEXT, METRIC(desc) },
	{ "PublicDescription", TEXT, METRIC(long_desc) },
	{ "MetricThreshold", TEXT, METRIC(threshold) },
	{ "MetricConstraint", CONSTRAINT, METRIC(constraint) },
	{ "MetricgroupNoGroup", TEXT, METRIC(no_group) },
	{ "DefaultMetricgroupName", TEXT, METRIC(default_group) },
	{ "AggregationMode", TEXT, METRIC(aggregation) },
	{ "Compat", TEXT, METRIC(compat) },
	{ "Unit", TEXT, METRIC(pmu) },
	{ "DefaultShowEvents", IGNORED, 0 },
	{ "Errata", IGNORED, 0 },
};

#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

static int no_memory(const struct file *f)
{
	return failure_plain(f->failure, ENOMEM, PMCGRP_WHY_NOMEM, f->path);
}

/* Of a metric, or if it has no name yet, of the line alone. */
static int __attribute__((format(printf, 3, 4)))
wrong(const struct file *f, const char *metric, const char *format, ...)
{
	char what[400];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	begin(f->failure, PMCGRP_WHY_NONE, -1, -1);
	say(f->failure, "%s:%u: ", f->path, f->line);
	if (metric)
		say(f->failure, "metric %.64s: ", metric);
	say(f->failure, "%s", what);
	return -EINVAL;
}

/*
 * To the next object of the array, whose line errors name: what reads JSON does not keep that. The
 * text is known to be an array of objects.
 */
static void next_object(struct file *f)
{
	unsigned int depth = 0;
	bool string = false;
	const char *at = f->at;

	for (; *at && *at != '{'; at++)
		f->line += *at == '\n';
	for (; *at; at++) {
		if (string && *at == '\\')
			at++;
		else if (*at == '"')
			string = !string;
		else if (!string && *at == '{')
			depth++;
		else if (!string && *at == '}' && !--depth)
			break;
	}
	f->at = at;
}

/* The lines of the object itself. */
static void end_object(struct file *f, const char *from)
{
	for (; from < f->at; from++)
		f->line += *from == '\n';
}

static int unknown_key(const struct file *f, const char *metric, const char *key)
{
	char near_names[NEAR_TEXT];
	struct near near;
	size_t i;

	if (!strcmp(key, "EventName"))
		return wrong(f, metric, "it is an event, \"EventName\", and files have metrics alone");
	near_begin(&near, key);
	for (i = 0; i < NR_KEYS; i++)
		near_offer(&near, keys[i].name);
	near_text(&near, near_names, sizeof(near_names));
	return wrong(f, metric, "no key of a metric is \"%.64s\"%s", key, near_names);
}

/* "100%" is a factor and a unit. */
static int put_scale(const struct file *f, struct event_table_metric *m, const char *text)
{
	char *end;

	m->scale = strtod(text, &end);
	if (end == text || !(m->scale > 0) || m->scale > 1e300)
		return wrong(f, m->name, "ScaleUnit is a factor and a unit, such as \"100%%\", not "
			     "\"%.64s\"", text);
	m->unit = *end ? end : NULL;
	return 0;
}

static int put_key(const struct file *f, struct event_table_metric *m, const char *name,
		   const json_t *value)
{
	const char *text = json_string_value(value);
	size_t i;

	for (i = 0; i < NR_KEYS && strcmp(keys[i].name, name); i++)
		;
	if (i == NR_KEYS)
		return unknown_key(f, m->name, name);
	if (keys[i].kind == IGNORED)
		return 0;
	if (!text)
		return wrong(f, m->name, "the value of \"%s\" is no string", name);
	if (keys[i].kind == SCALE)
		return put_scale(f, m, text);
	if (keys[i].kind == CONSTRAINT) {
		if (table_constraint(&m->constraint, text))
			return wrong(f, m->name, "MetricConstraint is NO_GROUP_EVENTS, "
				     "NO_GROUP_EVENTS_NMI or NO_GROUP_EVENTS_SMT, not \"%.64s\"", text);
		return 0;
	}
	*(const char **)((char *)m + keys[i].offset) = text;
	return 0;
}

/* Names are separated by commas where they are asked for. */
static int check_name(const struct file *f, const struct event_table_metric *m)
{
	size_t i;

	if (!m->name || !*m->name)
		return wrong(f, NULL, "a metric without \"MetricName\"");
	if (strpbrk(m->name, ", \t\n;"))
		return wrong(f, m->name, "the name of a metric has neither blanks, commas nor semicolons");
	for (i = 0; i < f->nr; i++) {
		if (!strcasecmp(f->metrics[i].name, m->name))
			return wrong(f, m->name, "there is one of this name in line %u", f->metrics[i].line);
	}
	return 0;
}

static int check_expression(const struct file *f, const struct event_table_metric *m,
			    const char *key, const char *expr)
{
	struct metric_tree tree;
	struct failure *why = calloc(1, sizeof(*why));
	int ret = why ? metric_parse(&tree, expr, why) : -ENOMEM;

	if (!ret)
		metric_tree_free(&tree);
	else if (ret == -EINVAL)
		wrong(f, m->name, "%s: %s", key, why->text);
	else
		no_memory(f);
	free(why);
	return ret;
}

static int put_metric(struct file *f, const json_t *object)
{
	struct event_table_metric *m = &f->metrics[f->nr];
	void *at;
	int ret;

	*m = (struct event_table_metric){
		.name = json_string_value(json_object_get(object, "MetricName")),
		.pmu = EVENT_TABLE_CORE,
		.scale = 1,
		.file = f->path,
		.line = f->line,
	};
	for (at = json_object_iter((json_t *)object); at;
	     at = json_object_iter_next((json_t *)object, at)) {
		ret = put_key(f, m, json_object_iter_key(at), json_object_iter_value(at));
		if (ret)
			return ret;
	}
	ret = check_name(f, m);
	if (ret)
		return ret;
	if (!m->expr)
		return wrong(f, m->name, "it has no \"MetricExpr\"");
	ret = check_expression(f, m, "MetricExpr", m->expr);
	if (!ret && m->threshold)
		ret = check_expression(f, m, "MetricThreshold", m->threshold);
	f->nr += !ret;
	return ret;
}

static int put_all(struct file *f, const json_t *root)
{
	size_t i, nr = json_array_size(root);
	const char *from;
	int ret = 0;

	if (!json_is_array(root))
		return wrong(f, NULL, "an array of metrics is expected: [{\"MetricName\": ...}]");
	for (i = 0; i < nr; i++) {
		if (!json_is_object(json_array_get(root, i)))
			return wrong(f, NULL, "element %zu of the array is no object", i);
	}
	f->metrics = calloc(nr + 1, sizeof(*f->metrics));
	if (!f->metrics)
		return no_memory(f);
	for (i = 0; i < nr && !ret; i++) {
		from = f->at;
		next_object(f);
		ret = put_metric(f, json_array_get(root, i));
		from = strchr(from, '{');
		end_object(f, from ? from : f->at);
	}
	return ret;
}

static bool is_replaced(const struct file *f, const struct event_table_metric *m)
{
	size_t i;

	for (i = 0; i < f->nr; i++) {
		if (!strcasecmp(f->metrics[i].name, m->name))
			return true;
	}
	return false;
}

/* The table's own that are left, and the file's. */
static int merge(struct file *f, json_t *strings)
{
	struct event_table *table = f->table;
	struct event_table_metric *all;
	size_t i, nr = 0;

	all = calloc(table->nr_metrics + f->nr + 1, sizeof(*all));
	if (!table->files)
		table->files = json_array();
	if (!all || !table->files || json_array_append(table->files, strings)) {
		free(all);
		return no_memory(f);
	}
	for (i = 0; i < table->nr_metrics; i++) {
		if (!is_replaced(f, &table->metrics[i]))
			all[nr++] = table->metrics[i];
	}
	memcpy(&all[nr], f->metrics, f->nr * sizeof(*all));
	free(table->metrics);
	table->metrics = all;
	table->nr_metrics = nr + f->nr;
	table_sort_metrics(table);
	return 0;
}

/* What the metrics point to: the root, and the path. */
static int read_root(struct file *f, json_t *root)
{
	json_t *strings = json_pack("[O, s]", root, f->path);
	int ret;

	if (!strings)
		return no_memory(f);
	f->path = json_string_value(json_array_get(strings, 1));
	ret = put_all(f, root);
	if (!ret)
		ret = merge(f, strings);
	json_decref(strings);
	return ret;
}

int metric_file_add(struct event_table *table, const char *text, size_t size, const char *path,
		    struct failure *failure)
{
	struct file f = { .table = table, .path = path, .at = text, .line = 1,
			  .failure = failure };
	json_error_t error;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	int ret;

	if (root) {
		ret = read_root(&f, root);
		json_decref(root);
	} else if (json_error_code(&error) == json_error_out_of_memory) {
		ret = no_memory(&f);
	} else {
		f.line = error.line > 0 ? (unsigned int)error.line : 1;
		ret = wrong(&f, NULL, "column %d: %s", error.column, error.text);
	}
	free(f.metrics);
	return ret;
}
