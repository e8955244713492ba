// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* CSV, field for field as perf stat -x. */
#include <inttypes.h>

#include "report.h"

static void print_line(FILE *file, const struct report *report, unsigned int line)
{
	const struct aggr *aggr = report->set->aggr;
	const char *sep = report->separator;
	char label[64];

	if (report->interval)
		fprintf(file, "%16.9f%s", report->timestamp, sep);
	if (aggr->mode == AGGR_GLOBAL)
		return;
	aggr_label(aggr, line, label, sizeof(label));
	fprintf(file, "%s%s", label, sep);
	if (aggr->mode != AGGR_NONE)
		fprintf(file, "%u%s", aggr->lines[line].nr_cpus, sep);
}

static void print_row(FILE *file, const struct report *report, const struct report_row *row)
{
	const struct counter *c = row->counter;
	struct metric m = metric_of(report, row);
	const char *sep = report->separator;

	print_line(file, report, row->line);
	if (counts_counted(row->counts))
		fprintf(file, counter_is_clock(c) ? "%.2f" : "%.0f", report_value(row));
	else
		fputs(report_no_value(c), file);
	fprintf(file, "%s%s%s%s", sep, report_unit(c), sep, c->name);
	if (report->runs > 1)
		fprintf(file, "%s%.2f%%", sep, stats_error_percent(&row->counts->value));
	fprintf(file, "%s%" PRIu64 "%s%.2f", sep, (uint64_t)row->counts->running.mean, sep,
		counts_running_percent(row->counts));
	if (m.unit[0])
		fprintf(file, "%s%.*f%s%s\n", sep, m.decimals, m.value, sep, m.unit);
	else
		fprintf(file, "%s%s\n", sep, sep);
}

void report_csv(FILE *file, const struct report *report)
{
	struct report_row row;
	size_t n;

	for (n = 0; report_row(report, n, &row); n++)
		print_row(file, report, &row);
}
