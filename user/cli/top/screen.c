// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "top_screen.h"

static void make_title(struct top_screen *screen, const struct top_content *content)
{
	const struct top_view *view = content->view;
	int room = (int)(content->width - strlen(content->clock)) - 1;
	char by[40] = "", left[TOP_WIDTH_MAX + 1];

	if (view->by != TOP_BY_EVENT)
		snprintf(by, sizeof(by), " by %s", top_by_name(view->by));
	snprintf(left, sizeof(left), "pmcgrp top: %s%s, the last %.3f s", content->report->subject,
		 by, content->report->elapsed.mean);
	top_line_add(&screen->title, TOP_BOLD, "%-*.*s %s", room, room, left, content->clock);
}

static const char *gap(const struct top_line *line)
{
	return line->len ? "  " : "";
}

static void foot_lost(struct top_line *foot, const struct top_content *content)
{
	if (!content->lost && !content->lost_names)
		return;
	top_line_add(foot, TOP_PLAIN, "%s", gap(foot));
	if (content->lost)
		top_line_add(foot, TOP_LOST, "LOST %" PRIu64 " records: sums are not exact",
			     content->lost);
	else
		top_line_add(foot, TOP_LOST, "LOST %" PRIu64 " names", content->lost_names);
}

static void make_foot(struct top_screen *screen, const struct top_content *content)
{
	const struct top_view *view = content->view;
	struct top_line *foot = &screen->foot;

	if (view->typing) {
		top_line_add(foot, TOP_BOLD, "filter: %s_", view->filter);
		return;
	}
	if (content->keys)
		top_line_add(foot, TOP_PLAIN, "q: quit  ?: help");
	foot_lost(foot, content);
	if (view->frozen)
		top_line_add(foot, TOP_BOLD, "%sFROZEN, counting goes on (space)", gap(foot));
	if (view->note[0])
		top_line_add(foot, TOP_BOLD, "%s%s", gap(foot), view->note);
	if (view->filter[0])
		top_line_add(foot, TOP_BOLD, "%sfilter: %s", gap(foot), view->filter);
	if (screen->columns_of > screen->nr_columns)
		top_line_add(foot, TOP_BOLD, "%scolumns %u to %u of %u, a wider screen has more",
			     gap(foot), screen->first_column + 1,
			     screen->first_column + screen->nr_columns, screen->columns_of);
	if (screen->all > screen->nr)
		top_line_add(foot, TOP_PLAIN, "%srows %zu to %zu of %zu%s", gap(foot),
			     screen->first + 1, screen->first + screen->nr, screen->all,
			     content->keys ? ", arrow keys scroll" : "");
}

static int make_view(struct top_screen *screen, const struct top_content *content)
{
	if (content->view->help)
		return top_screen_help(screen, content);
	if (content->view->matrix)
		return top_screen_matrix(screen, content);
	if (content->view->by == TOP_BY_EVENT)
		return top_screen_events(screen, content);
	return top_screen_table(screen, content);
}

int top_screen_make(struct top_screen *screen, const struct top_content *given)
{
	struct top_content content = *given;
	size_t i;
	int ret;

	if (content.width > TOP_WIDTH_MAX)
		content.width = TOP_WIDTH_MAX;
	if (content.width < TOP_WIDTH_MIN)
		content.width = TOP_WIDTH_MIN;
	top_screen_free(screen);
	ret = make_view(screen, &content);
	if (ret < 0)
		return ret;
	make_title(screen, &content);
	make_foot(screen, &content);
	top_line_fit(&screen->title, content.width);
	top_line_fit(&screen->columns, content.width);
	top_line_fit(&screen->foot, content.width);
	for (i = 0; i < screen->nr; i++)
		top_line_fit(&screen->rows[i], content.width);
	return 0;
}

void top_screen_free(struct top_screen *screen)
{
	free(screen->rows);
	memset(screen, 0, sizeof(*screen));
}
