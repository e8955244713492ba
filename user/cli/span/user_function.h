/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Functions of programs and libraries: PATH:FUNCTION, or PATH:0xOFFSET. */
#ifndef SPAN_USER_FUNCTION_H
#define SPAN_USER_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "function/exits.h"

/**
 * struct user_function - where a function is
 * @path: the file; for free()
 * @label: FILE:FUNCTION, without the file's folders; in the string that was asked for
 * @offset: where it begins in the file, in bytes
 * @exits: where a call begins and ends; its list is for free()
 */
struct user_function {
	char *path;
	const char *label;
	uint64_t offset;
	struct function_exits exits;
};

/* user_function_is - whether a function is one of a file: its name begins with '/' or '.' */
bool user_function_is(const char *point);

/*
 * user_function_find - find out where a function is
 * @point: its name
 * @force: leave out exits of which nobody can be sure
 * @function: out: where it is
 *
 * Returns 0, or EXIT_TOOL after what is wrong was reported, with names that are close.
 */
int user_function_find(const char *point, bool force, struct user_function *function);

void user_function_free(struct user_function *function);

#endif
