// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What --by prints: for people a row for each of the first keys, one for the rest, and their sum; as CSV
 * and JSON all keys, with the lines that any report has.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "say/name.h"
#include "say/text.h"
#include "stat_run.h"

#define VALUE_WIDTH	15
#define TIME_WIDTH	8
#define STAYS_WIDTH	9

static const struct {
	const char *text;
	const char *json;
} kinds[] = {
	[BY_IDLE] = { "(idle)", "idle" },
	[BY_OTHER] = { "(other tasks)", "other" },
	[BY_OVERFLOW] = { "(overflow)", "overflow" },
	[BY_ENDED] = { "(ended before)", "ended" },
	[BY_TOTAL] = { "total", "total" },
};

/* ---- Names ---- */

static void cgroup_name(const struct stat_run *st, uint64_t id, char *name, size_t size)
{
	const char *path;
	bool removed;

	path = pmcgrp_cgroups_path(st->keys.cgroups, id, &removed);
	if (!path)
		snprintf(name, size, "(removed, id %llu)", (unsigned long long)id);
	else
		name_text(name, size, path, strlen(path));
	if (path && removed && strlen(name) + sizeof(" (removed)") <= size)
		strcat(name, " (removed)");
}

void stat_keys_name(const struct stat_run *st, const struct by_row *row, char *name, size_t size)
{
	if (row->kind == BY_REST) {
		snprintf(name, size, "(%zu others)", row->nr);
	} else if (row->kind != BY_KEY) {
		snprintf(name, size, "%s", kinds[row->kind].text);
	} else if (st->options.by.key.type == PMCGRP_KEY_CGROUP) {
		cgroup_name(st, row->key[0], name, size);
	} else {
		if (st->options.by.key.type == PMCGRP_KEY_COMMAND)
			name_text(name, size, row->key, sizeof(row->key));
		else
			name_text(name, size, row->comm, sizeof(row->comm));
	}
}

/* ---- A row as a line of the report ---- */

/* Makes it what the one line of the set has. */
static void row_take(struct stat_run *st, const struct by_row *row, const char *name)
{
	struct aggr_line *line = &st->aggr.lines[0];
	unsigned int i;

	line->special = row->kind != BY_KEY;
	line->name = name;
	line->pid = st->aggr.numbered && row->kind == BY_KEY ? (int64_t)row->key[0] : -1;
	line->stays = row->stays;
	for (i = 0; i < st->set.nr; i++) {
		struct counts *c = counter_counts(&st->set, 0, i);

		c->value = c->enabled = c->running = (struct stats){ 0 };
		by_cell_take(c, &row->cell[i]);
	}
}

static int write_line(struct stat_run *st, const struct by_row *row)
{
	char name[NAME_PATH_SIZE];

	stat_keys_name(st, row, name, sizeof(name));
	if (st->options.json && row->kind != BY_KEY)
		snprintf(name, sizeof(name), "%s", kinds[row->kind].json);
	row_take(st, row, name);
	if (st->options.json)
		return report_json(st->file, &st->report);
	report_csv(st->file, &st->report);
	return 0;
}

static int write_lines(struct stat_run *st)
{
	const struct by_rows *rows = &st->keys.rows;
	int ret = 0;
	size_t i;

	for (i = 0; i < rows->nr && ret >= 0; i++)
		ret = write_line(st, &rows->at[i]);
	if (ret >= 0)
		ret = write_line(st, &rows->total);
	st->aggr.lines[0].name = "";
	return ret;
}

/* ---- The table ---- */

/* What was not asked for by name is not missed. */
static bool column_shown(const struct stat_run *st, unsigned int index)
{
	return st->set.counters[index].supported || st->options.nr_events;
}

static size_t width_of(const char *name, const char *unit)
{
	size_t len = strlen(name) + (*unit ? 1 + strlen(unit) : 0);

	return len > VALUE_WIDTH ? len : VALUE_WIDTH;
}

static void print_heading(struct text *text, const char *name, const char *unit)
{
	size_t len = strlen(name) + (*unit ? 1 + strlen(unit) : 0);

	text_blanks(text, text_at(text) + 1 + width_of(name, unit) - len);
	text_string(text, name);
	if (*unit) {
		text_char(text, ' ');
		text_string(text, unit);
	}
}

static void print_time(const struct stat_run *st, struct text *text)
{
	if (!st->report.interval)
		return;
	text_fixed(text, 16, st->report.timestamp, 9, false);
}

