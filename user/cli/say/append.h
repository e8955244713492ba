/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef APPEND_H
#define APPEND_H

#include <stddef.h>

/*
 * append - one item more to a list in @text
 * @between: comes before it, if it is not the first
 *
 * What has no room is left out; the list then ends with "...".
 */
void append(char *text, size_t size, const char *between, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
