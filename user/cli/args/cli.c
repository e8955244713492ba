// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "say/name.h"

/* No line is longer. Sentences are shorter: what makes them long is what they name. */
#define WIDTH 180

/* What of a string is shown beside the place that a caret points to. */
#define BESIDE 60

#define CUT "..."

/* What a line begins with that goes on with a sentence, and what is shown of words too long. */
#define INDENT 2
#define HEAD 100
#define TAIL 16

static const char *subcommand = "";

void cli_begin(const char *name)
{
	subcommand = name;
}

const char *cli_subcommand(void)
{
	return subcommand;
}

static size_t columns_of(const char *text, size_t len)
{
	size_t nr = 0;

	while (len--)
		nr += name_begins_character(*text++);
	return nr;
}

/* A word that no line has room for: its end may tell it from others, and closes its quote. */
static size_t print_word(const char *word, size_t len)
{
	size_t columns = columns_of(word, len), tail = len, nr = 0;

	if (columns < WIDTH - INDENT) {
		fprintf(stderr, "%.*s", (int)len, word);
		return columns;
	}
	while (nr < TAIL)
		nr += name_begins_character(word[--tail]);
	fprintf(stderr, "%.*s" CUT "%.*s", (int)name_cut(word, HEAD), word, (int)(len - tail),
		word + tail);
	return HEAD + strlen(CUT) + TAIL;
}

/* Up to a blank that is not between quotes: a command in quotes is there to be copied. */
static size_t word_length(const char *text)
{
	size_t len = strcspn(text, " "), quoted;
	const char *quote = memchr(text, '"', len);
	const char *end = quote ? strchr(quote + 1, '"') : NULL;

	if (!end || end < text + len)
		return len;
	quoted = (size_t)(end - text) + strcspn(end, " ");
	return columns_of(text, quoted) < WIDTH - INDENT ? quoted : len;
}

/* Behind @column characters that are on the line already. */
static void print_line(const char *text, size_t column)
{
	size_t blanks, len;

	while (*text) {
		blanks = strspn(text, " ");
		len = word_length(text + blanks);
		if (column + blanks + columns_of(text + blanks, len) > WIDTH && column > INDENT) {
			fprintf(stderr, "\n%*s", INDENT, "");
			column = INDENT;
			text += blanks;
			blanks = 0;
		}
		column += blanks;
		fprintf(stderr, "%.*s", (int)blanks, text);
		column += print_word(text + blanks, len);
		text += blanks + len;
	}
	fputc('\n', stderr);
}

void cli_say(const char *format, ...)
{
	char *text, *at, *line, *shown;
	va_list args;
	int used, ret;

	used = fprintf(stderr, "pmcgrp%s%s: ", *subcommand ? " " : "", subcommand);
	va_start(args, format);
	ret = vasprintf(&text, format, args);
	va_end(args);
	if (ret < 0) {
		fputs("out of memory\n", stderr);
		return;
	}
	/* Names and arguments are in it; lines are ours. */
	for (at = text; (line = strsep(&at, "\n")); used = 0) {
		shown = name_dup(line, strlen(line));
		print_line(shown ? shown : format, used > 0 ? (size_t)used : 0);
		free(shown);
	}
	free(text);
}

int cli_say_errno(const char *what, int err)
{
	cli_say("%s: %s", what, strerror(err));
	return EXIT_TOOL;
}

/* On one line: what would end it, or move the cursor, is a blank. */
static void print_part(const char *string, size_t from, size_t to)
{
	for (; from < to; from++)
		fputc((unsigned char)string[from] < ' ' ? ' ' : string[from], stderr);
}

void cli_point(const char *string, size_t column)
{
	size_t len = strlen(string), from = 0, to = len, i;

	if (column > len)
		column = len;
	if (len > 2 * BESIDE && column > BESIDE)
		from = column - BESIDE;
	if (to > from + 2 * BESIDE)
		to = from + 2 * BESIDE;
	while (from > 0 && !name_begins_character(string[from]))
		from--;
	while (to < len && !name_begins_character(string[to]))
		to++;
	fprintf(stderr, "  %s", from ? CUT : "");
	print_part(string, from, to);
	fprintf(stderr, "%s\n  %*s", to < len ? CUT : "", from ? (int)strlen(CUT) : 0, "");
	for (i = from; i < column; i++) {
		if (name_begins_character(string[i]))
			fputc(' ', stderr);
	}
	fputs("^\n", stderr);
}
