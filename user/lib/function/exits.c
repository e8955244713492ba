// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Exits are probed: a breakpoint takes their place, so what is taken for one has to be code. And one
 * that is left out leaves calls without an end. So a function is refused if something in it is not
 * known for sure.
 *
 * All of a function is decoded, from its first byte to its last one: where an exception is caught no
 * jump leads. What no jump leads to can be data as well, which assembly has among code. It is left
 * out, unless the function has a table of jumps, or the file code that catches exceptions. Data of
 * arm64 that is loaded by its distance is known from that.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insn.h"
#include "exits.h"
#include "flow.h"
#include "go_table.h"

#include <linux/pmcgrp.h>

/* What is known of an address. */
struct place {
	uint64_t address;
	bool wants_size;		/* a function with a size, that begins there */
	struct image_symbol symbol;	/* name NULL: none */
};

struct finder {
	const struct image *image;
	struct disasm *disasm;
	struct flow flow;
	uint64_t start;			/* address of the function */
	uint64_t begin;			/* where a call begins */
	bool force;
	bool has_table;			/* a table of jumps */
	int ret;			/* of what walks over symbols */
	unsigned char *reached;		/* for each instruction */
	struct function_exits *exits;
};

static int __attribute__((format(printf, 2, 3)))
refuse(struct finder *finder, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(finder->exits->why, sizeof(finder->exits->why), format, args);
	va_end(args);
	return -EOPNOTSUPP;
}

/* An offset in the file, as PATH:0xOFFSET and objdump of an unrelocated file have it. */
static uint64_t offset_of(const struct finder *finder, uint64_t address)
{
	const Elf64_Phdr *segment = image_code(finder->image, address, true);

	return segment ? address - segment->p_vaddr + segment->p_offset : address;
}

/* An exit of which nobody can be sure: left out, or an error. */
static int __attribute__((format(printf, 3, 4)))
doubt(struct finder *finder, const struct insn *insn, const char *format, ...)
{
	struct function_exits *exits = finder->exits;
	va_list args;
	int len;

	if (finder->force)
		return 0;
	exits->can_force = true;
	len = snprintf(exits->why, sizeof(exits->why), "at 0x%" PRIx64 " it ",
		       offset_of(finder, insn->address));
	va_start(args, format);
	vsnprintf(exits->why + len, sizeof(exits->why) - (size_t)len, format, args);
	va_end(args);
	return -EOPNOTSUPP;
}

/* ---- Names of addresses ---- */

static bool is_function(const struct image_symbol *symbol)
{
	return symbol->is_defined && (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC ||
				      symbol->type == STT_NOTYPE);
}

static bool has_place(const struct image_symbol *symbol, void *data)
{
	struct place *place = data;
	bool begins = symbol->value == place->address;

	if (!is_function(symbol) || symbol->name[0] == '$')
		return true;
	if (!begins && (place->wants_size || place->address - symbol->value >= symbol->size))
		return true;
	/* Of several names the one that has the most; that of the function itself before others. */
	if (!place->symbol.name || symbol->size > place->symbol.size ||
	    (begins && place->symbol.value != place->address))
		place->symbol = *symbol;
	return true;
}

static struct image_symbol symbol_at(const struct image *image, uint64_t address, bool wants_size)
{
	struct place place = { .address = address, .wants_size = wants_size };

	image_symbols(image, has_place, &place);
	return place.symbol;
}

/* Compilers name what they have moved out of a function FUNCTION.cold, and the like. */
static bool is_cold(const struct image_symbol *symbol)
{
	return symbol->name && symbol->size && strstr(symbol->name, ".cold");
}

static bool is_linkage(const struct image *image, uint64_t address)
{
	const Elf64_Shdr *section = image_section_at(image, address);

	return section && strstr(image_section_name(image, section), "plt");
}

/* ---- Decoding ---- */

static bool is_direct(const struct insn *insn)
{
	return insn->kind == INSN_JUMP || insn->kind == INSN_BRANCH;
}

static int add_part(struct finder *finder, const struct flow_part *part)
{
	int ret = flow_add_part(&finder->flow, finder->disasm, part);

	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return refuse(finder, "its code is too large, or not in the file");
	if (finder->flow.nr && finder->flow.insn[finder->flow.nr - 1].kind == INSN_UNKNOWN)
		return refuse(finder, "libcapstone does not know the instruction at 0x%" PRIx64,
			      offset_of(finder,
					finder->flow.insn[finder->flow.nr - 1].address));
	return 0;
}

/* Names of the function, and what is named after one of them. */
struct cold {
	struct finder *finder;
	const char *name;
	int ret;
};

static bool add_cold_of(const struct image_symbol *symbol, void *data)
{
	struct cold *cold = data;
	size_t len = strlen(cold->name);

	if (is_cold(symbol) && is_function(symbol) && !strncmp(symbol->name, cold->name, len) &&
	    !strncmp(symbol->name + len, ".cold", 5) &&
	    !flow_has(&cold->finder->flow, symbol->value))
		cold->ret = add_part(cold->finder,
				     &(struct flow_part){ symbol->value, symbol->size });
	return !cold->ret;
}