static void print_headings(const struct stat_run *st, struct text *text)
{
	const struct table_metric *m;
	unsigned int i;

	if (st->report.interval)
		text_string(text, "#           time");
	for (i = 0; i < st->set.nr; i++) {
		if (column_shown(st, i))
			print_heading(text, st->set.counters[i].name,
				      report_unit(&st->set.counters[i]));
	}
	for (i = 0; (m = table_metrics_at(&st->metrics, i)); i++)
		print_heading(text, table_metric_name(m), table_metric_unit(m));
	text_char(text, ' ');
	text_right(text, TIME_WIDTH, "CPUs");
	text_char(text, ' ');
	text_right(text, STAYS_WIDTH, "stays");
	text_string(text, "  ");
	text_string(text, by_key_names[st->options.by.key.type]);
	text_char(text, '\n');
}

static void print_values(const struct stat_run *st, struct text *text)
{
	const struct report *report = &st->report;
	const struct table_metric *m;
	struct report_row row;
	double value;
	size_t width, n;
	unsigned int i;

	for (n = 0; report_row(report, n, &row); n++) {
		if (!column_shown(st, row.index))
			continue;
		width = width_of(row.counter->name, report_unit(row.counter));
		text_char(text, ' ');
		if (counts_counted(row.counts))
			text_fixed(text, width, report_value(&row), report_decimals(row.counter),
				   report->big_num);
		else
			text_right(text, width, report_no_value(&row));
	}
	for (i = 0; (m = table_metrics_at(&st->metrics, i)); i++) {
		value = table_metric_value(m, &st->set, 0, report->elapsed.mean);
		width = width_of(table_metric_name(m), table_metric_unit(m));
		text_char(text, ' ');
		if (isfinite(value))
			text_fixed(text, width, value, 3, report->big_num);
		else
			text_right(text, width, "<not counted>");
	}
}

static void print_row(struct stat_run *st, struct text *text, const struct by_row *row)
{
	double seconds = st->report.elapsed.mean;
	char name[NAME_PATH_SIZE];

	stat_keys_name(st, row, name, sizeof(name));
	row_take(st, row, name);
	print_time(st, text);
	print_values(st, text);
	text_char(text, ' ');
	text_fixed(text, TIME_WIDTH, seconds > 0.0 ? (double)row->enabled / 1e9 / seconds : 0.0, 3,
		   false);
	text_char(text, ' ');
	text_whole(text, STAYS_WIDTH, row->stays);
	text_string(text, "  ");
	text_string(text, name);
	if (st->aggr.lines[0].pid >= 0) {
		text_char(text, '-');
		text_whole(text, 0, (uint64_t)st->aggr.lines[0].pid);
	}
	text_char(text, '\n');
}

/* Of all that was counted, the event that was on the PMU for the least of its time. */
static void print_scaled(const struct stat_run *st, struct text *text)
{
	double least = 100.0, percent;
	unsigned int i;

	for (i = 0; i < st->set.nr; i++) {
		percent = counts_running_percent(counter_counts(&st->set, 0, i));
		if (percent < least)
			least = percent;
	}
	if (least >= 100.0 || st->set.unscaled)
		return;
	text_string(text, " # scaled: a group was on the PMU for ");
	text_fixed(text, 0, least, 2, false);
	text_string(text, "% of its time\n");
}

/* Of events that no row has a value of. */
static void print_reasons(const struct stat_run *st, struct text *text)
{
	struct report_row row;
	size_t n;

	for (n = 0; report_row(&st->report, n, &row); n++) {
		if (!column_shown(st, row.index) || !report_reason(&row))
			continue;
		text_string(text, " # ");
		text_string(text, row.counter->name);
		text_string(text, " was not counted: ");
		text_string(text, report_reason(&row));
		text_char(text, '\n');
	}
}

static void write_table(struct stat_run *st)
{
	struct by_rows *rows = &st->keys.rows;
	size_t shown = (size_t)st->options.by.rows, i;
	struct text text;

	if (!shown || shown > rows->nr_keys)
		shown = rows->nr_keys;
	by_rows_rest(rows, shown);
	if (!st->report.interval)
		report_title(st->file, &st->report);
	text_init(&text, st->file);
	print_headings(st, &text);
	for (i = 0; i < shown; i++)
		print_row(st, &text, &rows->at[i]);
	if (rows->rest.nr)
		print_row(st, &text, &rows->rest);
	for (i = rows->nr_keys; i < rows->nr; i++)
		print_row(st, &text, &rows->at[i]);
	/* The total is the last row, and what it lacks they all lack. */
	print_row(st, &text, &rows->total);
	print_reasons(st, &text);
	print_scaled(st, &text);
	text_end(&text);
	st->aggr.lines[0].name = "";
	if (!st->report.interval)
		report_footer(st->file, &st->report);
}

int stat_keys_write(struct stat_run *st)
{
	if (st->options.separator || st->options.json)
		return write_lines(st);
	write_table(st);
	return 0;
}
