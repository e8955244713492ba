// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What the three ways of printing have in common, and the table for people. */
#include <math.h>
#include <string.h>

#include "report.h"

#define VALUE_WIDTH 18
#define NAME_WIDTH 32
#define METRIC_WIDTH 35

double report_value(const struct counter *counter)
{
	return counter_is_clock(counter) ? counter->value.mean / 1e6 : counter->value.mean;
}

const char *report_unit(const struct counter *counter)
{
	return counter_is_clock(counter) ? "msec" : "";
}

const char *report_no_value(const struct counter *counter)
{
	return counter->supported ? "<not counted>" : "<not supported>";
}

/* Copies the digits of a number with a comma after each thousand. */
static void group_digits(char *out, const char *in)
{
	size_t whole = strcspn(in, ".");

	while (*in && *in != '.') {
		*out++ = *in++;
		whole--;
		if (whole && whole % 3 == 0 && in[-1] != '-')
			*out++ = ',';
	}
	strcpy(out, in);
}

static void print_value(FILE *file, const struct report *report, const struct counter *c)
{
	char digits[400], grouped[600];

	snprintf(digits, sizeof(digits), counter_is_clock(c) ? "%.2f" : "%.0f", report_value(c));
	if (report->big_num)
		group_digits(grouped, digits);
	fprintf(file, "%*s", VALUE_WIDTH, report->big_num ? grouped : digits);
}

static void print_metric(FILE *file, const struct metric *m, int width)
{
	char text[METRIC_WIDTH * 2];

	snprintf(text, sizeof(text), " # %*.*f%s %s", m->sign[0] ? 7 : 8, m->decimals, m->value,
		 m->sign, m->unit);
	fprintf(file, "%-*s", width, text);
}

static void print_counter(FILE *file, const struct report *report, const struct counter *c)
{
	struct metric m = metric_of(report, c);
	double error = stats_error_percent(&c->value);
	bool shared = c->running.mean != c->enabled.mean;
	bool more = (report->runs > 1 && error != 0.0) || shared;

	if (counter_counted(c))
		print_value(file, report, c);
	else
		fprintf(file, "%*s", VALUE_WIDTH, report_no_value(c));
	/* No blanks at the end of a line. */
	fprintf(file, " %-4s %-*s", report_unit(c), m.unit[0] || more ? NAME_WIDTH : 0, c->name);
	if (m.unit[0])
		print_metric(file, &m, more ? METRIC_WIDTH : 0);
	else if (more)
		fprintf(file, "%*s", METRIC_WIDTH, "");
	if (report->runs > 1 && error != 0.0)
		fprintf(file, "  ( +-%6.2f%% )", error);
	if (shared)
		fprintf(file, "  (%.2f%%)", counter_running_percent(c));
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

void report_human(FILE *file, const struct report *report)
{
	unsigned int i;

	fprintf(file, "\n Counts of %s", report->subject);
	if (report->runs > 1)
		fprintf(file, " (%u runs)", report->runs);
	fputs(":\n\n", file);
	for (i = 0; i < report->set->nr; i++)
		print_counter(file, report, &report->set->counters[i]);
	fputc('\n', file);
	print_elapsed(file, report);
	if (report->has_times)
		fprintf(file, " %17.9f seconds user\n %17.9f seconds sys\n\n", report->user,
			report->sys);
}
