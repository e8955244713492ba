// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The view of CPUs as a matrix: a cell for each, in the order of their numbers. */
#include "top_screen.h"

#define LABEL_WIDTH 8

struct matrix {
	size_t across;		/* cells on a line */
	int cell;		/* columns of the screen for each */
	double most;
	const struct top_row *most_row;
	const struct top_column *column;
};

/* As few on a line as there is room for lines: cells are the wider for it. */
static void layout(struct matrix *m, const struct top_content *content)
{
	size_t nr = content->table->nr, room = content->room ? content->room : nr;

	for (m->across = 8; m->across < 64 && (nr + m->across - 1) / m->across > room;)
		m->across *= 2;
	/* A narrow screen has fewer, and scrolls. */
	while (m->across > 8 && m->across > content->width - LABEL_WIDTH)
		m->across /= 2;
	m->cell = (int)((content->width - LABEL_WIDTH) / m->across);
	if (m->cell > 5)
		m->cell = 5;
}

static void find_most(struct matrix *m, const struct top_content *content)
{
	const struct top_table *t = content->table;
	double value;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		if (!top_column_value(m->column, content->report, t->rows[i].counts, &value) ||
		    (m->most_row && value <= m->most))
			continue;
		m->most = value;
		m->most_row = &t->rows[i];
	}
}

static void make_cell(struct top_line *line, const struct top_content *content,
		      const struct matrix *m, const struct top_row *row)
{
	double value, part;
	int level, percent;

	if (!top_column_value(m->column, content->report, row->counts, &value)) {
		top_line_add(line, TOP_PLAIN, "%*s", m->cell, "-");
		return;
	}
	part = m->most > 0.0 ? value / m->most : 0.0;
	level = (int)(part * TOP_HEATS);
	if (level >= TOP_HEATS)
		level = TOP_HEATS - 1;
	percent = (int)(part * 100.0 + 0.5);
	if (m->cell < 4)
		top_line_add(line, TOP_HEAT + level, "%*d", m->cell, level);
	else
		top_line_add(line, TOP_HEAT + level, "%*d", m->cell, percent);
}

int top_screen_matrix(struct top_screen *screen, const struct top_content *content)
{
	const struct top_table *t = content->table;
	int sort = content->view->sort;
	struct matrix m = { .column = &content->columns->at[sort < 0 ? 0 : sort] };
	char text[COLUMN_TEXT_SIZE] = "-";
	size_t i, k;
	int ret;

	layout(&m, content);
	find_most(&m, content);
	ret = top_screen_rows(screen, content, (t->nr + m.across - 1) / m.across);
	if (ret < 0)
		return ret;
	if (m.most_row)
		top_column_text(m.column, content->report, m.most_row->counts, text);
	top_line_add(&screen->columns, TOP_HEADER, "%s: %s of the highest, %s (%s)", m.column->name,
		     m.cell < 4 ? "tenths" : "percent", text,
		     m.most_row ? m.most_row->name : "none");
	for (i = 0; i < screen->nr; i++) {
		size_t at = (screen->first + i) * m.across;
		struct top_line *line = &screen->rows[i];

		top_line_add(line, TOP_PLAIN, "%-*.*s", LABEL_WIDTH, LABEL_WIDTH - 1,
			     t->rows[at].name);
		for (k = at; k < at + m.across && k < t->nr; k++)
			make_cell(line, content, &m, &t->rows[k]);
	}
	return 0;
}
