// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/digits.h"
#include "screen.h"

#define RATE_WIDTH 15
#define RUNNING_WIDTH 8
#define METRIC_WIDTH 26
#define NAME_MIN 12
#define TEXT_SIZE (3 * TOP_WIDTH_MAX)

struct widths {
	unsigned int all;
	int label;
	int name;
};

static struct widths widths_of(const struct report *report, unsigned int width)
{
	static const int labels[] = {
		[AGGR_GLOBAL] = 0,
		[AGGR_NONE] = 8,
		[AGGR_CORE] = 14,
		[AGGR_SOCKET] = 6,
	};
	const struct counter_set *set = report->set;
	unsigned int i, longest = NAME_MIN;
	struct widths w = { .all = width, .label = labels[report->set->aggr->mode] };

	if (w.all > TOP_WIDTH_MAX)
		w.all = TOP_WIDTH_MAX;
	if (w.all < TOP_WIDTH_MIN)
		w.all = TOP_WIDTH_MIN;
	for (i = 0; i < set->nr; i++) {
		if (strlen(set->counters[i].name) > longest)
			longest = (unsigned int)strnlen(set->counters[i].name, TOP_WIDTH_MAX);
	}
	w.name = (int)w.all - w.label - RATE_WIDTH - RUNNING_WIDTH - METRIC_WIDTH - 3;
	/* The rest is for reasons, which are long. */
	if (w.name > (int)longest)
		w.name = (int)longest;
	/* What does not fit any more is the end of the metric. */
	if (w.name < NAME_MIN)
		w.name = NAME_MIN;
	return w;
}

/* No longer than the screen is wide, and no blanks at its end. */
static void fit(char *line, const char *text, unsigned int width)
{
	size_t len = strnlen(text, width);

	while (len && text[len - 1] == ' ')
		len--;
	memcpy(line, text, len);
	line[len] = '\0';
}

/* @text: DIGITS_RATE_SIZE bytes. */
static void rate_text(char *text, const struct report *report, const struct report_row *row)
{
	double seconds = report->elapsed.mean;

	if (!counts_counted(row->counts) || seconds <= 0.0)
		snprintf(text, DIGITS_RATE_SIZE, "%s", report_no_value(row->counter));
	else if (counter_is_clock(row->counter))
		snprintf(text, DIGITS_RATE_SIZE, "%.2f msec/sec", report_value(row) / seconds);
	else
		digits_rate(text, row->counts->value.mean / seconds);
}

/* A rate for each second of a clock is no news beside the rate. */
static void metric_text(char *text, size_t size, const struct report *report,
			const struct report_row *row)
{
	const char *reason = report_reason(row);
	struct metric m = metric_of(report, row);
	size_t len = strlen(m.unit);

	text[0] = '\0';
	if (reason)
		snprintf(text, size, "# %s", reason);
	else if (len && !(len >= 4 && !strcmp(m.unit + len - 4, "/sec")))
		snprintf(text, size, "%.*f%s %s", m.decimals, m.value, m.sign, m.unit);
}

static void make_row(char *line, const struct report *report, const struct report_row *row,
		     const struct widths *w)
{
	char label[64] = "", rate[DIGITS_RATE_SIZE], running[32] = "", metric[300];
	char text[TEXT_SIZE];

	if (w->label)
		aggr_label(report->set->aggr, row->line, label, sizeof(label));
	rate_text(rate, report, row);
	if (row->counts->enabled.mean > 0.0)
		snprintf(running, sizeof(running), "%.2f%%", counts_running_percent(row->counts));
	metric_text(metric, sizeof(metric), report, row);
	snprintf(text, sizeof(text), "%-*s%-*.*s %*s %*s %s", w->label, label, w->name, w->name,
		 row->counter->name, RATE_WIDTH, rate, RUNNING_WIDTH, running, metric);
	fit(line, text, w->all);
}

static void make_title(char *line, const struct report *report, const char *clock,
		       const struct widths *w)
{
	int room = (int)(w->all - strlen(clock)) - 1;
	char left[TOP_WIDTH_MAX + 1], text[TEXT_SIZE];

	snprintf(left, sizeof(left), "pmcgrp top: %s, the last %.3f s", report->subject,
		 report->elapsed.mean);
	snprintf(text, sizeof(text), "%-*.*s %s", room, room, left, clock);
	fit(line, text, w->all);
}

int top_screen_make(struct top_screen *screen, const struct report *report, const char *clock,
		    unsigned int width)
{
	const struct counter_set *set = report->set;
	struct widths w = widths_of(report, width);
	char text[TEXT_SIZE];
	struct report_row row;
	size_t n;

	top_screen_free(screen);
	screen->rows = calloc((size_t)set->nr * set->nr_lines + 1, sizeof(*screen->rows));
	if (!screen->rows)
		return -ENOMEM;
	make_title(screen->title, report, clock, &w);
	snprintf(text, sizeof(text), "%-*s%-*s %*s %*s", w.label, w.label ? "WHERE" : "", w.name,
		 "EVENT", RATE_WIDTH, "RATE", RUNNING_WIDTH, "RUNNING");
	fit(screen->columns, text, w.all);
	for (n = 0; report_row(report, n, &row); n++)
		make_row(screen->rows[n], report, &row, &w);
	screen->nr = n;
	return 0;
}

size_t top_screen_offset(const struct top_screen *screen, size_t wanted, size_t room)
{
	size_t last = screen->nr > room ? screen->nr - room : 0;

	return wanted < last ? wanted : last;
}

void top_screen_free(struct top_screen *screen)
{
	free(screen->rows);
	memset(screen, 0, sizeof(*screen));
}
