// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Expressions of metrics. A line is the expression; each further line is a metric's name, a tab and
 * its expression, to which others may refer.
 */
#include <errno.h>
#include <math.h>

#include <jansson.h>

#include "event/expression.h"
#include "event/table_rows.h"
#include "fuzz.h"

static struct failure failure;

static double literal(void *data, const char *name)
{
	(void)data;
	return name[1] == 'n' ? NAN : strlen(name) % 3;
}

static bool has_event(void *data, const char *id)
{
	(void)data;
	return strlen(id) % 2;
}

/* NULL: the lines are no text. */
static struct event_table *table_of(char *lines)
{
	json_t *rows = json_array(), *root;
	struct event_table *table = NULL;
	char *line, *text;

	while ((line = strsep(&lines, "\n"))) {
		char *name = strsep(&line, "\t");

		if (line)
			json_array_append_new(rows, json_pack("[s, s]", name, line));
	}
	root = json_pack("{s:i, s:s, s:[], s:{}, s:[s, s], s:{s:o}, s:{}}", "format", 1, "model",
			 "m", "event_columns", "events", "metric_columns", "name", "expr",
			 "metrics", "default_core", rows, "groups");
	if (!root)
		return NULL;
	text = json_dumps(root, 0);
	json_decref(root);
	if (text && table_read(&table, text, strlen(text), "lines", &failure))
		table = NULL;
	free(text);
	return table;
}

static void check(struct metric *metric)
{
	size_t i, k, nr = metric_nr_ids(metric);
	struct metric_value *values = calloc(nr + 1, sizeof(*values));
	double first, again;
	char *event;

	must(values);
	for (i = 0; i < nr; i++) {
		must(*metric_id(metric, i));
		for (k = 0; k < i; k++)
			must(strcmp(metric_id(metric, i), metric_id(metric, k)));
		event = metric_event(metric_id(metric, i));
		must(event && !strchr(event, '@'));
		free(event);
		values[i].value = (double)i * 1.5;
		values[i].sources = 1;
	}
	first = metric_eval(metric, values);
	again = metric_eval(metric, values);
	must(isnan(first) ? isnan(again) : first == again);
	free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size), *lines = text, *expr = strsep(&lines, "\n");
	struct event_table *table = lines ? table_of(lines) : NULL;
	const struct metric_env env = {
		.table = table, .cpuid = "GenuineIntel-6-55-4", .literal = literal,
		.has_event = has_event,
	};
	struct metric *metric = NULL;
	int ret;

	failure.text[0] = '\0';
	ret = metric_new(&metric, "m", expr, &env, &failure);
	if (ret) {
		must((ret == -EINVAL || ret == -ELOOP) && !metric && failure.text[0]);
	} else {
		event_table_close(table);
		table = NULL;
		check(metric);
		metric_free(metric);
	}
	event_table_close(table);
	free(text);
	return 0;
}
