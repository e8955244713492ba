/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Text for a file, put together without printf(): what a report of 1 ms has to say costs more
 * in formats and in locks of the file than in all else.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text {
	FILE *file;
	size_t gone;		/* bytes that the file has by now */
	size_t len;		/* and those that it has not */
	char buf[4096];
};

void text_init(struct text *text, FILE *file);

/* Gives the file what it does not have yet; a full text does so by itself. ferror() tells. */
void text_end(struct text *text);

static inline void text_char(struct text *text, char c)
{
	if (text->len == sizeof(text->buf))
		text_end(text);
	text->buf[text->len++] = c;
}

void text_bytes(struct text *text, const char *bytes, size_t len);
void text_string(struct text *text, const char *string);

/* As "%-*s" and "%*s"; a character takes one column. */
void text_left(struct text *text, size_t width, const char *string);
void text_right(struct text *text, size_t width, const char *string);

/* As "%*.*f", with @commas after thousands; and as "%*" PRIu64. Widths of up to 500. */
void text_fixed(struct text *text, size_t width, double value, int decimals, bool commas);
void text_whole(struct text *text, size_t width, uint64_t value);

/* Where the text is; and blanks up to there, unless it is beyond. */
static inline size_t text_at(const struct text *text)
{
	return text->gone + text->len;
}

void text_blanks(struct text *text, size_t until);

#endif
