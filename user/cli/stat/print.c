// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The table for people. */
#include <math.h>
#include <string.h>

#include "say/digits.h"
#include "say/text.h"
#include "count_report.h"
#include "table_metric.h"

#define VALUE_WIDTH 18
#define NAME_WIDTH 32
#define METRIC_WIDTH 35

/* A run that took next to no time is any number of times 5 % from the mean. */
#define RUN_BAR_MAX 60

/* The text of a report, and what begins each of its lines: the time, told once. */
struct table {
	const struct report *report;
	struct text text;
	size_t unit_width;
	size_t time_len;
	char time[DIGITS_RIGHT_SIZE + 1];
};

static void table_init(struct table *table, FILE *file, const struct report *report)
{
	table->report = report;
	table->unit_width = report_unit_width(report);
	text_init(&table->text, file);
	table->time_len = 0;
	if (!report->interval)
		return;
	table->time_len = digits_right(table->time, 16, report->timestamp, 9, false);
	table->time[table->time_len++] = ' ';
}

static void print_metric(struct text *text, const struct metric *m)
{
	text_string(text, " # ");
	text_fixed(text, m->sign[0] ? 7 : 8, m->value, m->decimals, false);
	text_string(text, m->sign);
	text_char(text, ' ');
	text_string(text, m->unit);
}

#define COMM_WIDTH 16
#define CGROUP_WIDTH 16
#define TID_WIDTH 7

/* perf's widths: of "S0-D0-C0" and the like, and of how many CPUs that are. */
static const struct {
	const char *name;
	size_t width;
	bool counts_cpus;
} columns[] = {
	[AGGR_GLOBAL] = { "", 0, false },
	[AGGR_NONE] = { "CPU", 6, false },
	[AGGR_CORE] = { "core", 18, true },
	[AGGR_SOCKET] = { "socket", 6, true },
	[AGGR_DIE] = { "die", 12, true },
	[AGGR_CLUSTER] = { "cluster", 20, true },
	[AGGR_CACHE] = { "cache", 22, true },
	[AGGR_NODE] = { "node", 6, true },
	[AGGR_THREAD] = { "            comm-pid", COMM_WIDTH + 1 + TID_WIDTH, false },
	[AGGR_CGROUP] = { "", 0, false },
};

void report_columns(struct text *text, const struct report *report)
{
	enum aggr_mode mode = report->set->aggr->mode;

	text_string(text, "#           time ");
	if (mode != AGGR_GLOBAL && mode != AGGR_CGROUP) {
		text_left(text, columns[mode].width, columns[mode].name);
		text_char(text, ' ');
	}
	if (columns[mode].counts_cpus)
		text_string(text, "cpus ");
}

void report_line(struct text *text, const struct report *report, unsigned int line,
		 const struct counter *counter)
{
	const struct aggr *aggr = report->set->aggr;
	char label[AGGR_LABEL_SIZE];

	if (aggr->mode == AGGR_GLOBAL || (aggr->mode == AGGR_CGROUP && counter))
		return;
	if (aggr->mode == AGGR_CGROUP) {
		text_left(text, CGROUP_WIDTH, aggr->lines[line].name);
		text_char(text, ' ');
		return;
	}
	if (aggr->mode == AGGR_THREAD) {
		text_right(text, COMM_WIDTH, aggr->lines[line].comm);
		snprintf(label, sizeof(label), "-%d", aggr->lines[line].id.tid);
		text_left(text, TID_WIDTH + 1, label);
		text_char(text, ' ');
		return;
	}
	aggr_label(aggr, line, label, sizeof(label));
	text_left(text, columns[aggr->mode].width, label);
	text_char(text, ' ');
	if (columns[aggr->mode].counts_cpus) {
		text_whole(text, 4, report_cpus(report, line, counter));
		text_char(text, ' ');
	}
}

static void print_value(struct text *text, const struct report *report,
			const struct report_row *row)
{
	if (counts_counted(row->counts))
		text_fixed(text, VALUE_WIDTH, report_value(row),
			   report_decimals(row->counter), report->big_num);
	else
		text_right(text, VALUE_WIDTH, report_no_value(row));
}

static void print_row(struct table *table, const struct report_row *row)
{
	const struct report *report = table->report;
	const struct counts *c = row->counts;
	struct metric m = metric_of(report, row);
	double error = report->runs > 1 ? stats_error_percent(&c->value) : 0.0;
	bool shared = c->running.mean != c->enabled.mean;
	const char *reason = report_reason(row);
	bool more = !reason && (error != 0.0 || shared);
	const char *cgroup = report_cgroup(report, row->line);
	struct text *text = &table->text;
	size_t at;

	text_bytes(text, table->time, table->time_len);
	report_line(text, report, row->line, row->counter);
	print_value(text, report, row);
	text_char(text, ' ');
	text_left(text, table->unit_width, report_unit(row->counter));
	text_char(text, ' ');
	/* No blanks at the end of a line. */
	text_left(text, m.unit[0] || more || reason || cgroup ? NAME_WIDTH : 0, row->counter->name);
	if (cgroup && (*cgroup || m.unit[0] || more)) {
		text_char(text, ' ');
		text_left(text, m.unit[0] || more ? CGROUP_WIDTH : 0, cgroup);
	}
	at = text_at(text);
	if (reason) {
		text_string(text, " # ");
		text_string(text, reason);
	} else if (m.unit[0]) {
		print_metric(text, &m);
	}
	if (more)
		text_blanks(text, at + METRIC_WIDTH);
	if (more && error != 0.0) {
		text_string(text, "  ( +-");
		text_fixed(text, 6, error, 2, false);
		text_string(text, "% )");
	}
	if (more && shared) {
		text_string(text, "  (");
		text_fixed(text, 0, counts_running_percent(c), 2, false);
		text_string(text, "%)");
	}
	text_char(text, '\n');
}

