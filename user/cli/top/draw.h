/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The terminal of top. */
#ifndef TOP_DRAW_H
#define TOP_DRAW_H

#include "screen.h"

enum top_key {
	TOP_KEY_NONE,	/* the time is over */
	TOP_KEY_QUIT,
	TOP_KEY_UP,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_RESIZE,
	TOP_KEY_OTHER,
};

/* Takes over the terminal. Returns 0, or -1 after a failure that was reported. */
int top_draw_begin(void);

/* Gives it back. */
void top_draw_end(void);

unsigned int top_draw_width(void);

/* How many rows there is room for. */
size_t top_draw_room(void);

/* Shows the rows from @offset on. */
void top_draw_show(const struct top_screen *screen, size_t offset);

/* Waits for a key, no longer than so many ms. */
enum top_key top_draw_wait(int ms);

#endif
