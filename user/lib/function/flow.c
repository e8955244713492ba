// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * An indirect jump goes on in its function if it was made of a "switch", by a table of places; or it
 * calls another function and does not come back. What compilers write tells: a table is read with an
 * index, and has places inside of the function; the address of a function is loaded from memory as
 * it is, or is an argument; and a function that has given its frame back has ended. Anything else is
 * not known.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"

#define INSNS_MAX	(1U << 20)
#define LOOK_BACK	64	/* instructions */

bool flow_has(const struct flow *flow, uint64_t address)
{
	unsigned int i;

	for (i = 0; i < flow->nr_parts; i++)
		if (address - flow->part[i].start < flow->part[i].size)
			return true;
	return false;
}

static int by_address(const void *key, const void *insn)
{
	const uint64_t *address = key;
	uint64_t other = ((const struct insn *)insn)->address;

	return *address < other ? -1 : *address > other;
}

size_t flow_index(const struct flow *flow, uint64_t address)
{
	const struct insn *found;
	size_t end = flow->nr;
	unsigned int i;

	for (i = flow->nr_parts; i-- > 0; end = flow->first[i]) {
		found = bsearch(&address, flow->insn + flow->first[i], end - flow->first[i],
				sizeof(*found), by_address);
		if (found)
			return (size_t)(found - flow->insn);
	}
	return flow->nr;
}

static struct insn *new_insn(struct flow *flow)
{
	struct insn *more;

	if (flow->nr == flow->room) {
		flow->room = flow->room ? 2 * flow->room : 256;
		more = realloc(flow->insn, flow->room * sizeof(*more));
		if (!more)
			return NULL;
		flow->insn = more;
	}
	return &flow->insn[flow->nr++];
}

int flow_add_part(struct flow *flow, struct disasm *disasm, const struct flow_part *part)
{
	const unsigned char *code = image_bytes(flow->image, part->start, part->size);
	struct insn *insn;
	uint64_t at;

	if (!code)
		return -EINVAL;
	if (flow->nr_parts == FLOW_PARTS)
		return -E2BIG;
	flow->first[flow->nr_parts] = flow->nr;
	flow->part[flow->nr_parts++] = *part;
	for (at = 0; at < part->size; at += insn->size) {
		if (flow->nr == INSNS_MAX)
			return -E2BIG;
		insn = new_insn(flow);
		if (!insn)
			return -ENOMEM;
		insn->address = part->start + at;
		disasm_next(disasm, code + at, part->size - at, insn);
		if (insn->kind == INSN_UNKNOWN)
			return 0;
	}
	return 0;
}

/* The instruction that has written a register last before @i, as they lie; NULL: none. */
static const struct insn *writer_of(const struct flow *flow, size_t i, uint16_t reg, bool *from_call)
{
	size_t least = i > LOOK_BACK ? i - LOOK_BACK : 0;

	*from_call = false;
	while (i-- > least) {
		if (flow->insn[i].kind == INSN_CALL)
			*from_call = true;
		if (flow->insn[i].to == reg)
			return &flow->insn[i];
	}
	return NULL;
}

/* The address that a register has before @i; 0: not known. */
static uint64_t address_in(const struct flow *flow, size_t i, uint16_t reg)
{
	bool from_call;
	const struct insn *writer = writer_of(flow, i, reg, &from_call);
	uint64_t add = 0;

	/* arm64: a page, and a place in it. */
	if (writer && writer->value == VALUE_SUM && !writer->from[1]) {
		add = writer->target;
		writer = writer_of(flow, (size_t)(writer - flow->insn), writer->from[0], &from_call);
	}
	return writer && writer->value == VALUE_ADDRESS ? writer->target + add : 0;
}

/* Addresses, or on x86_64 distances from the table; the first two, or one, are inside. */
static bool is_table(const struct flow *flow, uint64_t table, unsigned int size)
{
	const unsigned char *bytes = table ? image_bytes(flow->image, table, size) : NULL;
	uint64_t place = 0;
	int32_t distance;

	if (!bytes)
		return false;
	if (size == sizeof(place)) {
		memcpy(&place, bytes, sizeof(place));
	} else {
		memcpy(&distance, bytes, sizeof(distance));
		place = table + (uint64_t)(int64_t)distance;
	}
	return flow_has(flow, place);
}

static enum flow_jump by_sum(const struct flow *flow, size_t i, const struct insn *insn)
{
	uint64_t address;
	unsigned int k;

	for (k = 0; k < 2; k++) {
		address = insn->from[k] ? address_in(flow, i, insn->from[k]) : 0;
		/* arm64 adds to a place inside of the function. */
		if (address && (flow_has(flow, address) || is_table(flow, address, sizeof(int32_t))))
			return FLOW_INSIDE;
	}
	return FLOW_UNKNOWN;
}

/* Memory at a register: an object, unless that was made of an index. */
static enum flow_jump by_load(const struct flow *flow, size_t i, const struct insn *insn)
{
	bool from_call;
	const struct insn *base;

	if (!insn->from[0])
		return FLOW_OUTSIDE;
	base = writer_of(flow, i, insn->from[0], &from_call);
	if (!base || from_call)
		return FLOW_OUTSIDE;
	if (base->value == VALUE_SUM && !base->from[1])
		return FLOW_OUTSIDE;
	if (base->value == VALUE_LOADED || base->value == VALUE_COPY || base->value == VALUE_ADDRESS)
		return FLOW_OUTSIDE;
	return FLOW_UNKNOWN;
}

static enum flow_jump by_index(const struct flow *flow, size_t i, const struct insn *insn)
{
	uint64_t table = insn->from[0] ? address_in(flow, i, insn->from[0]) + insn->target :
					 insn->target;

	return is_table(flow, table, sizeof(uint64_t)) ? FLOW_INSIDE : FLOW_UNKNOWN;
}

/* What @insn jumps to, or writes into the register that is jumped to. */
static enum flow_jump by_value(const struct flow *flow, const struct insn *insn)
{
	size_t i = (size_t)(insn - flow->insn);
	unsigned int copies;
	bool from_call;

	for (copies = 0; insn->value == VALUE_COPY && copies < 8; copies++) {
		insn = writer_of(flow, i, insn->from[0], &from_call);
		/* An argument, or what a function has given back. */
		if (!insn)
			return i <= LOOK_BACK || from_call ? FLOW_OUTSIDE : FLOW_UNKNOWN;
		i = (size_t)(insn - flow->insn);
	}
	switch (insn->value) {
	case VALUE_LOADED:
		return by_load(flow, i, insn);
	case VALUE_INDEXED:
		return by_index(flow, i, insn);
	case VALUE_SUM:
		return by_sum(flow, i, insn);
	default:
		return FLOW_UNKNOWN;
	}
}

/* On the straight way to @i. */
static bool frame_is_gone(const struct flow *flow, size_t i)
{
	size_t least = i > LOOK_BACK ? i - LOOK_BACK : 0;

	while (i-- > least && flow->insn[i].kind == INSN_PLAIN)
		if (flow->insn[i].moves_stack)
			return flow->insn[i].frees_stack;
	return false;
}

enum flow_jump flow_jump_of(const struct flow *flow, size_t i)
{
	enum flow_jump jump = by_value(flow, &flow->insn[i]);

	return jump == FLOW_UNKNOWN && frame_is_gone(flow, i) ? FLOW_OUTSIDE : jump;
}
