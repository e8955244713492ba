/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The instructions of a function, in order, and where indirect jumps go. */
#ifndef FUNCTION_FLOW_H
#define FUNCTION_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insn.h"
#include "image.h"

#define FLOW_PARTS	8	/* of a function, at most */

/**
 * struct flow_part - code that is together
 * @start: its address
 * @size: bytes
 */
struct flow_part {
	uint64_t start;
	uint64_t size;
};

/**
 * struct flow - a function
 * @image: the file
 * @part: what it consists of; the first one has its beginning
 * @first: the first instruction of each part, which are in the order of their addresses
 * @nr_parts: number of @part
 * @insn: its instructions, part by part
 * @nr: number of @insn
 * @room: for so many there is room
 */
struct flow {
	const struct image *image;
	struct flow_part part[FLOW_PARTS];
	size_t first[FLOW_PARTS];
	unsigned int nr_parts;
	struct insn *insn;
	size_t nr;
	size_t room;
};

enum flow_jump {
	FLOW_INSIDE,	/* by a table, whose places are all inside */
	FLOW_OUTSIDE,	/* to a function whose address was in memory, or came as an argument */
	FLOW_UNKNOWN,
};

/* flow_has - whether an address is in the function */
bool flow_has(const struct flow *flow, uint64_t address);

/* flow_index - the instruction at an address; @flow->nr: none begins there */
size_t flow_index(const struct flow *flow, uint64_t address);

/* flow_add_part - decode one more part; -ENOMEM; -E2BIG; -EINVAL: the file does not have it */
int flow_add_part(struct flow *flow, struct disasm *disasm, const struct flow_part *part);

/* flow_jump_of - where the indirect jump @i of a function goes */
enum flow_jump flow_jump_of(const struct flow *flow, size_t i);

#endif
