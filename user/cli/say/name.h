/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * The one printer of names that others chose: of threads, commands, cgroups, files, functions,
 * sections, events. They are bytes. A name is the same text in all outputs:
 *
 *	characters	as they are, in UTF-8
 *	others		\xHH for each byte: what is no UTF-8, as a character that was cut off; control
 *			characters; those that turn the direction of text, or end a line
 *
 * A format adds what is its own:
 *
 *	JSON		quotes and backslashes have a backslash before them (jansson)
 *	CSV		RFC 4180: a name with the separator or a quote in it is quoted (name_csv())
 *	-x of stat	perf's readers know no quotes: a '.' for the separator, as perf report -t has it; a
 *	and section	name with a quote in it is quoted all the same, for readers of RFC 4180
 *	folded		':' for ';', as stackcollapse-perf.pl has it
 *	HTML, SVG	&amp; &lt; &gt; &quot;
 */
#ifndef NAME_H
#define NAME_H

#include <stdbool.h>
#include <stdio.h>

/* Room for the text of so many bytes. */
#define NAME_SIZE(bytes) (4 * (bytes) + 1)

/* For that of a path, as of a cgroup. */
#define NAME_PATH_SIZE NAME_SIZE(4096)

/* For that of a thread's name, of PMCGRP_COMM_SIZE bytes with the last one, or as many without. */
#define NAME_COMM_SIZE NAME_SIZE(32)

/*
 * name_text - a name as text
 * @name: up to @len bytes, or to a zero among them
 *
 * What does not fit is cut off, between two characters. Returns @out.
 */
char *name_text(char *out, size_t size, const void *name, size_t len);

/* The same in memory of its own; NULL: there is none. */
char *name_dup(const void *name, size_t len);

/* Whether a byte of UTF-8 begins a character, and does not go on with one. */
bool name_begins_character(char c);

/* How many columns of a terminal a text takes, if each character takes one. */
size_t name_columns(const char *text);

/* The bytes of a text's first characters, @columns at most. */
size_t name_cut(const char *text, size_t columns);

/* As "%-*s": blanks behind it. */
void name_left(FILE *file, size_t width, const char *text);

#endif