static bool add_cold_of_name(const struct image_symbol *symbol, void *data)
{
	struct finder *finder = data;
	struct cold cold = { finder, symbol->name, 0 };

	if (is_function(symbol) && symbol->value == finder->start)
		image_symbols(finder->image, add_cold_of, &cold);
	finder->ret = cold.ret;
	return !cold.ret;
}

/*
 * Code of the function that is elsewhere: what it jumps to, and where exceptions are caught, which
 * has its name. That of a function of the same name does no harm: its exits meet other frames.
 */
static int add_cold_parts(struct finder *finder)
{
	struct image_symbol symbol;
	const struct insn *insn;
	size_t i;

	image_symbols(finder->image, add_cold_of_name, finder);
	for (i = 0; i < finder->flow.nr && !finder->ret; i++) {
		insn = &finder->flow.insn[i];
		if (!is_direct(insn) || flow_has(&finder->flow, insn->target))
			continue;
		symbol = symbol_at(finder->image, insn->target, false);
		if (is_cold(&symbol))
			finder->ret = add_part(finder, &(struct flow_part){ symbol.value,
									    symbol.size });
	}
	return finder->ret;
}

static bool goes_on(const struct insn *insn)
{
	return insn->kind == INSN_PLAIN || insn->kind == INSN_CALL || insn->kind == INSN_BRANCH;
}

/* Mark what jumps and what follows lead to. */
static int reach(struct finder *finder)
{
	const struct flow *flow = &finder->flow;
	size_t *todo = calloc(flow->nr + 1, sizeof(*todo)), nr = 0, i, to;

	finder->reached = calloc(flow->nr + 1, 1);
	if (!todo || !finder->reached) {
		free(todo);
		return -ENOMEM;
	}
	todo[nr++] = 0;
	while (nr) {
		for (i = todo[--nr]; i < flow->nr && !finder->reached[i]; i++) {
			finder->reached[i] = 1;
			if (is_direct(&flow->insn[i]) && flow_has(flow, flow->insn[i].target)) {
				to = flow_index(flow, flow->insn[i].target);
				if (to < flow->nr && !finder->reached[to])
					todo[nr++] = to;
			}
			if (!goes_on(&flow->insn[i]))
				break;
		}
	}
	free(todo);
	return 0;
}

static bool is_literal(const struct flow *flow, uint64_t address)
{
	size_t i;

	for (i = 0; i < flow->nr; i++)
		if (flow->insn[i].literal && address - flow->insn[i].target < flow->insn[i].literal)
			return true;
	return false;
}

/* Whether an instruction is executed, and no data. */
static bool is_code(const struct finder *finder, size_t i)
{
	const struct flow_part *main_part = &finder->flow.part[0];

	if (finder->reached[i])
		return true;
	/* What a compiler has moved out has no data. */
	if (finder->flow.insn[i].address - main_part->start >= main_part->size)
		return true;
	if (is_literal(&finder->flow, finder->flow.insn[i].address))
		return false;
	return finder->has_table || go_table_is(finder->image) ||
	       image_section(finder->image, ".gcc_except_table");
}

/* ---- Where a call begins ---- */

/* From @from on straight to @to. */
static bool is_straight(const struct flow *flow, size_t from, size_t to)
{
	for (; from < to; from++)
		if (flow->insn[from].kind != INSN_PLAIN && flow->insn[from].kind != INSN_CALL)
			return false;
	return from == to;
}

/*
 * Go's functions look first whether the stack is large enough. Else they call what makes it larger,
 * and begin again: with a jump to the beginning, @jump. A call begins behind the look, which does
 * not touch the stack.
 */
static bool begins_behind_check(struct finder *finder, size_t jump)
{
	const struct flow *flow = &finder->flow;
	size_t i, to;

	for (i = 0; i < flow->nr && i < 10; i++) {
		if (flow->insn[i].kind == INSN_BRANCH) {
			to = flow_index(flow, flow->insn[i].target);
			if (to > i && is_straight(flow, to, jump)) {
				finder->begin = flow->insn[i].address + flow->insn[i].size;
				return true;
			}
			/* A second look: at a frame so large that numbers wrap. */
			continue;
		}
		if (flow->insn[i].kind != INSN_PLAIN || flow->insn[i].moves_stack)
			return false;
	}
	return false;
}

/* ---- Exits ---- */

