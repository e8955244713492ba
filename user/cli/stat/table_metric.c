// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Metrics of perf's tables.
 *
 * The events of a metric are one group, so that they are counted over the same interval.  If the
 * PMU has not enough counters for that the group is refused, and with it the metric: ratios of
 * counts of different intervals are wrong where they matter.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args/cli.h"
#include "counters/uncore.h"
#include "event/expression.h"
#include "event/metric_file.h"
#include "event/near.h"
#include "table_metric.h"

/**
 * struct table_metric - a metric that is counted
 * @from: what the table says of it
 * @metric: its expression
 * @counter: for each counter of the set, the index of the expression's event that it counts, or -1
 * @nr_counters: size of @counter
 */
struct table_metric {
	const struct event_table_metric *from;
	struct metric *metric;
	int *counter;
	unsigned int nr_counters;
};

/* The only "event" of an expression that no PMU counts and stat knows: the time, in seconds. */
#define DURATION "duration_time"

static bool has_event(void *data, const char *id)
{
	char *name = metric_event(id);
	struct pmcgrp_events *events;
	bool has = name && !pmcgrp_events_parse(&events, name, 0, NULL);

	(void)data;
	if (has)
		pmcgrp_events_free(events);
	free(name);
	return has;
}

static int table_open(struct table_metrics *metrics, const char *option)
{
	struct failure failure;

	if (metrics->table)
		return 0;
	if (metric_files_open(&metrics->table, metrics->files, metrics->nr_files, &failure) < 0) {
		metrics->table = NULL;
		cli_say("%s: %s", option, failure.text);
		return EXIT_TOOL;
	}
	if (event_cpuid(metrics->cpuid, sizeof(metrics->cpuid)) < 0)
		metrics->cpuid[0] = '\0';
	return 0;
}

