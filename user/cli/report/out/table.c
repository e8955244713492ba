// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The summary for people. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "calls.h"
#include "say/digits.h"
#include "print.h"
#include "sums.h"

#define COUNT_WIDTH 13
#define TOTAL_WIDTH 19
#define RATE_WIDTH 15
#define PERCENTILE_WIDTH 14
#define THREADS_MAX 10	/* JSON has them all */

static void print_count(FILE *file, uint64_t value, int width)
{
	char digits[32], grouped[48];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	digits_group(grouped, digits);
	fprintf(file, " %*s", width, grouped);
}

static void print_number(FILE *file, double value, int decimals, int width)
{
	char number[DIGITS_RIGHT_SIZE];

	if (isnan(value)) {
		fprintf(file, " %*s", width, "-");
		return;
	}
	digits_right(number, (size_t)width, value, decimals, true);
	fprintf(file, " %s", number);
}

static void print_seconds(FILE *file, uint64_t ns)
{
	fprintf(file, "%" PRIu64 ".%06" PRIu64, ns / 1000000000, ns % 1000000000 / 1000);
}

static const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

static void print_many(FILE *file, uint64_t nr, const char *what)
{
	print_count(file, nr, 0);
	fprintf(file, " %s%s", what, plural(nr));
}

static void print_title(FILE *file, const struct rep_data *data, const char *path)
{
	fprintf(file, "\n Recording %s:", path);
	print_many(file, data->samples, "sample");
	if (data->samples) {
		fputs(" in ", file);
		print_seconds(file, data->last - data->first);
		fputs(" s (", file);
		print_seconds(file, data->first);
		fputs(" to ", file);
		print_seconds(file, data->last);
		fputc(')', file);
	}
	if (data->cpus.nr) {
		fputs(" on", file);
		print_many(file, data->cpus.nr, "CPU");
	}
	if (data->threads.nr) {
		fputs(", of", file);
		print_many(file, data->threads.nr, "thread");
	}
	fputs("\n\n", file);
}

/* ---- Who caused them ---- */

static void print_losses(FILE *file, uint64_t samples, uint64_t lost, uint64_t missed,
			 uint64_t throttles, uint64_t throttled)
{
	print_count(file, samples, COUNT_WIDTH);
	print_count(file, lost, COUNT_WIDTH);
	print_count(file, missed, COUNT_WIDTH);
	print_count(file, throttles, COUNT_WIDTH);
	fprintf(file, " %*.3f ms", COUNT_WIDTH, (double)throttled / 1e6);
}

static void print_triggers(FILE *file, const struct rep_data *data)
{
	uint64_t lost = data->lost, missed = data->missed, throttles = data->throttles,
		 throttled = data->throttled;
	unsigned int i;

	fprintf(file, " %*s %*s %*s %*s %*s  TRIGGER\n", COUNT_WIDTH, "SAMPLES", COUNT_WIDTH, "LOST",
		COUNT_WIDTH, "MISSED", COUNT_WIDTH, "THROTTLED", COUNT_WIDTH + 3, "FOR");
	for (i = 0; i < data->nr_events; i++) {
		const struct rep_event *event = &data->events[i];

		if (!rep_is_trigger(event))
			continue;
		print_losses(file, event->samples, event->lost, event->missed, event->throttles,
			     event->throttled);
		fprintf(file, "  %s\n", event->name);
		lost -= event->lost;
		missed -= event->missed;
		throttles -= event->throttles;
		throttled -= event->throttled;
	}
	if (data->switches) {
		print_losses(file, data->switches, 0, 0, 0, 0);
		fputs("  switch (from one thread to another)\n", file);
	}
	if (lost || missed || throttles) {
		print_losses(file, 0, lost, missed, throttles, throttled);
		fputs("  (not said of which)\n", file);
	}
	fputc('\n', file);
}

static void print_places(FILE *file, const struct rep_data *data)
{
	size_t i, nr = data->threads.nr < THREADS_MAX ? data->threads.nr : THREADS_MAX;

	if (data->cpus.nr) {
		fprintf(file, " %*s  CPU\n", COUNT_WIDTH, "SAMPLES");
		for (i = 0; i < data->cpus.nr; i++) {
			print_count(file, data->cpus.rows[i].samples, COUNT_WIDTH);
			fprintf(file, "  %u\n", data->cpus.rows[i].cpu);
		}
		fputc('\n', file);
	}
	if (!nr)
		return;
	fprintf(file, " %*s  THREAD\n", COUNT_WIDTH, "SAMPLES");
	for (i = 0; i < nr; i++) {
		const struct rep_tally *row = &data->threads.rows[i];

		print_count(file, row->samples, COUNT_WIDTH);
		fprintf(file, "  %d %s\n", (int)row->tid, row->comm);
	}
	if (nr < data->threads.nr)
		fprintf(file, " %*s  and %zu more (-j lists them)\n", COUNT_WIDTH, "",
			data->threads.nr - nr);
	fputc('\n', file);
}

/* ---- What they counted ---- */

static void print_rate(FILE *file, double rate)
{
	char text[DIGITS_RATE_SIZE] = "-";

	if (!isnan(rate))
		digits_rate(text, rate);
	fprintf(file, " %*s", RATE_WIDTH, text);
}

