// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The view of rows: a CPU, thread, process or cgroup on each line, and a column for each event. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "say/name.h"
#include "top_screen.h"

#define NAME_WIDTH 15

struct columns_shown {
	int name;		/* how wide names are */
	unsigned int first;
	unsigned int nr;
};

static int name_width(const struct top_content *content)
{
	const struct top_table *t = content->table;
	int longest = NAME_WIDTH, half = (int)content->width / 2 - 6;
	size_t i;

	if (t->by != TOP_BY_CGROUP)
		return NAME_WIDTH;
	for (i = 0; i < t->nr_shown; i++) {
		int len = (int)name_columns(t->order[i]->name);

		longest = len > longest ? len : longest;
	}
	return longest < half ? longest : half;
}

/* Of numbers before the name, with blanks. */
static int ids_width(enum top_by by)
{
	static const int widths[TOP_BY_NR] = {
		[TOP_BY_THREAD] = 16,
		[TOP_BY_PROCESS] = 14,
		[TOP_BY_CGROUP] = 6,
	};

	return by == TOP_BY_CPU ? 0 : widths[by];
}

/* As many as fit; the one that is sorted by is among them. */
static struct columns_shown columns_shown(const struct top_content *content)
{
	const struct top_columns *columns = content->columns;
	struct columns_shown shown = { .name = name_width(content) };
	int room = (int)content->width - shown.name - ids_width(content->table->by);
	int sort = content->view->sort, used;
	unsigned int i;

	for (;; shown.first++) {
		used = 0;
		for (i = shown.first; i < columns->nr; i++) {
			used += columns->at[i].width + 1;
			if (used > room)
				break;
		}
		/* Of a narrow screen at least the beginning of one. */
		if (i == shown.first && i < columns->nr)
			i++;
		shown.nr = i - shown.first;
		if (sort < (int)i || shown.first + 1 >= columns->nr)
			return shown;
	}
}

static void make_header(struct top_line *line, const struct top_content *content,
			const struct columns_shown *shown)
{
	static const char * const ids[TOP_BY_NR] = {
		[TOP_BY_CPU] = "",
		[TOP_BY_THREAD] = "    TID     PID ",
		[TOP_BY_PROCESS] = "    PID  THRDS ",
		[TOP_BY_CGROUP] = "THRDS ",
		[TOP_BY_COMMAND] = "",
	};
	static const char * const names[TOP_BY_NR] = {
		[TOP_BY_CPU] = "WHERE",
		[TOP_BY_THREAD] = "NAME",
		[TOP_BY_PROCESS] = "NAME",
		[TOP_BY_CGROUP] = "CGROUP",
		[TOP_BY_COMMAND] = "COMMAND",
	};
	enum top_by by = content->table->by;
	unsigned int i;

	top_line_add(line, TOP_HEADER, "%s%-*s", ids[by], shown->name, names[by]);
	for (i = shown->first; i < shown->first + shown->nr; i++) {
		const struct top_column *column = &content->columns->at[i];
		char title[COLUMN_TEXT_SIZE];

		snprintf(title, sizeof(title), "%s%.*s",
			 (int)i == content->view->sort ? content->view->reverse ? "<" : ">" : "",
			 column->width, column->title);
		top_line_add(line, TOP_HEADER, "%*s", column->width + 1, title);
	}
}

static void make_ids(struct top_line *line, const struct top_row *row, enum top_by by)
{
	switch (by) {
	case TOP_BY_THREAD:
		top_line_add(line, TOP_PLAIN, "%7d %7d ", row->tid, row->pid);
		break;
	case TOP_BY_PROCESS:
		top_line_add(line, TOP_PLAIN, "%7d %5u ", row->pid, row->nr);
		break;
	case TOP_BY_CGROUP:
		/* Of counts by key it is not known. */
		if (row->nr)
			top_line_add(line, TOP_PLAIN, "%5u ", row->nr);
		else
			top_line_add(line, TOP_PLAIN, "%5s ", "-");
		break;
	default:
		break;
	}
}

static void make_cell(struct top_line *line, const struct top_content *content,
		      const struct top_row *row, const struct top_column *column, double most)
{
	const struct counts *counts = &row->counts[column->counter];
	enum top_style style = TOP_PLAIN;
	char number[COLUMN_TEXT_SIZE + 8], text[COLUMN_TEXT_SIZE];
	bool partial, has;
	double value;

	has = top_column_value(column, content->report, row->counts, &value);
	partial = has && counts->enabled.mean > counts->running.mean;
	if (partial)
		style = TOP_PARTIAL;
	else if (has && !column->ratio && most > 0.0 && value >= most / 2.0)
		style = TOP_HOT;
	top_column_text(column, content->report, row->counts, text);
	snprintf(number, sizeof(number), "%s%s", partial ? "~" : "", text);
	top_line_add(line, style, "%*s", column->width + 1, number);
}

/* The highest value of each column. */
static double *highest(const struct top_content *content)
{
	const struct top_columns *columns = content->columns;
	const struct top_table *t = content->table;
	double *most = calloc(columns->nr + 1, sizeof(*most)), value;
	unsigned int k;
	size_t i;

	for (i = 0; most && i < t->nr_shown; i++) {
		/* That CPUs are idle is no news. */
		if (!t->order[i]->tid || !t->order[i]->pid)
			continue;
		for (k = 0; k < columns->nr; k++) {
			if (!top_column_value(&columns->at[k], content->report, t->order[i]->counts,
					      &value))
				continue;
			if (value > most[k])
				most[k] = value;
		}
	}
	return most;
}

int top_screen_table(struct top_screen *screen, const struct top_content *content)
{
	const struct top_table *t = content->table;
	struct columns_shown shown = columns_shown(content);
	double *most = highest(content);
	unsigned int k;
	size_t i;
	int ret;

	if (!most)
		return -ENOMEM;
	screen->first_column = shown.first;
	screen->nr_columns = shown.nr;
	screen->columns_of = content->columns->nr;
	ret = top_screen_rows(screen, content, t->nr_shown);
	if (ret >= 0)
		make_header(&screen->columns, content, &shown);
	for (i = 0; i < screen->nr && ret >= 0; i++) {
		const struct top_row *row = t->order[screen->first + i];
		struct top_line *line = &screen->rows[i];

		make_ids(line, row, t->by);
		top_line_name(line, top_row_partial(t, row) ? TOP_PARTIAL : TOP_PLAIN,
			      (size_t)shown.name, row->name);
		for (k = shown.first; k < shown.first + shown.nr; k++)
			make_cell(line, content, row, &content->columns->at[k],
				  row->tid && row->pid ? most[k] : 0.0);
	}
	free(most);
	return ret;
}
