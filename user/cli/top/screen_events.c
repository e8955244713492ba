// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The view of events: each on a line of its own, with what can be derived from it. */
#include <string.h>

#include "say/digits.h"
#include "top_screen.h"

#define RATE_WIDTH 15
#define RUNNING_WIDTH 8
#define METRIC_WIDTH 26
#define NAME_MIN 12

struct widths {
	int all;
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
	struct widths w = { .all = (int)width, .label = labels[report->set->aggr->mode] };

	for (i = 0; i < set->nr; i++) {
		if (strlen(set->counters[i].name) > longest)
			longest = (unsigned int)strnlen(set->counters[i].name, TOP_WIDTH_MAX);
	}
	w.name = w.all - w.label - RATE_WIDTH - RUNNING_WIDTH - METRIC_WIDTH - 3;
	/* The rest is for reasons, which are long. */
	if (w.name > (int)longest)
		w.name = (int)longest;
	/* What does not fit any more is the end of the metric. */
	if (w.name < NAME_MIN)
		w.name = NAME_MIN;
	return w;
}

/* @text: DIGITS_RATE_SIZE bytes. */
static void rate_text(char *text, const struct report *report, const struct report_row *row)
{
	double seconds = report->elapsed.mean;

	if (!counts_counted(row->counts) || seconds <= 0.0)
		snprintf(text, DIGITS_RATE_SIZE, "%s", report_no_value(row));
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

static void make_row(struct top_line *line, const struct report *report,
		     const struct report_row *row, const struct widths *w)
{
	const struct counts *counts = row->counts;
	bool partial = counts->enabled.mean > counts->running.mean;
	char label[AGGR_LABEL_SIZE] = "", rate[DIGITS_RATE_SIZE], running[32] = "", metric[300];

	if (w->label)
		aggr_label(report->set->aggr, row->line, label, sizeof(label));
	rate_text(rate, report, row);
	if (counts->enabled.mean > 0.0)
		snprintf(running, sizeof(running), "%.2f%%", counts_running_percent(counts));
	metric_text(metric, sizeof(metric), report, row);
	top_line_add(line, TOP_PLAIN, "%-*s%-*.*s", w->label, label, w->name, w->name,
		     row->counter->name);
	top_line_add(line, partial ? TOP_PARTIAL : TOP_PLAIN, " %*s %*s", RATE_WIDTH, rate,
		     RUNNING_WIDTH, running);
	top_line_add(line, TOP_PLAIN, " %s", metric);
}

int top_screen_events(struct top_screen *screen, const struct top_content *content)
{
	const struct report *report = content->report;
	const struct counter_set *set = report->set;
	struct widths w = widths_of(report, content->width);
	struct report_row row;
	size_t i;
	int ret;

	ret = top_screen_rows(screen, content, (size_t)set->nr * set->nr_lines);
	if (ret < 0)
		return ret;
	top_line_add(&screen->columns, TOP_HEADER, "%-*s%-*s %*s %*s", w.label,
		     w.label ? "WHERE" : "", w.name, "EVENT", RATE_WIDTH, "RATE", RUNNING_WIDTH,
		     "RUNNING");
	for (i = 0; i < screen->nr; i++) {
		report_row(report, screen->first + i, &row);
		make_row(&screen->rows[i], report, &row, &w);
	}
	return 0;
}