static void print_row(FILE *file, const struct rep_row *row, bool ratio)
{
	int decimals = ratio ? 3 : 0;

	print_number(file, row->total, decimals, TOTAL_WIDTH);
	if (ratio)
		fprintf(file, " %*s", RATE_WIDTH, "");
	else
		print_rate(file, row->rate);
	print_number(file, row->min, decimals, PERCENTILE_WIDTH);
	print_number(file, row->p50, decimals, PERCENTILE_WIDTH);
	print_number(file, row->p90, decimals, PERCENTILE_WIDTH);
	print_number(file, row->p99, decimals, PERCENTILE_WIDTH);
	print_number(file, row->max, decimals, PERCENTILE_WIDTH);
	if (isnan(row->running))
		fprintf(file, " %8s", "-");
	else
		fprintf(file, " %7.2f%%", row->running);
	fprintf(file, "  %s", row->name);
	if (*row->unit)
		fprintf(file, " (%s)", row->unit);
	fputc('\n', file);
}

static void print_columns(FILE *file, const char *total, const char *rate, const char *what)
{
	static const char * const names[] = { "MIN", "P50", "P90", "P99", "MAX" };
	size_t i;

	fprintf(file, " %*s %*s", TOTAL_WIDTH, total, RATE_WIDTH, rate);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(file, " %*s", PERCENTILE_WIDTH, names[i]);
	fprintf(file, " %8s  %s\n", "RUNNING", what);
}

static void print_counts(FILE *file, const struct rep_summary *summary)
{
	const struct rep_data *data = summary->data;
	size_t i;

	if (!summary->nr_members) {
		fputs(" No counts: its samples were not taken of a group (PERF_SAMPLE_READ); record "
		      "with \"pmcgrp record\" or \"perf record -e '{...}:S'\".\n\n", file);
		return;
	}
	fputs(" Counts from one sample to the next,", file);
	print_many(file, data->nr_intervals, "interval");
	fputs(":\n\n", file);
	print_columns(file, "TOTAL", "RATE", "EVENT");
	for (i = 0; i < summary->nr_members; i++)
		print_row(file, &summary->members[i], false);
	fputc('\n', file);
	if (!summary->nr_ratios)
		return;
	print_columns(file, "OF THE TOTALS", "", "RATIO");
	for (i = 0; i < summary->nr_ratios; i++)
		print_row(file, &summary->ratios[i], true);
	fputc('\n', file);
}

/* Of the members' and ratios', the greatest. */
static double error_of(const struct rep_summary *summary)
{
	double error = 0.0;
	size_t i;

	for (i = 0; i < summary->nr_members; i++)
		error = fmax(error, summary->members[i].error);
	for (i = 0; i < summary->nr_ratios; i++)
		error = fmax(error, summary->ratios[i].error);
	return error;
}

static void print_note(const char *sentence, void *file)
{
	fprintf(file, " %s.\n", sentence);
}

/* What the numbers do not have in them. */
static void print_notes(FILE *file, const struct rep_summary *summary)
{
	const struct rep_data *data = summary->data;
	double error = error_of(summary);

	if (error > 0.0)
		fprintf(file, " P50, P90 and P99 are of too many intervals to keep: off by %.1f%% at "
			"most.\n", 100.0 * error);
	if (data->reader->cut)
		fputs(" The recorder did not complete the file: it is read up to its last whole "
		      "record.\n", file);
	if (data->rest)
		fprintf(file, " %" PRIu64 " byte%s at the end %s no whole record.\n", data->rest,
			plural(data->rest), data->rest == 1 ? "is" : "are");
	if (data->unreadable)
		fprintf(file, " %" PRIu64 " record%s not as the events say, and left out.\n",
			data->unreadable, data->unreadable == 1 ? " is" : "s are");
	if (data->compact)
		fprintf(file, " %" PRIu64 " compact record%s left out: they do not say of which CPU they "
			"are.\n", data->compact, data->compact == 1 ? " is" : "s are");
	if (data->backwards)
		fprintf(file, " %" PRIu64 " interval%s left out: counts were smaller at the end (the "
			"group was reset).\n", data->backwards, data->backwards == 1 ? " is" : "s are");
	if (data->without_counts && data->nr_streams)
		fprintf(file, " %" PRIu64 " sample%s no counts of these events.\n",
			data->without_counts, data->without_counts == 1 ? " has" : "s have");
	rep_objects_say(&data->code, print_note, file);
	if (data->code.without)
		fprintf(file, " %" PRIu64 " sample%s no address: \"pmcgrp record\" stores them if it has "
			"CAP_SYSLOG.\n", data->code.without, data->code.without == 1 ? " has" : "s have");
	rep_chains_say(&data->chains, print_note, file);
}

void rep_table(FILE *file, const struct rep_summary *summary, const char *path)
{
	print_title(file, summary->data, path);
	print_triggers(file, summary->data);
	print_places(file, summary->data);
	rep_sums_table(file, summary);
	print_counts(file, summary);
	rep_between_table(file, summary->data);
	print_notes(file, summary);
}
