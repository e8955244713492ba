// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The summary as CSV: a line for each trigger, CPU, thread, member and ratio. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "calls.h"
#include "say/name.h"
#include "say/name_csv.h"
#include "print.h"
#include "sums.h"

struct csv {
	FILE *file;
	const char *separator;
};

static void text(const struct csv *csv, const char *value)
{
	fputs(csv->separator, csv->file);
	name_csv(csv->file, value, csv->separator);
}

static void count(const struct csv *csv, uint64_t value)
{
	fprintf(csv->file, "%s%" PRIu64, csv->separator, value);
}

/* Empty for what is not known. */
static void number(const struct csv *csv, double value, int decimals)
{
	fputs(csv->separator, csv->file);
	if (!isnan(value))
		fprintf(csv->file, "%.*f", decimals, value);
}

static void row(const struct csv *csv, const char *kind, const struct rep_row *r, int decimals)
{
	fputs(kind, csv->file);
	text(csv, r->name);
	number(csv, r->total, decimals);
	number(csv, r->rate, 3);
	count(csv, r->intervals);
	number(csv, r->min, decimals);
	number(csv, r->p50, decimals);
	number(csv, r->p90, decimals);
	number(csv, r->p99, decimals);
	number(csv, r->max, decimals);
	number(csv, r->running, 2);
	fputc('\n', csv->file);
}

static void sum(const struct csv *csv, const struct rep_summary *summary, const struct rep_sum *row)
{
	const struct rep_data *data = summary->data;
	const struct rep_keys *keys = &data->sums.keys;
	unsigned int i;

	fputs("sum", csv->file);
	for (i = 0; i < keys->nr; i++) {
		const char *name = rep_sum_name(data, row, keys->key[i]);

		if (name)
			text(csv, name);
		else
			count(csv, rep_sum_number(row, keys->key[i]));
	}
	count(csv, row->samples);
	count(csv, row->enabled);
	count(csv, row->running);
	for (i = 0; i < data->nr_events; i++) {
		if (data->events[i].member)
			count(csv, rep_sum_count(&data->sums, row, i));
	}
	for (i = 0; i < data->nr_events; i++) {
		if (data->events[i].member)
			number(csv, rep_sum_rate(&data->sums, row, i), 3);
	}
	for (i = 0; i < summary->nr_ratios; i++)
		number(csv, rep_sum_ratio(&data->sums, row, &summary->list->rows[i]), 6);
	fputc('\n', csv->file);
}

static void call(const struct csv *csv, const char *entry, const char *ret, const char *what,
		 struct rep_call_sums *sums)
{
	struct rep_call_numbers n = rep_call_numbers(sums);

	fputs("call", csv->file);
	text(csv, entry);
	text(csv, ret);
	text(csv, what);
	number(csv, n.total, 0);
	number(csv, n.mean, 3);
	number(csv, n.min, 0);
	number(csv, n.p50, 0);
	number(csv, n.p99, 0);
	number(csv, n.max, 0);
	fputc('\n', csv->file);
}

static void calls(const struct csv *csv, const struct rep_data *data, struct rep_calls *row)
{
	const struct rep_pair *pair = &data->between.pairs->rows[row->pair];
	const char *entry = data->events[pair->entry].name, *ret = data->events[pair->ret].name;
	unsigned int i;

	fputs("calls", csv->file);
	text(csv, entry);
	text(csv, ret);
	count(csv, row->returned);
	count(csv, row->without_return);
	count(csv, row->without_entry);
	fputc('\n', csv->file);
	call(csv, entry, ret, "time", &row->time);
	for (i = 0; i < row->nr; i++)
		call(csv, entry, ret, data->events[row->events[i]].name, &row->counts[i]);
}

static void trigger(const struct csv *csv, const struct rep_event *event)
{
	fputs("trigger", csv->file);
	text(csv, event->name);
	count(csv, event->samples);
	count(csv, event->lost);
	count(csv, event->missed);
	count(csv, event->throttles);
	count(csv, event->throttled);
	fputc('\n', csv->file);
}

void rep_csv(FILE *file, const struct rep_summary *summary, const char *separator)
{
	const struct rep_data *data = summary->data;
	const struct csv csv = { file, separator };
	size_t i;

	fputs("recording", file);
	count(&csv, data->samples);
	count(&csv, data->samples ? data->first : 0);
	count(&csv, data->last);
	count(&csv, data->lost);
	count(&csv, data->missed);
	count(&csv, data->throttles);
	count(&csv, data->throttled);
	fputc('\n', file);
	for (i = 0; i < data->nr_events; i++) {
		if (rep_is_trigger(&data->events[i]))
			trigger(&csv, &data->events[i]);
	}
	for (i = 0; i < data->cpus.nr; i++)
		fprintf(file, "cpu%s%u%s%" PRIu64 "\n", separator, data->cpus.rows[i].cpu, separator,
			data->cpus.rows[i].samples);
	for (i = 0; i < data->threads.nr; i++) {
		fprintf(file, "thread%s%u%s%u", separator, data->threads.rows[i].pid, separator,
			data->threads.rows[i].tid);
		text(&csv, data->threads.rows[i].comm);
		count(&csv, data->threads.rows[i].samples);
		fputc('\n', file);
	}
	for (i = 0; i < data->sums.nr; i++)
		sum(&csv, summary, &data->sums.rows[i]);
	for (i = 0; i < data->between.nr; i++)
		calls(&csv, data, &data->between.rows[i]);
	for (i = 0; i < summary->nr_members; i++)
		row(&csv, "member", &summary->members[i], 0);
	for (i = 0; i < summary->nr_ratios; i++)
		row(&csv, "ratio", &summary->ratios[i], 6);
}
