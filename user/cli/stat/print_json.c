// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* JSON, one object a line, with the keys of perf stat -j. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <jansson.h>

#include "count_report.h"
#include "table_metric.h"

/* Enough for every digit that means something, too few to show 0.1 as 0.1000...01. */
#define DIGITS 15

static double hundredths(double value)
{
	return round(value * 100.0) / 100.0;
}

/* What a line of --by begins with. */
static int json_key(json_t *object, const struct aggr *aggr, const struct aggr_line *line)
{
	int ret = json_object_set_new(object, line->special ? "row" : aggr->what,
				      json_string(line->name));

	if (line->pid >= 0)
		ret |= json_object_set_new(object, "pid", json_integer(line->pid));
	return ret | json_object_set_new(object, "stays", json_integer((json_int_t)line->stays));
}

/* The keys with which perf begins a line: the interval, the line's CPUs. */
int report_json_line(json_t *object, const struct report *report, unsigned int line,
		     const struct counter *counter)
{
	static const char *const keys[] = {
		[AGGR_NONE] = "cpu",	     [AGGR_CORE] = "core",   [AGGR_SOCKET] = "socket",
		[AGGR_DIE] = "die",	     [AGGR_CACHE] = "cache", [AGGR_NODE] = "node",
		[AGGR_CLUSTER] = "cluster",  [AGGR_THREAD] = "thread", [AGGR_KEY] = NULL,
	};
	const struct aggr *aggr = report->set->aggr;
	char label[AGGR_LABEL_SIZE];
	int ret = 0;

	if (report->interval)
		ret |= json_object_set_new(object, "interval", json_real(report->timestamp));
	aggr_label(aggr, line, label, sizeof(label));
	if (aggr->mode == AGGR_KEY)
		return ret | json_key(object, aggr, &aggr->lines[line]);
	if (aggr->mode == AGGR_CGROUP && !counter)
		ret |= json_object_set_new(object, "cgroup", json_string(aggr->lines[line].name));
	if (aggr->mode == AGGR_CGROUP || !keys[aggr->mode])
		return ret;
	/* "CPU0" is "0" here. */
	ret |= json_object_set_new(object, keys[aggr->mode],
				   json_string(label + (aggr->mode == AGGR_NONE ? 3 : 0)));
	if (!aggr_by_event(aggr))
		ret |= json_object_set_new(object, "aggregate-number",
					   json_integer(report_cpus(report, line, counter)));
	return ret;
}

static int add_counts(json_t *object, const struct report *report, const struct report_row *row)
{
	struct metric m = metric_of(report, row);
	const struct counts *c = row->counts;
	char value[400];
	int ret = 0;

	snprintf(value, sizeof(value), "%f", report_value(row));
	ret |= json_object_set_new(object, "counter-value",
				   json_string(counts_counted(c) ? value :
					       report_no_value(row)));
	ret |= json_object_set_new(object, "unit", json_string(report_unit(row->counter)));
	ret |= json_object_set_new(object, "event", json_string(row->counter->name));
	if (report_cgroup(report, row->line))
		ret |= json_object_set_new(object, "cgroup",
					   json_string(report_cgroup(report, row->line)));
	if (report->runs > 1)
		ret |= json_object_set_new(object, "variance",
					   json_real(hundredths(stats_error_percent(&c->value))));
	ret |= json_object_set_new(object, "event-runtime", json_integer(c->running.mean));
	ret |= json_object_set_new(object, "pcnt-running",
				   json_real(hundredths(counts_running_percent(c))));
	ret |= json_object_set_new(object, "metric-value", json_real(m.value));
	ret |= json_object_set_new(object, "metric-unit", json_string(m.unit));
	/* Last: who reads perf's keys by their place finds them. */
	if (report->passes > 1)
		ret |= json_object_set_new(object, "pass",
					   json_integer(report->set->groups[row->counter->group].pass + 1));
	if (report_reason(row))
		ret |= json_object_set_new(object, "not-counted-reason",
					   json_string(report_reason(row)));
	return ret;
}

static int print_row(FILE *file, const struct report *report, const struct report_row *row)
{
	json_t *object = json_object();
	int ret;

	if (!object)
		return -ENOMEM;
	ret = report_json_line(object, report, row->line, row->counter);
	ret |= add_counts(object, report, row);
	if (!ret && !json_dumpf(object, file, JSON_REAL_PRECISION(DIGITS)))
		fputc('\n', file);
	else
		ret = -ENOMEM;
	json_decref(object);
	return ret;
}

static int print_table_metric(FILE *file, const struct report *report,
			      const struct table_metric *m, unsigned int line)
{
	double value = table_metric_value(m, report->set, line, report->elapsed.mean);
	json_t *object = json_object();
	int ret;

	if (!object)
		return -ENOMEM;
	ret = report_json_line(object, report, line, table_metric_first(m, report->set));
	ret |= json_object_set_new(object, "metric", json_string(table_metric_name(m)));
	if (report_cgroup(report, line))
		ret |= json_object_set_new(object, "cgroup",
					   json_string(report_cgroup(report, line)));
	ret |= json_object_set_new(object, "metric-value",
				   isfinite(value) ? json_real(value) : json_null());
	ret |= json_object_set_new(object, "metric-unit", json_string(table_metric_unit(m)));
	if (!ret && !json_dumpf(object, file, JSON_REAL_PRECISION(DIGITS)))
		fputc('\n', file);
	else
		ret = -ENOMEM;
	json_decref(object);
	return ret;
}

static int print_table_metrics(FILE *file, const struct report *report)
{
	const struct table_metric *m;
	unsigned int i, line;
	int ret = 0;

	for (i = 0; (m = table_metrics_at(report->metrics, i)); i++) {
		for (line = 0; line < report->set->nr_lines && !ret; line++) {
			if (table_metric_on_line(m, report->set, report->set->aggr->order[line]))
				ret = print_table_metric(file, report, m,
							 report->set->aggr->order[line]);
		}
	}
	return ret;
}

int report_json(FILE *file, const struct report *report)
{
	struct report_row row;
	size_t n;
	int ret;

	for (n = 0; report_row(report, n, &row); n++) {
		ret = report_row_hidden(report, &row) ? 0 : print_row(file, report, &row);
		if (ret < 0)
			return ret;
	}
	return print_table_metrics(file, report);
}
