// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The table of --sort. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "say/digits.h"
#include "say/name.h"
#include "sums.h"

#define SHARE_WIDTH 8
#define SAMPLES_WIDTH 11
#define COUNT_WIDTH 15
#define RATIO_WIDTH 9
#define ROWS_MAX 40	/* JSON and CSV have them all */

/* Of each key's column. */
static const int widths[REP_NR_KEYS] = { 15, 7, 7, 7, 7, 30, 30, 15 };

static int width_of(const char *name, int least)
{
	int width = (int)name_columns(name);

	return width > least ? width : least;
}

static void title(FILE *file, const struct rep_summary *summary)
{
	static const char * const heads[REP_NR_KEYS] = {
		"COMM", "PID", "TID", "CPU", "TRIGGER", "SYM", "DSO", "CGROUP"
	};
	const struct rep_keys *keys = &summary->data->sums.keys;
	size_t i;

	fprintf(file, " %*s %*s", SHARE_WIDTH, "SHARE", SAMPLES_WIDTH, "SAMPLES");
	for (i = 0; i < summary->nr_members; i++)
		fprintf(file, " %*s", width_of(summary->members[i].name, COUNT_WIDTH),
			summary->members[i].name);
	for (i = 0; i < summary->nr_ratios; i++)
		fprintf(file, " %*s", width_of(summary->ratios[i].name, RATIO_WIDTH),
			summary->ratios[i].name);
	fputc(' ', file);
	for (i = 0; i < keys->nr; i++)
		fprintf(file, " %-*s", widths[keys->key[i]], heads[keys->key[i]]);
	fputc('\n', file);
}

static void whole(FILE *file, uint64_t value, int width)
{
	char digits[32], grouped[48];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	digits_group(grouped, digits);
	fprintf(file, " %*s", width, grouped);
}

static void share(FILE *file, uint64_t part, uint64_t all)
{
	double percent = all ? 100.0 * (double)part / (double)all : 0.0;

	fprintf(file, " %*.2f%%", SHARE_WIDTH - 1, percent);
}

static void ratio(FILE *file, const struct rep_sums *sums, const struct rep_sum *row,
		  const struct rep_ratio *ratio)
{
	double value = rep_sum_ratio(sums, row, ratio);
	int width = width_of(ratio->name, RATIO_WIDTH);

	if (isnan(value))
		fprintf(file, " %*s", width, "-");
	else
		fprintf(file, " %*.3f", width, value);
}

const char *rep_sum_name(const struct rep_data *data, const struct rep_sum *row, enum rep_key key)
{
	const char *path;

	switch (key) {
	case REP_KEY_COMM:
		return row->comm_text;
	case REP_KEY_TRIGGER:
		return row->trigger == REP_SWITCH ? "switch" : data->events[row->trigger].name;
	case REP_KEY_SYM:
		return data->code.functions[row->function].name;
	case REP_KEY_DSO:
		return data->code.objects[row->object].name;
	case REP_KEY_CGROUP:
		path = rep_cgroups_path(&data->cgroups, row->cgroup);
		return path ? path : "(unknown)";
	default:
		return NULL;
	}
}

uint64_t rep_sum_number(const struct rep_sum *row, enum rep_key key)
{
	return key == REP_KEY_PID ? row->pid : key == REP_KEY_TID ? row->tid : row->cpu;
}

static void keys(FILE *file, const struct rep_data *data, const struct rep_sum *row)
{
	const struct rep_keys *of = &data->sums.keys;
	unsigned int i;

	fputs("  ", file);
	for (i = 0; i < of->nr; i++) {
		const char *name = rep_sum_name(data, row, of->key[i]);

		/* No thread is that of perf's synthesized records: -1. */
		if (name)
			name_left(file, (size_t)widths[of->key[i]] + 1, *name ? name : "(unknown)");
		else
			fprintf(file, "%-*d ", widths[of->key[i]],
				(int)rep_sum_number(row, of->key[i]));
	}
	fputc('\n', file);
}

/* Which event each member is: those of the summary are in the same order. */
static unsigned int event_of(const struct rep_summary *summary, size_t member)
{
	unsigned int event;

	for (event = 0; event < summary->data->nr_events; event++) {
		if (summary->data->events[event].member && !member--)
			break;
	}
	return event;
}

void rep_sums_table(FILE *file, const struct rep_summary *summary)
{
	const struct rep_sums *sums = &summary->data->sums;
	size_t i, m, nr = sums->nr < ROWS_MAX ? sums->nr : ROWS_MAX;
	uint64_t all = 0;

	if (!sums->keys.nr || !summary->nr_members)
		return;
	for (i = 0; i < sums->nr; i++)
		all += rep_sum_count(sums, &sums->rows[i], event_of(summary, 0));
	title(file, summary);
	for (i = 0; i < nr; i++) {
		const struct rep_sum *row = &sums->rows[i];

		share(file, rep_sum_count(sums, row, event_of(summary, 0)), all);
		whole(file, row->samples, SAMPLES_WIDTH);
		for (m = 0; m < summary->nr_members; m++)
			whole(file, rep_sum_count(sums, row, event_of(summary, m)),
			      width_of(summary->members[m].name, COUNT_WIDTH));
		for (m = 0; m < summary->nr_ratios; m++)
			ratio(file, sums, row, &summary->list->rows[m]);
		keys(file, summary->data, row);
	}
	if (nr < sums->nr)
		fprintf(file, " %*s and %zu more (-j and --csv list them)\n", SHARE_WIDTH, "",
			sums->nr - nr);
	fputc('\n', file);
}
