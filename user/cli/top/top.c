// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp top: what groups count, shown anew every second. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args/cli.h"
#include "counters/workload.h"
#include "event/near.h"
#include "draw.h"
#include "top_options.h"
#include "output.h"
#include "source.h"
#include "wait.h"

#define MS_NS 1000000

/* Rings are emptied so often: for names and new tasks there is no wake-up. */
#define DRAIN_NS 250000000

#define BATCH_WIDTH 132

struct top {
	struct top_options options;
	struct top_source source;
	struct top_view view;
	struct top_screen screen;
	struct top_wait wait;
	struct top_limits limits;
	bool colour;
	bool on_screen;
	int shown;		/* intervals */
	int64_t next;		/* end of this one */
	bool end;
};

/* ---- What is shown ---- */

static void sort(struct top *top)
{
	top_table_sort(&top->source.table, &top->view, &top->source.columns,
		       &top->source.stat.report);
}

static void content_init(struct top_content *content, const struct top *top, const char *clock)
{
	*content = (struct top_content){
		.report = &top->source.stat.report,
		.columns = &top->source.columns,
		.table = &top->source.table,
		.view = &top->view,
		.clock = clock,
		.width = BATCH_WIDTH,
		.room = (size_t)top->options.lines,
		.lost = top->source.lost,
		.lost_names = top->source.lost_names,
		.keys = top->on_screen,
	};
}

static int make_screen(struct top *top)
{
	struct top_content content;
	time_t now = time(NULL);
	char clock[16] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	content_init(&content, top, clock);
	if (top->on_screen) {
		content.width = top_draw_width();
		top->limits.room = top_draw_room();
		if (!content.room || content.room > top->limits.room)
			content.room = top->limits.room;
	}
	sort(top);
	return top_screen_make(&top->screen, &content);
}

static int draw(struct top *top)
{
	int ret = make_screen(top);

	if (ret < 0)
		return ret;
	/* What was scrolled to beyond the end is forgotten; help has rows of its own. */
	if (!top->view.help)
		top->view.offset = top->screen.first;
	top_draw_show(&top->screen);
	return 0;
}

static int print_json(struct top *top)
{
	struct top_content content;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	content_init(&content, top, "");
	sort(top);
	return top_output_json(stdout, &content, (double)now.tv_sec + (double)now.tv_nsec / 1e9,
			       (size_t)top->options.lines);
}

static int show(struct top *top)
{
	int ret;

	if (top->on_screen)
		return draw(top);
	if (top->options.json)
		return print_json(top);
	ret = make_screen(top);
	return ret < 0 ? ret : top_output_text(stdout, &top->screen, top->colour);
}

/* ---- Intervals ---- */

/* The next point of the grid; one that was missed is left out. */
static void schedule(struct top *top)
{
	int64_t step = (int64_t)top->view.delay * MS_NS;

	do {
		top->next += step;
	} while (top->next <= clock_now());
}

static void schedule_anew(struct top *top)
{
	top->next = clock_now();
	schedule(top);
}

static int interval_end(struct top *top)
{
	int ret;

	schedule(top);
	/* What is counted while the screen stands still is all in the interval after it. */
	if (top->view.frozen)
		return top_source_drain(&top->source);
	ret = top_source_interval(&top->source);
	if (ret >= 0)
		ret = show(top);
	top->shown++;
	top->end = top_source_gone(&top->source) ||
		   (top->options.iterations && top->shown >= top->options.iterations);
	return ret;
}

/* ---- What is counted ---- */

static void limits_init(struct top *top)
{
	int by;

	top->limits.nr_columns = (int)top->source.columns.nr;
	for (by = 0; by < TOP_BY_NR; by++)
		top->limits.refuse[by] = top_options_refuse_by(&top->options, &top->source.wanted,
							       (enum top_by)by);
}

static int say_sort(const struct top *top)
{
	const struct top_columns *columns = &top->source.columns;
	char near_names[NEAR_TEXT];
	struct near near;
	unsigned int i;

	near_begin(&near, top->options.sort);
	near_offer(&near, "name");
	for (i = 0; i < columns->nr; i++)
		near_offer(&near, columns->at[i].name);
	near_text(&near, near_names, sizeof(near_names));
	cli_say("-s: there is no column '%s'%s%s These are:", top->options.sort, near_names,
		near_names[0] ? "" : ".");
	for (i = 0; i < columns->nr; i++)
		cli_say("  %s", columns->at[i].name);
	cli_say("  name");
	return EXIT_TOOL;
}

/* Tasks by what they have most of, CPUs in their order. */
static int sort_init(struct top *top)
{
	struct top_view *view = &top->view;
	int found;

	view->sort = top_by_tasks(view->by) ? 0 : COLUMN_NAME;
	if (!top->options.sort)
		return 0;
	found = top_columns_find(&top->source.columns, top->options.sort);
	if (found < COLUMN_NAME)
		return say_sort(top);
	view->sort = found;
	return 0;
}

