// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* pmcgrp top: what groups count, shown anew every second. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "common/cli.h"
#include "common/workload.h"
#include "draw.h"
#include "options.h"
#include "stat/stat.h"

#define MS_NS 1000000

struct top {
	struct top_options options;
	struct stat_run stat;
	struct top_screen screen;
	size_t offset;		/* of the first row shown */
	int shown;		/* intervals */
	int64_t last;		/* end of the last interval */
	int64_t next;		/* of this one */
	bool gone;		/* the target has ended */
};

static int make_screen(struct top *top)
{
	time_t now = time(NULL);
	char clock[16] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	top->stat.report.set = &top->stat.set;
	top->stat.report.subject = top->stat.subject;
	top->stat.report.runs = 1;
	return top_screen_make(&top->screen, &top->stat.report, clock, top_draw_width());
}

static void show(struct top *top)
{
	top->offset = top_screen_offset(&top->screen, top->offset, top_draw_room());
	top_draw_show(&top->screen, top->offset);
}

/* The next point of the grid; one that was missed is left out. */
static void schedule(struct top *top)
{
	int64_t step = (int64_t)top->options.delay * MS_NS;

	do {
		top->next += step;
	} while (top->next <= clock_now());
}

static bool target_gone(const struct stat_options *o)
{
	const struct args_ids *ids = o->pids.nr ? &o->pids : &o->tids;
	unsigned int i;

	for (i = 0; i < ids->nr; i++) {
		if (kill(ids->id[i], 0) >= 0 || errno != ESRCH)
			return false;
	}
	return ids->nr;
}

static int interval_end(struct top *top)
{
	struct stat_run *st = &top->stat;
	int64_t now = clock_now();
	int ret;

	counter_set_clear(&st->set);
	st->report.elapsed = (struct stats){ 0 };
	ret = counter_set_read(&st->set);
	if (!ret)
		ret = counter_set_explain(&st->set, st->h, false);
	if (ret < 0)
		return ret;
	stats_update(&st->report.elapsed, (double)(now - top->last) / 1e9);
	top->last = now;
	schedule(top);
	ret = make_screen(top);
	if (ret < 0)
		return ret;
	show(top);
	top->shown++;
	top->gone = target_gone(&st->options);
	return 0;
}

/* Up by @rows, or down. */
static void scroll_by(struct top *top, size_t rows, bool up)
{
	if (!up)
		top->offset += rows;
	else
		top->offset -= rows < top->offset ? rows : top->offset;
	show(top);
}

/* Returns whether to go on. */
static int key_take(struct top *top, enum top_key key)
{
	switch (key) {
	case TOP_KEY_UP:
	case TOP_KEY_DOWN:
		scroll_by(top, 1, key == TOP_KEY_UP);
		return 0;
	case TOP_KEY_PAGE_UP:
	case TOP_KEY_PAGE_DOWN:
		scroll_by(top, top_draw_room(), key == TOP_KEY_PAGE_UP);
		return 0;
	case TOP_KEY_RESIZE:
		if (make_screen(top) < 0)
			return -ENOMEM;
		show(top);
		return 0;
	default:
		return 0;
	}
}

static int run(struct top *top)
{
	enum top_key key;
	int ret;

	top->last = clock_now();
	top->next = top->last;
	schedule(top);
	ret = make_screen(top);
	if (ret < 0)
		return ret;
	show(top);
	while (!top->gone && (!top->options.iterations || top->shown < top->options.iterations)) {
		key = top_draw_wait((int)((top->next - clock_now() + MS_NS - 1) / MS_NS));
		if (key == TOP_KEY_QUIT)
			break;
		if (key != TOP_KEY_NONE)
			ret = key_take(top, key);
		else if (clock_now() >= top->next)
			ret = interval_end(top);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* The terminal is ours only while there is nothing to say. */
static int count(struct top *top)
{
	int ret = counter_set_enable(&top->stat.set);

	if (ret < 0)
		return cli_say_errno("cannot start the counters", -ret);
	if (top_draw_begin() < 0)
		return EXIT_TOOL;
	ret = run(top);
	top_draw_end();
	if (ret < 0)
		return cli_say_errno("cannot read the counters", -ret);
	if (top->gone)
		cli_say("%s has ended", top->stat.subject);
	return 0;
}

int top_main(int argc, char **argv)
{
	static struct top top;
	int ret;

	cli_begin("top");
	ret = top_options_parse(&top.options, &top.stat.options, argc, argv);
	if (ret <= 0) {
		stat_options_free(&top.stat.options);
		return -ret;
	}
	ret = stat_setup(&top.stat);
	if (!ret)
		ret = stat_groups_open(&top.stat, 0);
	if (!ret) {
		ret = count(&top);
		counter_set_close(&top.stat.set);
	}
	top_screen_free(&top.screen);
	stat_free(&top.stat);
	return ret;
}
