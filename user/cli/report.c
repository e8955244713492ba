// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What the three ways of printing have in common, and the table for people. */
#include <math.h>
#include <string.h>

#include "digits.h"
#include "report.h"

#define VALUE_WIDTH 18
#define NAME_WIDTH 32
#define METRIC_WIDTH 35

bool report_row(const struct report *report, size_t n, struct report_row *row)
{
	const struct counter_set *set = report->set;
	size_t line, index;

	if (n >= (size_t)set->nr * set->nr_lines)
		return false;
	if (set->aggr->mode == AGGR_NONE) {
		line = n % set->nr_lines;
		index = n / set->nr_lines;
	} else {
		line = n / set->nr;
		index = n % set->nr;
	}
	row->line = set->aggr->order[line];
	row->index = (unsigned int)index;
	row->counter = &set->counters[index];
	row->counts = counter_counts(set, row->line, row->index);
	return true;
}

double report_value(const struct report_row *row)
{
	double value = row->counts->value.mean;

	return counter_is_clock(row->counter) ? value / 1e6 : value;
}

const char *report_unit(const struct counter *counter)
{
	return counter_is_clock(counter) ? "msec" : "";
}

const char *report_no_value(const struct counter *counter)
{
	return counter->supported ? "<not counted>" : "<not supported>";
}

const char *report_reason(const struct report_row *row)
{
	return row->counter->supported && !counts_counted(row->counts) ? row->counts->reason : NULL;
}

static void print_value(FILE *file, const struct report *report, const struct report_row *row)
{
	char digits[400], grouped[600];

	snprintf(digits, sizeof(digits), counter_is_clock(row->counter) ? "%.2f" : "%.0f",
		 report_value(row));
	if (report->big_num)
		digits_group(grouped, digits);
	fprintf(file, "%*s", VALUE_WIDTH, report->big_num ? grouped : digits);
}

static void print_metric(FILE *file, const struct metric *m, int width)
{
	char text[METRIC_WIDTH * 2];

	snprintf(text, sizeof(text), " # %*.*f%s %s", m->sign[0] ? 7 : 8, m->decimals, m->value,
		 m->sign, m->unit);
	fprintf(file, "%-*s", width, text);
}

/* perf's widths: of "S0-D0-C0" and the like, and of how many CPUs that are. */
static const struct {
	const char *name;
	int width;
	bool counts_cpus;
} columns[] = {
	[AGGR_GLOBAL] = { "", 0, false },
	[AGGR_NONE] = { "CPU", 6, false },
	[AGGR_CORE] = { "core", 18, true },
	[AGGR_SOCKET] = { "socket", 6, true },
};

static void print_columns(FILE *file, enum aggr_mode mode)
{
	fputs("#           time ", file);
	if (mode != AGGR_GLOBAL)
		fprintf(file, "%-*s ", columns[mode].width, columns[mode].name);
	if (columns[mode].counts_cpus)
		fputs("cpus ", file);
	fprintf(file, "%*s unit events\n", VALUE_WIDTH, "counts");
}

static void print_line(FILE *file, const struct report *report, unsigned int line)
{
	const struct aggr *aggr = report->set->aggr;
	char label[64];

	if (report->interval)
		fprintf(file, "%16.9f ", report->timestamp);
	if (aggr->mode == AGGR_GLOBAL)
		return;
	aggr_label(aggr, line, label, sizeof(label));
	fprintf(file, "%-*s ", columns[aggr->mode].width, label);
	if (columns[aggr->mode].counts_cpus)
		fprintf(file, "%4u ", aggr->lines[line].nr_cpus);
}

static void print_row(FILE *file, const struct report *report, const struct report_row *row)
{
	const struct counts *c = row->counts;
	struct metric m = metric_of(report, row);
	double error = stats_error_percent(&c->value);
	bool shared = c->running.mean != c->enabled.mean;
	const char *reason = report_reason(row);
	bool more = !reason && ((report->runs > 1 && error != 0.0) || shared);

	print_line(file, report, row->line);
	if (counts_counted(c))
		print_value(file, report, row);
	else
		fprintf(file, "%*s", VALUE_WIDTH, report_no_value(row->counter));
	/* No blanks at the end of a line. */
	fprintf(file, " %-4s %-*s", report_unit(row->counter), m.unit[0] || more || reason ? NAME_WIDTH : 0,
		row->counter->name);
	if (reason)
		fprintf(file, " # %s", reason);
	else if (m.unit[0])
		print_metric(file, &m, more ? METRIC_WIDTH : 0);
	else if (more)
		fprintf(file, "%*s", METRIC_WIDTH, "");
	if (more && report->runs > 1 && error != 0.0)
		fprintf(file, "  ( +-%6.2f%% )", error);
	if (more && shared)
		fprintf(file, "  (%.2f%%)", counts_running_percent(c));
	fputc('\n', file);
}

/* Two digits more than the deviation has certain ones. */
static int elapsed_decimals(double error)
{
	int decimals = error > 0.0 && error < 1.0 ? (int)ceil(-log10(error)) + 2 : 2;

	return error <= 0.0 || decimals > 9 ? 9 : decimals;
}

static void print_elapsed(FILE *file, const struct report *report)
{
	double error = stats_error(&report->elapsed);
	int decimals = elapsed_decimals(error);

	if (report->runs == 1) {
		fprintf(file, " %17.9f seconds time elapsed\n\n", report->elapsed.mean);
		return;
	}
	fprintf(file, " %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n\n", decimals,
		report->elapsed.mean, decimals, error, stats_error_percent(&report->elapsed));
}

static void print_title(FILE *file, const struct report *report)
{
	fprintf(file, "\n Counts of %s", report->subject);
	if (report->runs > 1)
		fprintf(file, " (%u runs)", report->runs);
	fputs(":\n\n", file);
}

void report_human(FILE *file, const struct report *report)
{
	struct report_row row;
	size_t n;

	if (!report->interval)
		print_title(file, report);
	else if (report->columns)
		print_columns(file, report->set->aggr->mode);
	for (n = 0; report_row(report, n, &row); n++)
		print_row(file, report, &row);
	if (report->interval)
		return;
	fputc('\n', file);
	print_elapsed(file, report);
	if (report->has_times)
		fprintf(file, " %17.9f seconds user\n %17.9f seconds sys\n\n", report->user,
			report->sys);
}
