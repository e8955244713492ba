// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <math.h>

#include <jansson.h>

#include "output.h"

/* Enough for every digit that means something, too few to show 0.1 as 0.1000...01. */
#define DIGITS 15

int top_output_flush(FILE *file)
{
	errno = 0;
	if (!fflush(file) && !ferror(file))
		return 0;
	return errno ? -errno : -EIO;
}

/* ---- JSON ---- */

/* jansson's own: 0 or -1, and NULL makes it -1. */
static int set(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

static const char *why_not(const struct counter *counter, const struct counts *counts)
{
	if (!counter->supported)
		return "not supported";
	return counts->reason ? counts->reason : "not counted";
}

static int add_counter(json_t *array, const struct counter *counter, const struct counts *counts)
{
	json_t *object = json_object(), *value;
	int ret;

	value = counts_counted(counts) ? json_integer(llround(counts->value.mean)) : json_null();
	ret = set(object, "event", json_string(counter->name));
	ret |= set(object, "value", value);
	ret |= set(object, "enabled", json_integer(llround(counts->enabled.mean)));
	ret |= set(object, "running", json_integer(llround(counts->running.mean)));
	if (!counts_counted(counts))
		ret |= set(object, "why", json_string(why_not(counter, counts)));
	return json_array_append_new(array, object) | ret;
}

static int add_counts(json_t *object, const struct top_content *content, struct counts *counts)
{
	const struct counter_set *counters = content->report->set;
	json_t *array = json_array(), *ratios = json_object();
	double value;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < counters->nr; i++)
		ret |= add_counter(array, &counters->counters[i], &counts[i]);
	for (i = 0; i < content->columns->nr; i++) {
		const struct top_column *column = &content->columns->at[i];

		if (!column->ratio)
			continue;
		if (top_column_value(column, content->report, counts, &value))
			ret |= set(ratios, column->name, json_real(value));
		else
			ret |= set(ratios, column->name, json_null());
	}
	ret |= set(object, "counters", array);
	return ret | set(object, "ratios", ratios);
}

static int add_row(json_t *rows, const struct top_content *content, const struct top_row *row)
{
	json_t *object = json_object();
	int ret = 0;

	if (row->tid != -1 || content->view->by == TOP_BY_THREAD)
		ret |= set(object, "tid", json_integer(row->tid));
	if (content->view->by == TOP_BY_THREAD || content->view->by == TOP_BY_PROCESS)
		ret |= set(object, "pid", json_integer(row->pid));
	if (content->view->by == TOP_BY_PROCESS || (content->view->by == TOP_BY_CGROUP && row->nr))
		ret |= set(object, "threads", json_integer(row->nr));
	ret |= set(object, "name", json_string(row->name));
	ret |= add_counts(object, content, row->counts);
	return json_array_append_new(rows, object) | ret;
}

static int add_line(json_t *rows, const struct top_content *content, unsigned int line)
{
	const struct counter_set *counters = content->report->set;
	json_t *object = json_object();
	char label[AGGR_LABEL_SIZE];
	int ret;

	aggr_label(counters->aggr, line, label, sizeof(label));
	ret = set(object, "name", json_string(label[0] ? label : "all"));
	ret |= add_counts(object, content, counter_counts(counters, line, 0));
	return json_array_append_new(rows, object) | ret;
}

static int add_rows(json_t *rows, const struct top_content *content, size_t lines)
{
	const struct counter_set *counters = content->report->set;
	bool events = content->view->by == TOP_BY_EVENT;
	size_t i, nr = events ? counters->nr_lines : content->table->nr_shown;
	int ret = 0;

	if (lines && lines < nr)
		nr = lines;
	for (i = 0; i < nr && !ret; i++) {
		if (!events)
			ret = add_row(rows, content, content->table->order[i]);
		else if (counters->aggr->mode == AGGR_GLOBAL)
			ret = add_line(rows, content, (unsigned int)i);
		else
			ret = add_line(rows, content, counters->aggr->order[i]);
	}
	return ret;
}

int top_output_json(FILE *file, const struct top_content *content, double time, size_t lines)
{
	json_t *object = json_object(), *rows = json_array();
	int ret;

	ret = set(object, "time", json_real(time));
	ret |= set(object, "interval", json_real(content->report->elapsed.mean));
	ret |= set(object, "by", json_string(top_by_name(content->view->by)));
	ret |= set(object, "target", json_string(content->report->subject));
	ret |= set(object, "lost", json_integer((json_int_t)content->lost));
	ret |= set(object, "lost-names", json_integer((json_int_t)content->lost_names));
	ret |= add_rows(rows, content, lines);
	ret |= set(object, "rows", rows);
	if (ret) {
		json_decref(object);
		return -ENOMEM;
	}
	errno = 0;
	ret = json_dumpf(object, file, JSON_REAL_PRECISION(DIGITS) | JSON_COMPACT);
	json_decref(object);
	if (!ret)
		fputc('\n', file);
	else if (!ferror(file))
		return -ENOMEM;
	return top_output_flush(file);
}

/* ---- Text ---- */

static void print_sgr(FILE *file, unsigned char style)
{
	static const char * const codes[] = {
		[TOP_PLAIN] = "0",
		[TOP_BOLD] = "0;1",
		[TOP_HEADER] = "0;7",
		[TOP_HOT] = "0;1;35",
		[TOP_PARTIAL] = "0;33",
		[TOP_LOST] = "0;1;31",
	};
	/* From blue to red in the cube of 256 colours. */
	static const unsigned char heats[TOP_HEATS] = { 17, 18, 24, 30, 28, 64, 100, 136, 130, 124 };

	if (style < TOP_HEAT)
		fprintf(file, "\033[%sm", codes[style]);
	else
		fprintf(file, "\033[0;48;5;%um", heats[style - TOP_HEAT]);
}

static void print_line(FILE *file, const struct top_line *line, bool colour)
{
	unsigned char style = TOP_PLAIN;
	size_t i;

	if (!colour) {
		fprintf(file, "%s\n", line->text);
		return;
	}
	for (i = 0; i < line->len; i++) {
		if (line->style[i] != style)
			print_sgr(file, line->style[i]);
		style = line->style[i];
		fputc(line->text[i], file);
	}
	if (style != TOP_PLAIN)
		print_sgr(file, TOP_PLAIN);
	fputc('\n', file);
}

int top_output_text(FILE *file, const struct top_screen *screen, bool colour)
{
	size_t i;

	print_line(file, &screen->title, colour);
	print_line(file, &screen->columns, colour);
	for (i = 0; i < screen->nr; i++)
		print_line(file, &screen->rows[i], colour);
	if (screen->foot.len)
		print_line(file, &screen->foot, colour);
	fputc('\n', file);
	return top_output_flush(file);
}
