// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The tables of calls. */
#include <inttypes.h>
#include <math.h>

#include "calls.h"
#include "say/digits.h"

#define WIDTH 17

struct rep_call_numbers rep_call_numbers(struct rep_call_sums *sums)
{
	return (struct rep_call_numbers){
		.total = sums->total,
		.mean = sums->sketch.nr ? sums->total / (double)sums->sketch.nr : NAN,
		.min = rep_sketch_percentile(&sums->sketch, 0.0),
		.p50 = rep_sketch_percentile(&sums->sketch, 50.0),
		.p99 = rep_sketch_percentile(&sums->sketch, 99.0),
		.max = rep_sketch_percentile(&sums->sketch, 100.0),
		.error = rep_sketch_error(&sums->sketch),
	};
}

static void number(FILE *file, double value, int decimals)
{
	char text[DIGITS_RIGHT_SIZE];

	if (isnan(value)) {
		fprintf(file, " %*s", WIDTH, "-");
		return;
	}
	digits_right(text, WIDTH, value, decimals, true);
	fprintf(file, " %s", text);
}

static void numbers(FILE *file, struct rep_call_sums *sums, const char *name)
{
	struct rep_call_numbers n = rep_call_numbers(sums);

	number(file, n.total, 0);
	number(file, n.mean, 1);
	number(file, n.min, 0);
	number(file, n.p50, 0);
	number(file, n.p99, 0);
	number(file, n.max, 0);
	fprintf(file, "  %s\n", name);
}

static void row(FILE *file, const struct rep_data *data, struct rep_calls *row)
{
	const struct rep_pair *pair = &data->between.pairs->rows[row->pair];
	unsigned int i;

	fprintf(file, " Between %s and %s, %" PRIu64 " call%s", data->events[pair->entry].name,
		data->events[pair->ret].name, row->returned, row->returned == 1 ? "" : "s");
	if (row->without_return)
		fprintf(file, "; without a return %" PRIu64, row->without_return);
	if (row->without_entry)
		fprintf(file, "; without an entry %" PRIu64, row->without_entry);
	fprintf(file, ":\n\n %*s %*s %*s %*s %*s %*s  EVENT\n", WIDTH, "TOTAL", WIDTH, "MEAN", WIDTH,
		"MIN", WIDTH, "P50", WIDTH, "P99", WIDTH, "MAX");
	numbers(file, &row->time, "time (ns)");
	for (i = 0; i < row->nr; i++)
		numbers(file, &row->counts[i], data->events[row->events[i]].name);
	fputc('\n', file);
}

void rep_between_table(FILE *file, const struct rep_data *data)
{
	size_t i;

	for (i = 0; i < data->between.nr; i++)
		row(file, data, &data->between.rows[i]);
}
