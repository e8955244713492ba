// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* CSV, field for field as perf stat -x. */
#include <inttypes.h>

#include "report.h"

static void print_counter(FILE *file, const struct report *report, const struct counter *c)
{
	struct metric m = metric_of(report, c);
	const char *sep = report->separator;

	if (counter_counted(c))
		fprintf(file, counter_is_clock(c) ? "%.2f" : "%.0f", report_value(c));
	else
		fputs(report_no_value(c), file);
	fprintf(file, "%s%s%s%s", sep, report_unit(c), sep, c->name);
	if (report->runs > 1)
		fprintf(file, "%s%.2f%%", sep, stats_error_percent(&c->value));
	fprintf(file, "%s%" PRIu64 "%s%.2f", sep, (uint64_t)c->running.mean, sep,
		counter_running_percent(c));
	if (m.unit[0])
		fprintf(file, "%s%.*f%s%s\n", sep, m.decimals, m.value, sep, m.unit);
	else
		fprintf(file, "%s%s\n", sep, sep);
}

void report_csv(FILE *file, const struct report *report)
{
	unsigned int i;

	for (i = 0; i < report->set->nr; i++)
		print_counter(file, report, &report->set->counters[i]);
}
