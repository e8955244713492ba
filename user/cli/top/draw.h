/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The terminal of top. */
#ifndef TOP_DRAW_H
#define TOP_DRAW_H

#include "top_screen.h"

/* Takes over the terminal. Returns 0, or -1 after a failure that was reported. */
int top_draw_begin(bool colour);

/* Gives it back: for good, or for messages until top_draw_resume(). */
void top_draw_end(void);
void top_draw_suspend(void);
void top_draw_resume(void);

unsigned int top_draw_width(void);

/* How many rows there is room for. */
size_t top_draw_room(void);

void top_draw_show(const struct top_screen *screen);

/* A character or enum top_key that was typed; TOP_KEY_NONE: there is none now. */
int top_draw_key(void);

#endif