static int add_exit(struct finder *finder, const struct insn *insn)
{
	struct function_exits *exits = finder->exits;
	uint64_t *more;

	if (exits->nr == PMCGRP_SPAN_EXITS_MAX)
		return refuse(finder, "it has more than %d exits", PMCGRP_SPAN_EXITS_MAX);
	more = realloc(exits->exit, (exits->nr + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	exits->exit = more;
	exits->exit[exits->nr++] = offset_of(finder, insn->address);
	return 0;
}

static int look_at_jump(struct finder *finder, size_t i)
{
	const struct insn *insn = &finder->flow.insn[i];
	struct image_symbol symbol;

	if (insn->target == finder->start) {
		if (insn->kind == INSN_JUMP && begins_behind_check(finder, i))
			return 0;
		return doubt(finder, insn, "jumps to its own beginning, which is no call");
	}
	if (flow_has(&finder->flow, insn->target))
		return 0;
	if (insn->kind == INSN_BRANCH)
		return doubt(finder, insn, "leaves by a conditional jump, and a probe cannot tell "
					   "whether it is taken");
	symbol = symbol_at(finder->image, insn->target, false);
	/* A label is no function; of a stripped file nobody knows whether that is a part of this one. */
	if ((symbol.name && symbol.value == insn->target && symbol.type != STT_NOTYPE) ||
	    is_linkage(finder->image, insn->target))
		return add_exit(finder, insn);
	if (symbol.name)
		return doubt(finder, insn, "jumps into the middle of '%.80s'", symbol.name);
	return doubt(finder, insn, "jumps to code without a symbol, which may be part of it or another "
				   "function");
}

static int look_at_indirect(struct finder *finder, size_t i)
{
	const struct insn *insn = &finder->flow.insn[i];

	switch (flow_jump_of(&finder->flow, i)) {
	case FLOW_INSIDE:
		return 0;
	case FLOW_OUTSIDE:
		return add_exit(finder, insn);
	default:
		return doubt(finder, insn, "has an indirect jump whose target is not known: in the "
					   "function, or a tail call");
	}
}

static int look_at(struct finder *finder, size_t i)
{
	const struct insn *insn = &finder->flow.insn[i];

	switch (insn->kind) {
	case INSN_RETURN:
		return add_exit(finder, insn);
	case INSN_JUMP:
	case INSN_BRANCH:
		return look_at_jump(finder, i);
	case INSN_INDIRECT:
		return look_at_indirect(finder, i);
	case INSN_STRANGE:
		return doubt(finder, insn, "has a return or jump that cannot be probed: a signed one of "
					   "arm64, or a far one");
	default:
		return 0;
	}
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* In order, and each once: symbols can overlap. */
static void sort(struct function_exits *exits)
{
	unsigned int i, nr = 0;

	qsort(exits->exit, exits->nr, sizeof(uint64_t), compare);
	for (i = 0; i < exits->nr; i++)
		if (!nr || exits->exit[i] != exits->exit[nr - 1])
			exits->exit[nr++] = exits->exit[i];
	exits->nr = nr;
}

static int look(struct finder *finder)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < finder->flow.nr; i++)
		if (finder->flow.insn[i].kind == INSN_INDIRECT)
			finder->has_table |= flow_jump_of(&finder->flow, i) != FLOW_OUTSIDE;
	for (i = 0; i < finder->flow.nr && !ret; i++)
		if (finder->flow.insn[i].kind != INSN_PLAIN && is_code(finder, i))
			ret = look_at(finder, i);
	if (ret)
		return ret;
	if (!finder->exits->nr)
		return refuse(finder, "it has no return, and no jump to another function");
	sort(finder->exits);
	finder->exits->begin = offset_of(finder, finder->begin);
	return 0;
}

static int find_in(struct finder *finder, uint64_t size)
{
	int ret = add_part(finder, &(struct flow_part){ finder->start, size });

	if (!ret)
		ret = add_cold_parts(finder);
	if (!ret)
		ret = reach(finder);
	return ret ? ret : look(finder);
}

int function_exits_find(const struct image *image, uint64_t offset, bool force,
			struct function_exits *exits)
{
	const Elf64_Phdr *segment = image_code(image, offset, false);
	struct finder finder = { .image = image, .flow = { .image = image }, .force = force,
				 .exits = exits };
	struct image_symbol symbol;
	int ret;

	*exits = (struct function_exits){ .exit = NULL };
	if (!segment) {
		refuse(&finder, "there is no code that is loaded");
		return -EINVAL;
	}
	finder.start = offset - segment->p_offset + segment->p_vaddr;
	finder.begin = finder.start;
	symbol = symbol_at(image, finder.start, true);
	if (!symbol.name) {
		symbol = symbol_at(image, finder.start, false);
		if (symbol.name)
			return refuse(&finder, "no function begins there: it is in '%.80s'",
				      symbol.name);
		return refuse(&finder, "no symbol begins there, so its end is not known: the file is "
				       "stripped, or no function begins there");
	}
	if (!symbol.size)
		return refuse(&finder, "its end is not known: its symbol has no size (assembly without "
				       ".size)");
	ret = disasm_open(&finder.disasm, image->head->e_machine);
	if (ret == -ENOENT)
		refuse(&finder, "libcapstone, by which its exits are found, is not installed (Debian: "
				"libcapstone4 or libcapstone5)");
	if (ret)
		return ret;
	ret = find_in(&finder, symbol.size);
	disasm_close(finder.disasm);
	free(finder.flow.insn);
	free(finder.reached);
	if (ret) {
		free(exits->exit);
		exits->exit = NULL;
		exits->nr = 0;
	}
	return ret;
}