/* Begins to count for the rows that view.by says. */
static int begin(struct top *top)
{
	struct top_source *source = &top->source;
	const struct counter_set *set = &source->stat.set;
	unsigned int i;
	int ret;

	top_wait_no_rings(&top->wait);
	ret = top_source_open(source, top->view.by);
	if (!ret)
		ret = sort_init(top);
	for (i = 0; i < set->nr_groups && !ret && top_source_has_rings(source, top->view.by); i++) {
		if (set->groups[i].group &&
		    top_wait_ring(&top->wait, pmcgrp_group_fd(set->groups[i].group)) < 0)
			ret = cli_say_errno("cannot wait for the rings", ENOMEM);
	}
	limits_init(top);
	schedule_anew(top);
	return ret;
}

/* Messages go to the terminal as it was before. */
static int begin_anew(struct top *top)
{
	int ret;

	/* Rows of tasks of another kind are made of the same counts. */
	if (top_source_has_rings(&top->source, top->view.by) &&
	    top_source_has_rings(&top->source, top->source.by)) {
		top->source.by = top->view.by;
		return 0;
	}
	top_draw_suspend();
	/* Columns may be others. */
	top->options.sort = NULL;
	ret = begin(top);
	if (!ret)
		top_draw_resume();
	return ret;
}

/* ---- Keys ---- */

static int keys_take(struct top *top)
{
	enum top_act act = TOP_ACT_NONE;
	int key, ret = 0;

	while (!ret && act != TOP_ACT_QUIT && (key = top_draw_key()) != TOP_KEY_NONE) {
		act = top_view_key(&top->view, key, &top->limits);
		if (act == TOP_ACT_DELAY)
			schedule_anew(top);
		if (act == TOP_ACT_SOURCE)
			ret = begin_anew(top);
	}
	top->end |= act == TOP_ACT_QUIT;
	return ret || top->end ? ret : draw(top);
}

/* ---- All of it ---- */

static int event_take(struct top *top, enum top_event event)
{
	switch (event) {
	case TOP_EVENT_END:
		top->end = true;
		return 0;
	case TOP_EVENT_KEY:
		return keys_take(top);
	case TOP_EVENT_SIGNAL:
		/* A change of the screen's size is a key, too. */
		return top->on_screen ? keys_take(top) : 0;
	default:
		if (clock_now() >= top->next)
			return interval_end(top);
		return top_source_drain(&top->source);
	}
}

/* Returns 0, an exit status that was reported, or a negative errno. */
static int run(struct top *top)
{
	int64_t until;
	int ret = top->on_screen ? draw(top) : 0;

	while (!ret && !top->end) {
		until = clock_now() + DRAIN_NS;
		if (top->next < until || !top_by_tasks(top->view.by))
			until = top->next;
		ret = event_take(top, top_wait(&top->wait, until));
	}
	return ret;
}

static bool colour_wanted(const struct top_options *o)
{
	const char *no = getenv("NO_COLOR");

	if (o->colour != TOP_COLOUR_AUTO)
		return o->colour == TOP_COLOUR_ALWAYS;
	return !o->batch && !(no && no[0]);
}

static int finish(const struct top *top, int ret)
{
	if (ret > 0)
		return ret;
	/* Nobody reads any more. */
	if (ret == -EPIPE && !top->on_screen)
		return 0;
	if (ret < 0)
		return cli_say_errno("cannot go on", -ret);
	if (top->on_screen && top_source_gone(&top->source))
		cli_say("%s has ended", top->source.stat.report.subject);
	return 0;
}

/* The terminal is ours only while there is nothing to say. */
static int count(struct top *top)
{
	bool screen = !top->options.json && !top->options.batch;
	int ret;

	if (top_wait_init(&top->wait, screen) < 0)
		return cli_say_errno("cannot set up", ENOMEM);
	ret = begin(top);
	if (ret)
		return ret;
	if (!screen)
		signal(SIGPIPE, SIG_IGN);
	else if (top_draw_begin(top->colour) < 0)
		return EXIT_TOOL;
	top->on_screen = screen;
	ret = run(top);
	if (screen)
		top_draw_end();
	return finish(top, ret);
}

static void view_init(struct top *top)
{
	const struct top_options *o = &top->options;

	top->view = (struct top_view){
		.by = o->by,
		.matrix = o->matrix,
		.reverse = o->reverse,
		.delay = o->delay,
	};
	if (o->filter)
		memcpy(top->view.filter, o->filter, strlen(o->filter) + 1);
	top->colour = colour_wanted(o);
}

int top_main(int argc, char **argv)
{
	struct stat_options wanted;
	static struct top top;
	int ret;

	cli_begin("top");
	ret = top_options_parse(&top.options, &wanted, argc, argv);
	if (ret <= 0) {
		stat_options_free(&wanted);
		return -ret;
	}
	view_init(&top);
	ret = top_source_init(&top.source, &top.options, &wanted);
	if (!ret)
		ret = count(&top);
	top_screen_free(&top.screen);
	top_source_free(&top.source);
	top_wait_free(&top.wait);
	return ret;
}
