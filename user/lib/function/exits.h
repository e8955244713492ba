/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Where a function of a program leaves: its returns, and its jumps to other functions. */
#ifndef FUNCTION_EXITS_H
#define FUNCTION_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"

/**
 * struct function_exits - where a function begins and leaves
 * @begin: offset in the file of the instruction at which a call begins: the function's first one, or
 *	behind a check of the stack that has it begin again (Go)
 * @exit: offsets in the file, in ascending order; for free()
 * @nr: number of @exit
 * @why: what is wrong, without the function's name; empty: nothing
 * @can_force: with force it would have been left out
 */
struct function_exits {
	uint64_t begin;
	uint64_t *exit;
	unsigned int nr;
	char why[240];
	bool can_force;
};

/*
 * function_exits_find - find the exits of a function of a file
 * @image: the file
 * @offset: where the function begins in it
 * @force: leave out the exits of which nobody can be sure, instead of an error
 * @exits: out: the exits
 *
 * Returns 0, or with @exits->why set
 *  -EOPNOTSUPP: its exits cannot be found for sure, or no function begins at @offset
 *  -ENOENT: libcapstone is not installed
 *  -EINVAL: there is no code at @offset
 *  -ENOMEM
 */
int function_exits_find(const struct image *image, uint64_t offset, bool force,
			struct function_exits *exits);

#endif
