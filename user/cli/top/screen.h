/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What top shows, as lines of text; how they get to a terminal is another matter. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include "stat/print.h"

#define TOP_WIDTH_MIN 40
#define TOP_WIDTH_MAX 400

struct top_screen {
	char title[TOP_WIDTH_MAX + 1];
	char columns[TOP_WIDTH_MAX + 1];
	char (*rows)[TOP_WIDTH_MAX + 1];	/* one for each event on each line */
	size_t nr;
};

/*
 * top_screen_make - what was counted in the last interval, in lines of no more than @width
 * @report: of that interval; report->elapsed is its length
 * @clock: the time of day, for the title's end
 *
 * A screen that was made before is made anew. Returns 0, or -ENOMEM.
 */
int top_screen_make(struct top_screen *screen, const struct report *report, const char *clock,
		    unsigned int width);

void top_screen_free(struct top_screen *screen);

/*
 * top_screen_offset - the first row to be shown, if @wanted is asked for and there is room
 * for @room of them
 */
size_t top_screen_offset(const struct top_screen *screen, size_t wanted, size_t room);

#endif
