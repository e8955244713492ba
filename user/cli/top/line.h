/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A line of the screen: text, and what each byte of it means. */
#ifndef TOP_LINE_H
#define TOP_LINE_H

#include <stddef.h>

#define TOP_WIDTH_MIN 40
#define TOP_WIDTH_MAX 400
#define TOP_LINE_BYTES (2 * TOP_WIDTH_MAX)	/* names are UTF-8 */

/* Colours have a meaning; without any, a sign in the text says the same. */
enum top_style {
	TOP_PLAIN,
	TOP_BOLD,
	TOP_HEADER,
	TOP_HOT,	/* at least half of the highest of its column */
	TOP_PARTIAL,	/* not counted all of the time: scaled */
	TOP_LOST,	/* records were lost */
	TOP_HEAT,	/* and up to TOP_HEAT + TOP_HEATS - 1: parts of the highest */
};

#define TOP_HEATS 10

struct top_line {
	size_t len;
	char text[TOP_LINE_BYTES + 1];
	unsigned char style[TOP_LINE_BYTES + 1];
};

/* top_line_add - append to a line; what is beyond TOP_LINE_BYTES is left out */
void top_line_add(struct top_line *line, enum top_style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* top_line_name - a name in so many columns: cut off, or with blanks behind it */
void top_line_name(struct top_line *line, enum top_style style, size_t width, const char *name);

/* top_line_fit - no longer than the screen is wide, and no blanks at its end */
void top_line_fit(struct top_line *line, size_t width);

#endif
