// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The table of regions, for people. */
#include <inttypes.h>
#include <string.h>

#include "regions/set.h"

#define NUMBER_SIZE 32	/* enough for 20 digits with commas */

#define NAME_WIDTH 18
#define SUM_WIDTH 17
#define MEAN_WIDTH 14
#define BOUND_WIDTH 12

/* With a comma after each thousand. */
static const char *grouped(char *out, uint64_t value)
{
	char digits[24], *to = out;
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, value), i;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return out;
}

static void print_number(FILE *file, int width, uint64_t value)
{
	char number[NUMBER_SIZE];

	fprintf(file, " %*s", width, grouped(number, value));
}

/* In tenths, which are exact where a double is not. */
static void print_mean(FILE *file, uint64_t sum, uint64_t nr)
{
	char number[NUMBER_SIZE];
	uint64_t whole = sum / nr, tenth = (sum % nr) * 10 / nr;

	grouped(number, whole);
	fprintf(file, " %*s.%d", MEAN_WIDTH - 2, number, (int)tenth);
}

static const char *label(const struct region_set *set, unsigned int i)
{
	return i ? set->values[i] : "time (ns)";
}

static void print_value(FILE *file, const struct region_set *set, const struct region_row *row,
			unsigned int i)
{
	const struct region_value *value = &row->values[i];
	struct region_ratio ratio;

	fprintf(file, "  %-*s", NAME_WIDTH, label(set, i));
	print_number(file, SUM_WIDTH, value->sum);
	print_number(file, SUM_WIDTH, value->self);
	print_mean(file, value->sum, row->counted);
	print_number(file, BOUND_WIDTH, value->min);
	print_number(file, BOUND_WIDTH, value->max);
	if (region_ratio(set, row, i, &ratio))
		fprintf(file, "  # %.2f%s %s", ratio.value, ratio.sign, ratio.unit);
	fputc('\n', file);
}

static void print_missed(FILE *file, const struct region_row *row)
{
	char number[NUMBER_SIZE];
	unsigned int i;

	for (i = 0; i < PMCGRP_REGION_REASONS; i++) {
		if (!row->missed[i])
			continue;
		fprintf(file, "  not counted %s: %s", grouped(number, row->missed[i]),
			pmcgrp_region_missed_text(i));
		if (i == PMCGRP_REGION_PARTLY && row->enabled)
			fprintf(file, ", %.2f %%",
				100.0 * (double)row->running / (double)row->enabled);
		fputc('\n', file);
	}
	if (row->renewed)
		fprintf(file, "  %s ended by a system call, which counts some instructions more\n",
			grouped(number, row->renewed));
	if (row->self_missed)
		fprintf(file, "  %s are not in self: a region within was not counted\n",
			grouped(number, row->self_missed));
}

static void print_row(FILE *file, const struct region_set *set, const struct region_row *row,
		      bool per_thread)
{
	char number[NUMBER_SIZE];
	unsigned int i;

	fprintf(file, "region %s: %s call%s", row->name, grouped(number, row->calls),
		row->calls == 1 ? "" : "s");
	fprintf(file, ", %s counted, ", grouped(number, row->counted));
	if (!per_thread)
		fprintf(file, "%u thread%s\n", row->nr_threads, row->nr_threads == 1 ? "" : "s");
	else if (row->tid == REGION_TID_OTHERS)
		fprintf(file, "further threads of process %d\n", (int)row->pid);
	else
		fprintf(file, "thread %d of process %d\n", (int)row->tid, (int)row->pid);
	print_missed(file, row);
	if (row->counted) {
		fprintf(file, "  %-*s %*s %*s %*s %*s %*s\n", NAME_WIDTH, "EVENT", SUM_WIDTH, "SUM",
			SUM_WIDTH, "SELF", MEAN_WIDTH, "MEAN", BOUND_WIDTH, "MIN", BOUND_WIDTH,
			"MAX");
		for (i = 0; i < set->nr_values; i++)
			print_value(file, set, row, i);
	}
	fputc('\n', file);
}

/* Of all threads' least values; no sum has them subtracted. */
static void print_empty(FILE *file, const struct region_set *set)
{
	const struct region_row *row = region_set_empty(set);
	char number[NUMBER_SIZE];
	unsigned int i;

	if (!row)
		return;
	fputs("An empty region counts:", file);
	for (i = 0; i < set->nr_values; i++)
		fprintf(file, "%s %s %s", i ? "," : "", grouped(number, row->values[i].min),
			i ? set->values[i] : "ns");
	fputs("; each call above has that in it.\n", file);
}

/* How many threads could not read their counters directly, or not count; and why the first. */
static void print_threads(FILE *file, const struct region_set *set)
{
	const struct region_set_thread *first = NULL;
	unsigned int i, nr = 0;

	for (i = 0; i < set->nr_threads; i++) {
		if (set->threads[i].direct)
			continue;
		nr++;
		if (!first || strcmp(first->why, set->threads[i].why) < 0)
			first = &set->threads[i];
	}
	if (first && first->why[0])
		fprintf(file, "%u of %u threads: %s\n", nr, set->nr_threads, first->why);
}

void region_set_table(FILE *file, const struct region_set *set, bool per_thread)
{
	char number[NUMBER_SIZE];
	unsigned int i;

	for (i = 0; i < set->nr_rows; i++) {
		if (set->rows[i].name[0])
			print_row(file, set, &set->rows[i], per_thread);
	}
	print_empty(file, set);
	print_threads(file, set);
	if (set->failure[0])
		fprintf(file, "Nothing could be counted: %s\n", set->failure);
	for (i = 0; i < REGION_REFUSED_REASONS; i++) {
		if (set->refused[i])
			fprintf(file, "%s %s\n", grouped(number, set->refused[i]),
				region_refused_text(i));
	}
}
