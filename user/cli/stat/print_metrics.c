// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * perf stat --metric-only: a column for each event that has a metric, and no counts. Rates and
 * CPUs utilized are no metrics here, as with perf. Metrics of -M follow; what their events alone
 * would say is left out.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "count_report.h"
#include "table_metric.h"

#define WIDTH 20

struct column {
	const struct table_metric *metric;	/* of -M; or NULL: an event's */
	unsigned int index;			/* of the counter */
	char name[160];
};

struct metrics {
	const struct report *report;
	enum report_format format;
	struct column *columns;
	unsigned int nr;
};

static bool shown(const struct metric *m)
{
	return m->unit[0] && !strstr(m->unit, "/sec") && strcmp(m->unit, "CPUs utilized");
}

static struct metric metric_at(const struct report *report, unsigned int line, unsigned int index)
{
	struct report_row row = {
		.line = line,
		.index = index,
		.counter = &report->set->counters[index],
		.counts = counter_counts(report->set, line, index),
	};

	return metric_of(report, &row);
}

/* A column for the event if it has a metric on any line. */
static void column_add(struct metrics *metrics, unsigned int index)
{
	const struct counter_set *set = metrics->report->set;
	struct column *column = &metrics->columns[metrics->nr];
	unsigned int line;
	bool part;

	for (line = 0; line < set->nr_lines; line++) {
		struct metric m = metric_at(metrics->report, line, index);

		if (!shown(&m))
			continue;
		/* "of all branches" alone does not say what. */
		part = !strncmp(m.unit, "of all", 6);
		snprintf(column->name, sizeof(column->name), "%s%s%s",
			 part ? set->counters[index].name : "", part ? " " : "", m.unit);
		column->index = index;
		metrics->nr++;
		return;
	}
}

/* As perf's: the unit comes first. */
static void column_add_metric(struct metrics *metrics, const struct table_metric *m)
{
	struct column *column = &metrics->columns[metrics->nr++];
	const char *unit = table_metric_unit(m);

	column->metric = m;
	snprintf(column->name, sizeof(column->name), "%s%s%s", unit, *unit ? "  " : "",
		 table_metric_name(m));
}

/* "" where it has no value. */
static void value_text(char *string, size_t size, const struct metrics *metrics,
		       const struct column *column, unsigned int line)
{
	const struct report *report = metrics->report;
	bool table = metrics->format == REPORT_TABLE;
	struct metric m;
	double value;

	string[0] = '\0';
	if (column->metric) {
		value = table_metric_value(column->metric, report->set, line, report->elapsed.mean);
		if (isfinite(value))
			snprintf(string, size, "%.*f", table ? 3 : 6, value);
		return;
	}
	m = metric_at(report, line, column->index);
	if (shown(&m))
		snprintf(string, size, "%.*f%s", m.decimals, m.value, table ? m.sign : "");
}

/* ---- The table and CSV ---- */

static void print_cell(struct text *text, const struct metrics *metrics,
		       const struct column *column, const char *string)
{
	size_t width = strlen(column->name) > WIDTH ? strlen(column->name) : WIDTH;

	if (metrics->format == REPORT_CSV) {
		text_string(text, string);
		text_string(text, metrics->report->separator);
	} else {
		text_char(text, ' ');
		text_right(text, width, string);
	}
}

/* perf's names of what begins a line of CSV; but it forgets the CPUs of a node. */
static void print_csv_begin(struct text *text, const struct report *report)
{
	static const char *const names[] = {
		[AGGR_GLOBAL] = "",
		[AGGR_NONE] = "cpu,",
		[AGGR_CORE] = "core,cpus,",
		[AGGR_SOCKET] = "socket,cpus,",
		[AGGR_DIE] = "die,cpus,",
		[AGGR_CLUSTER] = "cluster,cpus,",
		[AGGR_CACHE] = "cache,cpus,",
		[AGGR_NODE] = "node,cpus,",
		[AGGR_THREAD] = "comm-pid,",
		[AGGR_CGROUP] = "cgroup,",
	};
	const char *at;

	if (report->interval) {
		text_string(text, "time");
		text_string(text, report->separator);
	}
	for (at = names[report->set->aggr->mode]; *at; at++) {
		if (*at == ',')
			text_string(text, report->separator);
		else
			text_char(text, *at);
	}
}

