// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The metrics of perf's table for this CPU, as option -M of stat takes them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "common/cli.h"
#include "event/table.h"
#include "list.h"

static bool is_chosen(const struct event_table_metric *m, const struct list_options *o)
{
	unsigned int i;

	for (i = 0; i < o->nr_patterns; i++) {
		if (list_matches(m->name, o->patterns[i]) || list_matches(m->groups, o->patterns[i]) ||
		    (m->desc && strcasestr(m->desc, o->patterns[i])))
			return true;
	}
	return !o->nr_patterns;
}

static void print(const struct event_table_metric *m, const struct list_options *o)
{
	if (o->names) {
		puts(m->name);
		return;
	}
	printf("  %s%s%s%s\n", m->name, m->unit ? " (" : "", m->unit ? m->unit : "",
	       m->unit ? ")" : "");
	if (m->desc)
		list_print_wrapped("", m->desc);
	if (o->details && m->groups)
		list_print_wrapped("groups: ", m->groups);
	if (o->details)
		list_print_wrapped("= ", m->expr);
}

static json_t *text(const char *value)
{
	return value ? json_string(value) : json_null();
}

static json_t *metric_json(const struct event_table_metric *m)
{
	json_t *object = json_object();
	int bad = !object;

	bad |= json_object_set_new(object, "metric", json_string(m->name));
	bad |= json_object_set_new(object, "pmu", text(m->pmu));
	bad |= json_object_set_new(object, "groups", text(m->groups));
	bad |= json_object_set_new(object, "unit", text(m->unit));
	bad |= json_object_set_new(object, "description", text(m->desc));
	bad |= json_object_set_new(object, "expression", text(m->expr));
	if (!bad)
		return object;
	json_decref(object);
	return NULL;
}

static int print_json(const struct event_table *table, const struct list_options *o)
{
	const struct event_table_metric *m;
	json_t *array = json_array();
	size_t i;
	int bad = 0;

	for (i = 0; i < event_table_nr_metrics(table); i++) {
		m = event_table_metric(table, i);
		if (is_chosen(m, o))
			bad |= json_array_append_new(array, metric_json(m));
	}
	if (bad || json_dumpf(array, stdout, JSON_INDENT(2)) < 0 || putchar('\n') == EOF)
		bad = 1;
	json_decref(array);
	return bad ? cli_say_errno("cannot write the list", EIO) : 0;
}

int list_metrics(const struct list_options *o)
{
	struct event_table *table;
	struct failure failure;
	unsigned int nr = 0;
	int ret = 0;
	size_t i;

	if (event_table_open(&table, NULL, NULL, NULL, &failure) < 0) {
		cli_say("%s", failure.text);
		return EXIT_TOOL;
	}
	if (o->json) {
		ret = print_json(table, o);
		nr = 1;
	} else if (!o->names) {
		printf("Metrics of %s, for -M\n", event_table_model(table));
	}
	for (i = 0; i < event_table_nr_metrics(table) && !o->json; i++) {
		if (!is_chosen(event_table_metric(table, i), o))
			continue;
		print(event_table_metric(table, i), o);
		nr++;
	}
	event_table_close(table);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		return cli_say_errno("cannot write the list", errno);
	return ret ? ret : !nr;
}