/* A metric of a table: its value, unit and name, as an event's. */
static void print_table_metric(struct table *table, const struct table_metric *m,
			       unsigned int line)
{
	const struct report *report = table->report;
	struct text *text = &table->text;
	double value = table_metric_value(m, report->set, line, report->elapsed.mean);
	const char *unit = table_metric_unit(m);

	text_bytes(text, table->time, table->time_len);
	report_line(text, report, line, table_metric_first(m, report->set));
	if (isfinite(value))
		text_fixed(text, VALUE_WIDTH, value, 3, report->big_num);
	else
		text_right(text, VALUE_WIDTH, "<not counted>");
	text_char(text, ' ');
	text_left(text, table->unit_width, strlen(unit) <= 4 ? unit : "");
	text_char(text, ' ');
	text_string(text, table_metric_name(m));
	if (strlen(unit) > 4) {
		text_string(text, " (");
		text_string(text, unit);
		text_char(text, ')');
	}
	if (report_cgroup(report, line)) {
		text_char(text, ' ');
		text_string(text, report_cgroup(report, line));
	}
	text_char(text, '\n');
}

static void print_table_metrics(struct table *table)
{
	const struct report *report = table->report;
	const struct table_metric *m;
	unsigned int i, line;

	for (i = 0; (m = table_metrics_at(report->metrics, i)); i++) {
		for (line = 0; line < report->set->nr_lines; line++) {
			if (table_metric_on_line(m, report->set, report->set->aggr->order[line]))
				print_table_metric(table, m, report->set->aggr->order[line]);
		}
	}
}

/* Two digits more than the deviation has certain ones. */
static int elapsed_decimals(double error)
{
	int decimals = error > 0.0 && error < 1.0 ? (int)ceil(-log10(error)) + 2 : 2;

	return error <= 0.0 || decimals > 9 ? 9 : decimals;
}

/* perf's table of runs: how far from the mean, and a # more for each 5 % of it. */
static void print_runs(FILE *file, const struct report *report, int decimals)
{
	double mean = report->elapsed.mean, run, apart;
	int indent = 18 - snprintf(NULL, 0, "%.*f", decimals, mean), bar;
	size_t i;

	if (indent < 1)
		indent = 1;
	fprintf(file, "%*s# Table of individual measurements:\n", indent, "");
	for (i = 0; i < (size_t)report->elapsed.n; i++) {
		run = report->run_times[i];
		apart = run > 0.0 ? 100.0 * fabs(run - mean) / run : 0.0;
		fprintf(file, " %17.*f (%+.*f) #", decimals, run, decimals, run - mean);
		for (bar = (int)fmin(apart, RUN_BAR_MAX * 5.0) / 5; bar; bar--)
			fputc('#', file);
		fputc('\n', file);
	}
	fprintf(file, "\n%*s# Final result:\n", indent, "");
}

static void print_elapsed(FILE *file, const struct report *report)
{
	double error = stats_error(&report->elapsed);
	int decimals = elapsed_decimals(error);

	if (report->elapsed.n == 1) {
		fprintf(file, " %17.9f seconds time elapsed\n\n", report->elapsed.mean);
		return;
	}
	if (report->run_times)
		print_runs(file, report, decimals);
	fprintf(file, " %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n\n", decimals,
		report->elapsed.mean, decimals, error, stats_error_percent(&report->elapsed));
}

void report_title(FILE *file, const struct report *report)
{
	fprintf(file, "\n Counts of %s", report->subject);
	if (report->by)
		fprintf(file, " by %s", report->by);
	if (report->passes > 1)
		fprintf(file, " in %u passes", report->passes);
	if (report->runs > 1)
		fprintf(file, " (%u runs%s)", report->runs, report->passes > 1 ? " of each" : "");
	fputs(":\n\n", file);
}

void report_footer(FILE *file, const struct report *report)
{
	if (!report->null_run)
		fputc('\n', file);
	print_elapsed(file, report);
	if (report->has_times)
		fprintf(file, " %17.9f seconds user\n %17.9f seconds sys\n\n", report->user,
			report->sys);
	if (report->passes > 1)
		fputs(" events of different passes are counted in different runs\n\n", file);
	if (report->exit_matters)
		fputs(" exit(2) of each task is counted, as in time(1); perf leaves it out, as "
		      "--until-exit does\n\n", file);
}

void report_human(FILE *file, const struct report *report)
{
	struct report_row row;
	struct table table;
	size_t n;

	table_init(&table, file, report);
	if (!report->interval) {
		report_title(file, report);
	} else if (report->columns) {
		report_columns(&table.text, report);
		text_right(&table.text, VALUE_WIDTH, "counts");
		text_char(&table.text, ' ');
		text_left(&table.text, table.unit_width, "unit");
		text_string(&table.text, " events\n");
	}
	for (n = 0; report_row(report, n, &row); n++) {
		if (!report_row_hidden(report, &row))
			print_row(&table, &row);
	}
	print_table_metrics(&table);
	text_end(&table.text);
	if (!report->interval)
		report_footer(file, report);
}