static void print_names(struct text *text, const struct metrics *metrics)
{
	const struct report *report = metrics->report;
	struct text begin = { 0 };
	unsigned int i;

	if (metrics->format == REPORT_CSV) {
		print_csv_begin(text, report);
	} else {
		if (report->interval)
			report_columns(text, report);
	}
	if (metrics->format != REPORT_CSV && (!report->interval || report_cgroup(report, 0))) {
		/* As wide as what begins the lines. */
		report_line(&begin, report, 0, NULL);
		text_blanks(text, text_at(&begin));
	}
	for (i = 0; i < metrics->nr; i++)
		print_cell(text, metrics, &metrics->columns[i], metrics->columns[i].name);
	text_char(text, '\n');
}

static void print_values(struct text *text, const struct metrics *metrics, unsigned int line)
{
	const struct report *report = metrics->report;
	bool csv = metrics->format == REPORT_CSV;
	char string[400];
	unsigned int i;

	if (!csv && report->interval) {
		text_fixed(text, 16, report->timestamp, 9, false);
		text_char(text, ' ');
	}
	if (csv)
		report_csv_line(text, report, line, NULL);
	else
		report_line(text, report, line, NULL);
	for (i = 0; i < metrics->nr; i++) {
		value_text(string, sizeof(string), metrics, &metrics->columns[i], line);
		print_cell(text, metrics, &metrics->columns[i], string);
	}
	text_char(text, '\n');
}

static void print_text(FILE *file, const struct metrics *metrics)
{
	const struct report *report = metrics->report;
	bool table = metrics->format == REPORT_TABLE;
	unsigned int line;
	struct text text;

	text_init(&text, file);
	if (table && !report->interval)
		report_title(file, report);
	if (metrics->nr && (!report->interval || report->columns))
		print_names(&text, metrics);
	for (line = 0; line < report->set->nr_lines && metrics->nr; line++)
		print_values(&text, metrics, report->set->aggr->order[line]);
	if (!metrics->nr && table)
		text_string(&text, " # no metric follows from these events\n");
	text_end(&text);
	if (table && !report->interval)
		report_footer(file, report);
}

/* ---- JSON ---- */

/* An object for the line. perf's values are strings; "none" says that there is no metric. */
static int print_object(FILE *file, const struct metrics *metrics, unsigned int line)
{
	json_t *object = json_object();
	char string[400];
	unsigned int i;
	int ret;

	if (!object)
		return -ENOMEM;
	ret = report_json_line(object, metrics->report, line, NULL);
	for (i = 0; i < metrics->nr; i++) {
		value_text(string, sizeof(string), metrics, &metrics->columns[i], line);
		ret |= json_object_set_new(object, metrics->columns[i].name, json_string(string));
	}
	if (!metrics->nr)
		ret |= json_object_set_new(object, "metric-value", json_string("none"));
	ret |= json_dumpf(object, file, JSON_REAL_PRECISION(15));
	fputc('\n', file);
	json_decref(object);
	return ret ? -ENOMEM : 0;
}

static int print_json(FILE *file, const struct metrics *metrics)
{
	const struct report *report = metrics->report;
	unsigned int line;
	int ret = 0;

	for (line = 0; line < report->set->nr_lines && !ret; line++)
		ret = print_object(file, metrics, report->set->aggr->order[line]);
	return ret;
}

int report_metrics(FILE *file, const struct report *report, enum report_format format)
{
	struct metrics metrics = { .report = report, .format = format };
	const struct table_metrics *more = report->metrics;
	const struct table_metric *m;
	unsigned int i, nr = report->set->nr;
	int ret = 0;

	if (more && more->nr)
		nr = more->first;
	metrics.columns = calloc(nr + (more ? more->nr : 0) + 1UL, sizeof(*metrics.columns));
	if (!metrics.columns)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		column_add(&metrics, i);
	for (i = 0; (m = table_metrics_at(more, i)); i++)
		column_add_metric(&metrics, m);
	if (format == REPORT_JSON)
		ret = print_json(file, &metrics);
	else
		print_text(file, &metrics);
	free(metrics.columns);
	return ret;
}
