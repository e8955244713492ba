// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The metrics of perf's table for this CPU, as option -M of stat takes them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "args/cli.h"
#include "event/metric_file.h"
#include "event/near.h"
#include "listing.h"

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
	if (o->details && m->threshold)
		list_print_wrapped("remarkable if ", m->threshold);
	if (m->file)
		printf("%*sof %s, line %u\n", 8, "", m->file, m->line);
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
	bad |= json_object_set_new(object, "threshold", text(m->threshold));
	bad |= json_object_set_new(object, "file", text(m->file));
	bad |= json_object_set_new(object, "line", m->file ? json_integer(m->line) : json_null());
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

/* Those of files, or those of perf's table; returns how many. */
static unsigned int print_part(const struct event_table *table, const struct list_options *o,
			       bool of_files)
{
	const struct event_table_metric *m;
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < event_table_nr_metrics(table); i++) {
		m = event_table_metric(table, i);
		if (!!m->file != of_files || !is_chosen(m, o))
			continue;
		if (!nr && !o->names && of_files)
			printf("Metrics of files, for -M\n");
		print(m, o);
		nr++;
	}
	return nr;
}

static unsigned int print_all(const struct event_table *table, const struct list_options *o)
{
	unsigned int nr = print_part(table, o, true);
	char cpuid[128];

	if (event_table_missing(table)) {
		cli_say("%s", event_table_missing(table));
		return nr;
	}
	if (!o->names) {
		if (event_cpuid(cpuid, sizeof(cpuid)) < 0)
			cpuid[0] = '\0';
		printf("%sMetrics of %s (this CPU: %s), for -M\n", nr ? "\n" : "",
		       event_table_model(table), cpuid);
	}
	return nr + print_part(table, o, false);
}

static void print_none(const struct event_table *table, const struct list_options *o)
{
	char near_names[NEAR_TEXT];
	struct near near;
	size_t i;

	near_begin(&near, o->nr_patterns == 1 ? o->patterns[0] : "");
	for (i = 0; i < event_table_nr_metrics(table); i++) {
		const struct event_table_metric *m = event_table_metric(table, i);

		near_offer(&near, m->name);
		near_offer_list(&near, m->groups ? m->groups : "");
	}
	printf("no metric matches%s\n", near_text(&near, near_names, sizeof(near_names)));
}

int list_metrics(const struct list_options *o)
{
	struct event_table *table;
	struct failure failure;
	unsigned int nr = 1;
	int ret = 0;

	if (metric_files_open(&table, o->metric_files, o->nr_metric_files, &failure) < 0) {
		cli_say("%s", failure.text);
		return EXIT_TOOL;
	}
	if (o->json)
		ret = print_json(table, o);
	else
		nr = print_all(table, o);
	if (!nr && !o->names)
		print_none(table, o);
	event_table_close(table);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		return cli_say_errno("cannot write the list", errno);
	return ret ? ret : !nr;
}
