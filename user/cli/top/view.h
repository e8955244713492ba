/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What of the counts top shows, and what keys change of it. */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>

/* What has a row. */
enum top_by {
	TOP_BY_EVENT,
	TOP_BY_CPU,
	TOP_BY_THREAD,
	TOP_BY_PROCESS,
	TOP_BY_CGROUP,
	TOP_BY_COMMAND,
	TOP_BY_NR,
};

#define TOP_FILTER_SIZE 64
#define TOP_DELAY_MIN 100		/* ms */
#define TOP_DELAY_MAX 86400000

struct top_view {
	enum top_by by;
	bool matrix;		/* of CPUs, instead of rows */
	int sort;		/* index of a column, or COLUMN_NAME */
	bool reverse;
	bool frozen;
	bool help;
	bool typing;		/* a filter */
	char filter[TOP_FILTER_SIZE];
	char before[TOP_FILTER_SIZE];	/* the filter that Escape brings back */
	int delay;		/* ms */
	size_t offset;		/* of the first row shown */
	char note[100];		/* on the last line, until the next key */
};

/* Keys that are no characters. */
enum top_key {
	TOP_KEY_NONE = 0x200,	/* there is none */
	TOP_KEY_UP,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_RESIZE,
	TOP_KEY_BACKSPACE,
	TOP_KEY_OTHER,
};

#define TOP_KEY_ESCAPE 27

/* What is to be done after a key. */
enum top_act {
	TOP_ACT_NONE,
	TOP_ACT_QUIT,
	TOP_ACT_DRAW,		/* the view is another one */
	TOP_ACT_SOURCE,		/* and what is counted: view->by */
	TOP_ACT_DELAY,		/* and the interval */
};

/* What limits a view. */
struct top_limits {
	int nr_columns;
	size_t room;		/* rows on the screen */
	const char *refuse[TOP_BY_NR];	/* why there are no such rows; NULL: there can be */
};

/* top_view_key - change the view as a key says; @view->by may be one that is not counted yet */
enum top_act top_view_key(struct top_view *view, int key, const struct top_limits *limits);

/* "event", "cpu", "thread", "process", "cgroup", "command" */
const char *top_by_name(enum top_by by);

static inline bool top_by_tasks(enum top_by by)
{
	return by >= TOP_BY_THREAD;
}

#endif