/* The list of a metric's events: "NAME{a,b}", and where each begins. */
static char *group_text(const struct table_metric *m, size_t *column)
{
	size_t i, nr = metric_nr_ids(m->metric), len;
	char *text = NULL, *name;
	bool first = true;
	FILE *out;

	out = open_memstream(&text, &len);
	if (!out)
		return NULL;
	fprintf(out, "%s{", m->from->name);
	for (i = 0; i < nr; i++) {
		column[i] = SIZE_MAX;
		if (!strcmp(metric_id(m->metric, i), DURATION))
			continue;
		name = metric_event(metric_id(m->metric, i));
		if (!first)
			fputc(',', out);
		first = false;
		fflush(out);
		column[i] = len;
		fprintf(out, "%s", name ? name : "");
		free(name);
	}
	fputc('}', out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Which of the expression's events each new event of the list is. */
static int map_counters(struct table_metric *m, const struct pmcgrp_events *events,
			unsigned int from, const size_t *column)
{
	unsigned int i, nr = pmcgrp_events_nr(events);
	size_t k;

	m->counter = malloc(nr * sizeof(*m->counter));
	if (!m->counter)
		return -ENOMEM;
	m->nr_counters = nr;
	for (i = 0; i < nr; i++) {
		m->counter[i] = -1;
		for (k = 0; i >= from && k < metric_nr_ids(m->metric); k++) {
			if (pmcgrp_events_at(events, i)->column == column[k])
				m->counter[i] = (int)k;
		}
	}
	return 0;
}

#define PLACE_TEXT 256

/* Where the user has written it; "" for one of perf's tables. */
static void place_text(const struct event_table_metric *m, char *text, size_t size)
{
	text[0] = '\0';
	if (m->file)
		snprintf(text, size, " (%s:%u)", m->file, m->line);
}

static int events_add(struct table_metric *m, struct pmcgrp_events *events, const char *option)
{
	size_t *column = calloc(metric_nr_ids(m->metric) + 1, sizeof(*column));
	unsigned int from = pmcgrp_events_nr(events);
	struct pmcgrp_events_error error;
	char place[PLACE_TEXT];
	char *text = column ? group_text(m, column) : NULL;
	int ret = text ? 0 : -ENOMEM;

	if (!ret && !strstr(text, "{}"))
		ret = pmcgrp_events_add(events, text, 0, &error);
	if (!ret)
		ret = map_counters(m, events, from, column);
	if (ret == -EINVAL) {
		place_text(m->from, place, sizeof(place));
		cli_say("%s: metric %s%s cannot be computed here: %s", option, m->from->name, place,
			error.text);
		cli_point(text, error.column);
		ret = EXIT_TOOL;
	} else if (ret < 0) {
		ret = cli_say_errno(option, -ret);
	}
	free(column);
	free(text);
	return ret;
}

static int add(struct table_metrics *metrics, const struct event_table_metric *from,
	       const char *option, struct pmcgrp_events *events)
{
	const struct metric_env env = {
		.table = metrics->table,
		.pmu = from->pmu,
		.cpuid = metrics->cpuid,
		.system_wide = metrics->system_wide,
		.has_event = has_event,
	};
	struct table_metric *at, *m;
	struct failure failure;
	char place[PLACE_TEXT];

	at = reallocarray(metrics->at, metrics->nr + 1, sizeof(*at));
	if (!at)
		return cli_say_errno(option, ENOMEM);
	metrics->at = at;
	m = &at[metrics->nr];
	*m = (struct table_metric){ .from = from };
	if (metric_new(&m->metric, from->name, from->expr, &env, &failure) < 0) {
		place_text(from, place, sizeof(place));
		cli_say("%s: metric %s%s: %s", option, from->name, place, failure.text);
		return EXIT_TOOL;
	}
	metrics->nr++;
	return events_add(m, events, option);
}

static int no_metric(const struct table_metrics *metrics, const char *name, const char *option)
{
	char near_names[NEAR_TEXT];
	struct near near;
	size_t i;

	near_begin(&near, name);
	for (i = 0; i < event_table_nr_metrics(metrics->table); i++) {
		const struct event_table_metric *m = event_table_metric(metrics->table, i);

		near_offer(&near, m->name);
		near_offer_list(&near, m->groups ? m->groups : "");
	}
	near_text(&near, near_names, sizeof(near_names));
	cli_say("%s: '%s' is neither a metric nor a group of metrics of %s%s", option, name,
		event_table_model(metrics->table),
		near_names[0] ? near_names : ": \"pmcgrp list metric\" lists them");
	if (event_table_missing(metrics->table))
		cli_say("%s: %s", option, event_table_missing(metrics->table));
	return EXIT_TOOL;
}

/* All metrics of a name, or of a group of that name. */
static int add_named(struct table_metrics *metrics, const char *name, const char *option,
		     struct pmcgrp_events *events)
{
	const struct event_table_metric *m = event_table_find_metric(metrics->table, NULL, name);
	int ret = 0;

	if (m)
		return add(metrics, m, option, events);
	m = event_table_find_group(metrics->table, NULL, name);
	if (!m)
		return no_metric(metrics, name, option);
	for (; m && !ret; m = event_table_find_group(metrics->table, m, name))
		ret = add(metrics, m, option, events);
	return ret;
}

int table_metrics_add(struct table_metrics *metrics, const char *names, const char *option,
		      struct pmcgrp_events *events)
{
	char *copy = strdup(names), *at = copy, *name;
	int ret = copy ? table_open(metrics, option) : cli_say_errno(option, ENOMEM);

	while (!ret && (name = strsep(&at, ","))) {
		if (*name) {
			ret = add_named(metrics, name, option, events);
			continue;
		}
		cli_say("%s: a metric's name is missing in '%s'", option, names);
		ret = EXIT_TOOL;
	}
	free(copy);
	return ret;
}

void table_metrics_free(struct table_metrics *metrics)
{
	while (metrics->nr) {
		metrics->nr--;
		metric_free(metrics->at[metrics->nr].metric);
		free(metrics->at[metrics->nr].counter);
	}
	free(metrics->at);
	event_table_close(metrics->table);
	*metrics = (struct table_metrics){ 0 };
}

/* Of boxes, the sum's row has the counts of all. */
static unsigned int nr_counts(const struct counter_set *set, unsigned int line, unsigned int sum)
{
	unsigned int i, nr = 0;

	for (i = sum; i < set->nr; i++) {
		if (set->counters[i].sum == sum)
			nr += counter_counts(set, line, i)->nr;
	}
	return nr;
}

double table_metric_value(const struct table_metric *m, const struct counter_set *set,
			  unsigned int line, double seconds)
{
	size_t i, nr = metric_nr_ids(m->metric);
	struct metric_value *values = calloc(nr + 1, sizeof(*values));
	const struct counts *counts;
	double value = NAN;
	unsigned int c;

	if (!values)
		return value;
	for (c = 0; c < m->nr_counters; c++) {
		/* Of boxes, the sum stands for all. */
		if (m->counter[c] < 0 || set->counters[c].sum != c)
			continue;
		counts = counter_counts(set, line, c);
		values[m->counter[c]].sources += set->counters[c].nr_boxes;
		values[m->counter[c]].counts += nr_counts(set, line, c);
		values[m->counter[c]].value += counts_counted(counts) ? counts->value.mean : NAN;
	}
	for (i = 0; i < nr; i++) {
		if (!strcmp(metric_id(m->metric, i), DURATION))
			values[i] = (struct metric_value){ seconds, 1, 1 };
		else if (!values[i].sources)
			values[i].value = NAN;
	}
	value = metric_eval(m->metric, values);
	free(values);
	return m->from->scale != 0.0 ? value * m->from->scale : value;
}

bool table_metric_on_line(const struct table_metric *m, const struct counter_set *set,
			  unsigned int line)
{
	unsigned int c;

	for (c = 0; c < m->nr_counters; c++) {
		if (m->counter[c] >= 0 && set->counters[c].sum == c &&
		    !uncore_on_line(set, c, line))
			return false;
	}
	return true;
}

const struct counter *table_metric_first(const struct table_metric *m, const struct counter_set *set)
{
	unsigned int c;

	for (c = 0; c < m->nr_counters; c++) {
		if (m->counter[c] >= 0)
			return &set->counters[c];
	}
	return NULL;
}

const struct table_metric *table_metrics_at(const struct table_metrics *metrics, unsigned int i)
{
	return metrics && i < metrics->nr ? &metrics->at[i] : NULL;
}

const char *table_metric_name(const struct table_metric *m)
{
	return m->from->name;
}

const char *table_metric_unit(const struct table_metric *m)
{
	return m->from->unit ? m->from->unit : "";
}
