// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdio.h>
#include <string.h>

#include "column.h"
#include "view.h"

static const char * const by_names[] = {
	[TOP_BY_EVENT] = "event",
	[TOP_BY_CPU] = "cpu",
	[TOP_BY_THREAD] = "thread",
	[TOP_BY_PROCESS] = "process",
	[TOP_BY_CGROUP] = "cgroup",
	[TOP_BY_COMMAND] = "command",
};

const char *top_by_name(enum top_by by)
{
	return by_names[by];
}

static enum top_act set_by(struct top_view *v, enum top_by by, bool matrix,
			   const struct top_limits *limits)
{
	const char *why = limits->refuse[by];
	enum top_by before = v->by;

	if (why) {
		snprintf(v->note, sizeof(v->note), "%s", why);
		return TOP_ACT_DRAW;
	}
	v->by = by;
	v->matrix = matrix;
	v->offset = 0;
	if (before == by)
		return TOP_ACT_DRAW;
	/* What stands still would be rows of another kind. */
	v->frozen = false;
	v->filter[0] = '\0';
	return TOP_ACT_SOURCE;
}

static enum top_act set_delay(struct top_view *v, bool longer)
{
	int delay = longer ? v->delay * 2 : v->delay / 2;

	if (v->delay > TOP_DELAY_MAX / 2 && longer)
		delay = TOP_DELAY_MAX;
	if (delay < TOP_DELAY_MIN)
		delay = TOP_DELAY_MIN;
	v->delay = delay;
	snprintf(v->note, sizeof(v->note), "interval: %.3g s", delay / 1000.0);
	return TOP_ACT_DELAY;
}

static enum top_act move_sort(struct top_view *v, int step, const struct top_limits *limits)
{
	int sort = v->sort + step;

	if (sort < COLUMN_NAME || sort >= limits->nr_columns)
		return TOP_ACT_NONE;
	v->sort = sort;
	return TOP_ACT_DRAW;
}

static enum top_act type(struct top_view *v, int key)
{
	size_t len = strlen(v->filter);

	switch (key) {
	case '\r':
	case '\n':
		v->typing = false;
		return TOP_ACT_DRAW;
	case TOP_KEY_ESCAPE:
		memcpy(v->filter, v->before, sizeof(v->filter));
		v->typing = false;
		return TOP_ACT_DRAW;
	case TOP_KEY_BACKSPACE:
	case '\b':
	case 127:
		if (len)
			v->filter[len - 1] = '\0';
		return TOP_ACT_DRAW;
	default:
		if (key < ' ' || key > '~' || len + 1 == sizeof(v->filter))
			return TOP_ACT_NONE;
		v->filter[len] = (char)key;
		v->filter[len + 1] = '\0';
		v->offset = 0;
		return TOP_ACT_DRAW;
	}
}

static enum top_act scroll_by(struct top_view *v, size_t rows, bool up)
{
	if (!up)
		v->offset += rows;
	else
		v->offset -= rows < v->offset ? rows : v->offset;
	return TOP_ACT_DRAW;
}

static enum top_act toggle(bool *what)
{
	*what = !*what;
	return TOP_ACT_DRAW;
}

static enum top_act filter_begin(struct top_view *v)
{
	memcpy(v->before, v->filter, sizeof(v->before));
	v->typing = true;
	return TOP_ACT_DRAW;
}

static enum top_act key_of_rows(struct top_view *v, int key, const struct top_limits *limits)
{
	switch (key) {
	case 'e':
		return set_by(v, TOP_BY_EVENT, false, limits);
	case 'c':
		return set_by(v, TOP_BY_CPU, false, limits);
	case 'm':
		return set_by(v, TOP_BY_CPU, true, limits);
	case 't':
		return set_by(v, TOP_BY_THREAD, false, limits);
	case 'p':
		return set_by(v, TOP_BY_PROCESS, false, limits);
	case 'g':
		return set_by(v, TOP_BY_CGROUP, false, limits);
	case 'o':
		return set_by(v, TOP_BY_COMMAND, false, limits);
	case '<':
		return move_sort(v, -1, limits);
	case '>':
		return move_sort(v, 1, limits);
	case 'r':
		return toggle(&v->reverse);
	case '/':
		return filter_begin(v);
	default:
		return TOP_ACT_NONE;
	}
}

enum top_act top_view_key(struct top_view *v, int key, const struct top_limits *limits)
{
	v->note[0] = '\0';
	if (key == TOP_KEY_RESIZE)
		return TOP_ACT_DRAW;
	if (v->typing)
		return type(v, key);
	/* Any key leaves the help, q as well. */
	if (v->help)
		return toggle(&v->help);
	switch (key) {
	case 'q':
	case 'Q':
	case TOP_KEY_ESCAPE:
		return TOP_ACT_QUIT;
	case '?':
	case 'h':
		return toggle(&v->help);
	case ' ':
		return toggle(&v->frozen);
	case '+':
		return set_delay(v, true);
	case '-':
		return set_delay(v, false);
	case TOP_KEY_UP:
	case TOP_KEY_DOWN:
		return scroll_by(v, 1, key == TOP_KEY_UP);
	case TOP_KEY_PAGE_UP:
	case TOP_KEY_PAGE_DOWN:
		return scroll_by(v, limits->room, key == TOP_KEY_PAGE_UP);
	default:
		return key_of_rows(v, key, limits);
	}
}
