// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* CSV, field for field as perf stat -x. */
#include <math.h>

#include "say/name.h"
#include "say/name_csv.h"
#include "say/text.h"
#include "count_report.h"
#include "table_metric.h"

/* Of a process or thread its number follows. */
static void print_name(struct text *text, const struct aggr *aggr, unsigned int line,
		       const char *sep)
{
	const struct aggr_line *at = &aggr->lines[line];

	name_field(text, at->name, sep);
	text_string(text, sep);
	if (aggr->mode == AGGR_CGROUP || !aggr->numbered)
		return;
	if (at->pid >= 0)
		text_whole(text, 0, (uint64_t)at->pid);
	text_string(text, sep);
}

void report_csv_line(struct text *text, const struct report *report, unsigned int line,
		     const struct counter *counter)
{
	const struct aggr *aggr = report->set->aggr;
	const char *sep = report->separator;
	char label[AGGR_LABEL_SIZE];

	if (report->interval) {
		text_fixed(text, 16, report->timestamp, 9, false);
		text_string(text, sep);
	} else if (report->summary) {
		text_string(text, "summary");
		text_string(text, sep);
	}
	if (aggr->mode == AGGR_GLOBAL || (aggr->mode == AGGR_CGROUP && counter))
		return;
	if (aggr->mode == AGGR_CGROUP || aggr->mode == AGGR_KEY) {
		print_name(text, aggr, line, sep);
		return;
	}
	aggr_label(aggr, line, label, sizeof(label));
	name_field(text, label, sep);
	text_string(text, sep);
	if (!aggr_by_event(aggr)) {
		text_whole(text, 0, report_cpus(report, line, counter));
		text_string(text, sep);
	}
}

static void print_row(struct text *text, const struct report *report,
		      const struct report_row *row)
{
	const struct counter *c = row->counter;
	struct metric m = metric_of(report, row);
	const char *sep = report->separator;

	report_csv_line(text, report, row->line, c);
	if (counts_counted(row->counts))
		text_fixed(text, 0, report_value(row), report_decimals(c), false);
	else
		text_string(text, report_no_value(row));
	text_string(text, sep);
	text_string(text, report_unit(c));
	text_string(text, sep);
	text_string(text, c->name);
	text_string(text, sep);
	if (report_cgroup(report, row->line)) {
		name_field(text, report_cgroup(report, row->line), sep);
		text_string(text, sep);
	}
	if (report->runs > 1) {
		text_fixed(text, 0, stats_error_percent(&row->counts->value), 2, false);
		text_char(text, '%');
		text_string(text, sep);
	}
	text_whole(text, 0, (uint64_t)row->counts->running.mean);
	text_string(text, sep);
	text_fixed(text, 0, counts_running_percent(row->counts), 2, false);
	text_string(text, sep);
	if (m.unit[0])
		text_fixed(text, 0, m.value, m.decimals, false);
	text_string(text, sep);
	text_string(text, m.unit);
	text_char(text, '\n');
}

/* As an event's line in which there is nothing but the metric. */
static void print_table_metric(struct text *text, const struct report *report,
			       const struct table_metric *m, unsigned int line)
{
	double value = table_metric_value(m, report->set, line, report->elapsed.mean);
	const char *sep = report->separator, *unit = table_metric_unit(m);
	int i, empty = report->runs > 1 ? 6 : 5;

	empty += report_cgroup(report, line) != NULL;

	report_csv_line(text, report, line, table_metric_first(m, report->set));
	for (i = 0; i < empty; i++)
		text_string(text, sep);
	if (isfinite(value))
		text_fixed(text, 0, value, 6, false);
	text_string(text, sep);
	text_string(text, unit);
	if (*unit)
		text_string(text, "  ");
	text_string(text, table_metric_name(m));
	text_char(text, '\n');
}

static void print_table_metrics(struct text *text, const struct report *report)
{
	const struct table_metric *m;
	unsigned int i, line;

	for (i = 0; (m = table_metrics_at(report->metrics, i)); i++) {
		for (line = 0; line < report->set->nr_lines; line++) {
			if (table_metric_on_line(m, report->set, report->set->aggr->order[line]))
				print_table_metric(text, report, m,
						   report->set->aggr->order[line]);
		}
	}
}

void report_csv(FILE *file, const struct report *report)
{
	struct report_row row;
	struct text text;
	size_t n;

	text_init(&text, file);
	for (n = 0; report_row(report, n, &row); n++) {
		if (!report_row_hidden(report, &row))
			print_row(&text, report, &row);
	}
	print_table_metrics(&text, report);
	text_end(&text);
}
