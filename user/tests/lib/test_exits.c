// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Exits of functions in programs that the compiler makes of these sources, for both processors. A
 * label NAME_exit and the like is where NAME leaves.
 */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "function/exits.h"
#include "function/go_table.h"

#define FUNCTION(name, code)						\
	".globl " #name "\n .type " #name ", %function\n"		\
	#name ":\n" code ".size " #name ", . - " #name "\n"

/* clang-format off */
static const char source_x86[] =
	".text\n"
	FUNCTION(other, "nop\n ret\n")
	FUNCTION(two, "test %edi, %edi\n je 1f\n two_exit: ret\n 1: push %rbx\n pop %rbx\n"
		      " two_exit2: repz ret\n")
	FUNCTION(tail, "sub $8, %rsp\n call other\n add $8, %rsp\n tail_exit: jmp other\n")
	FUNCTION(pieces.cold, "pieces_exit: ret\n")
	FUNCTION(pieces, "test %edi, %edi\n je pieces.cold\n pieces_exit2: ret\n")
	/* Nothing jumps there: an exception is caught. */
	FUNCTION(catches.cold, "catches_exit: ret\n")
	FUNCTION(catches, "call other\n catches_exit2: ret\n")
	FUNCTION(table, "lea places(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n add %rdx, %rax\n"
			" jmp *%rax\n case0: table_exit: ret\n case1: table_exit2: ret\n")
	FUNCTION(pointer, "mov (%rdi), %rax\n pointer_exit: jmp *16(%rax)\n")
	FUNCTION(argument, "pointer1: argument_exit: jmp *%rsi\n")
	FUNCTION(given_back, "push %rbx\n mov %rdi, %rbp\n shl $3, %rax\n mov (%rax), %rax\n pop %rbx\n"
			     " given_back_exit: jmp *%rax\n")
	FUNCTION(anywhere, "shl $3, %rax\n jmp *%rax\n anywhere_exit: ret\n")
	/* A table of 4 bytes each, as code for addresses below 4 GB has it. */
	FUNCTION(half, "movl places(,%rdi,4), %eax\n jmp *%rax\n half_exit: ret\n")
	FUNCTION(loops, "dec %edi\n jne loops\n loops_exit: ret\n")
	FUNCTION(maybe, "test %edi, %edi\n je other\n maybe_exit: ret\n")
	FUNCTION(middle, "test %edi, %edi\n je 1f\n middle_exit: ret\n 1: jmp other + 1\n")
	FUNCTION(never, "call other\n ud2\n")
	FUNCTION(data, "data_exit: ret\n .byte 0xc3, 0xc3\n")
	FUNCTION(checks, "cmp 16(%r14), %rsp\n jbe 1f\n checks_begin: push %rbp\n pop %rbp\n"
			 " checks_exit: ret\n 1: mov %rax, 8(%rsp)\n call other\n jmp checks\n")
	FUNCTION(strange, "test %edi, %edi\n je 1f\n strange_exit: ret\n 1: lretq\n")
	"sizeless: ret\n"
	".section .rodata\n"
	"places: .long case0 - places, case1 - places\n";

static const char source_arm64[] =
	".arch armv8.3-a\n .text\n"
	FUNCTION(other, "nop\n ret\n")
	FUNCTION(two, "cbz w0, 1f\n two_exit: ret\n 1: nop\n two_exit2: ret x1\n")
	FUNCTION(tail, "stp x29, x30, [sp, #-16]!\n bl other\n ldp x29, x30, [sp], #16\n"
		       " tail_exit: b other\n")
	FUNCTION(pieces.cold, "pieces_exit: ret\n")
	FUNCTION(pieces, "cbz w0, pieces.cold\n pieces_exit2: ret\n")
	FUNCTION(catches.cold, "catches_exit: ret\n")
	FUNCTION(catches, "bl other\n catches_exit2: ret\n")
	FUNCTION(table, "adrp x1, places\n add x1, x1, :lo12:places\n ldrb w1, [x1, w0, uxtw]\n"
			" adr x0, case0\n add x1, x0, w1, sxtb #2\n br x1\n"
			" case0: table_exit: ret\n case1: table_exit2: ret\n")
	FUNCTION(pointer, "ldr x1, [x0]\n ldr x1, [x1]\n cmp x1, x2\n mov x16, x1\n"
			  " pointer_exit: br x16\n")
	FUNCTION(argument, "argument_exit: br x1\n")
	FUNCTION(given_back, "stp x29, x30, [sp, #-16]!\n lsl x1, x1, #3\n ldr x1, [x1]\n"
			     " ldp x29, x30, [sp], #16\n given_back_exit: br x1\n")
	FUNCTION(anywhere, "lsl x1, x1, #3\n br x1\n anywhere_exit: ret\n")
	FUNCTION(half, "ldr w1, [x2, w0, uxtw #2]\n br x1\n half_exit: ret\n")
	FUNCTION(loops, "subs w0, w0, #1\n b.ne loops\n loops_exit: ret\n")
	FUNCTION(maybe, "cbz w0, other\n maybe_exit: ret\n")
	FUNCTION(middle, "cbz w0, 1f\n middle_exit: ret\n 1: b other + 4\n")
	FUNCTION(never, "bl other\n brk #1\n")
	FUNCTION(data, "ldr w0, 1f\n data_exit: ret\n 1: .word 0xd65f03c0\n")
	FUNCTION(checks, "ldr x16, [x28, #16]\n mov x17, sp\n cmp x17, x16\n b.ls 1f\n"
			 " checks_begin: str x30, [sp, #-16]!\n ldr x30, [sp], #16\n"
			 " checks_exit: ret\n 1: mov x3, x30\n bl other\n b checks\n")
	FUNCTION(strange, "cbz w0, 1f\n strange_exit: ret\n 1: retaa\n")
	"sizeless: ret\n"
	".section .rodata\n"
	"places: .byte 0, (case1 - case0) / 4\n";
/* clang-format on */

static const struct {
	const char *name;
	unsigned int exits;	/* 0: it is refused */
	const char *says;
	bool can_force;		/* then it has one */
} functions[] = {
	{ "two", 2, "", false },
	{ "tail", 1, "", false },
	{ "pieces", 2, "", false },
	{ "catches", 2, "", false },
	{ "table", 2, "", false },
	{ "pointer", 1, "", false },
	{ "argument", 1, "", false },
	{ "given_back", 1, "", false },
	{ "data", 1, "", false },
	{ "checks", 1, "", false },
	{ "anywhere", 0, "it has an indirect jump whose target is not known", true },
	{ "half", 0, "it has an indirect jump whose target is not known", true },
	{ "loops", 0, "it jumps to its own beginning", true },
	{ "maybe", 0, "it leaves by a conditional jump", true },
	{ "middle", 0, "it jumps into the middle of 'other'", true },
	{ "strange", 0, "that cannot be probed", true },
	{ "never", 0, "it has no return", false },
	{ "sizeless", 0, "its symbol has no size", false },
};

static const struct {
	const char *compiler;
	const char *source;
} machines[] = {
	{ "x86_64-linux-gnu-gcc", source_x86 },
	{ "aarch64-linux-gnu-gcc", source_arm64 },
};

/* The program of a source, in memory; false: there is no such compiler. */
static bool compile(const char *compiler, const char *options, const char *source,
		    struct image *image)
{
	char path[] = "/tmp/pmcgrp-exits-XXXXXX", command[256];
	int fd = mkstemp(path);
	FILE *pipe, *file;
	char *bytes;
	long size;

	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "command -v %s >/dev/null", compiler);
	if (system(command)) {
		unlink(path);
		return false;
	}
	snprintf(command, sizeof(command), "%s -nostdlib -static -Wl,-e,0 %s -o %s -x assembler -",
		 compiler, options, path);
	pipe = popen(command, "w");
	assert_non_null(pipe);
	assert_true(fputs(source, pipe) >= 0);
	assert_int_equal(pclose(pipe), 0);
	file = fopen(path, "r");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	bytes = malloc((size_t)size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
	fclose(file);
	unlink(path);
	*image = (struct image){ .at = bytes, .size = (size_t)size, .head = (void *)bytes };
	assert_true(image_is_known(image));
	return true;
}

struct wanted {
	const struct image *image;
	const char *name;
	uint64_t offset;
};

static bool take(const struct image_symbol *symbol, void *data)
{
	struct wanted *wanted = data;
	const Elf64_Phdr *code;

	if (strcmp(symbol->name, wanted->name))
		return true;
	code = image_code(wanted->image, symbol->value, true);
	assert_non_null(code);
	wanted->offset = symbol->value - code->p_vaddr + code->p_offset;
	return false;
}

/* Where NAME with what is behind it lies in the file; 0: there is none. */
static uint64_t offset_of(const struct image *image, const char *name, const char *behind)
{
	char text[64];
	struct wanted wanted = { .image = image, .name = text };

	snprintf(text, sizeof(text), "%s%s", name, behind);
	image_symbols(image, take, &wanted);
	return wanted.offset;
}

static bool has_exit(const struct function_exits *exits, uint64_t offset)
{
	unsigned int i;

	for (i = 0; i < exits->nr; i++)
		if (exits->exit[i] == offset)
			return !i || exits->exit[i - 1] < offset;
	return false;
}

static void look_at(const struct image *image, unsigned int i)
{
	const char *name = functions[i].name;
	uint64_t begin = offset_of(image, name, "_begin"), second;
	struct function_exits exits;
	int ret = function_exits_find(image, offset_of(image, name, ""), false, &exits);

	if (!strstr(exits.why, functions[i].says) || exits.nr != functions[i].exits ||
	    exits.can_force != functions[i].can_force)
		fail_msg("%s: %d, %u exits, '%s'", name, ret, exits.nr, exits.why);
	assert_row(i, ret == (functions[i].exits ? 0 : -EOPNOTSUPP));
	free(exits.exit);
	if (ret && !functions[i].can_force)
		return;
	ret = function_exits_find(image, offset_of(image, name, ""), true, &exits);
	assert_row(i, !ret && !exits.why[0] && exits.nr == (functions[i].exits ?: 1));
	assert_row(i, exits.begin == (begin ?: offset_of(image, name, "")));
	assert_row(i, has_exit(&exits, offset_of(image, name, "_exit")));
	second = offset_of(image, name, "_exit2");
	assert_row(i, !second == (exits.nr == 1) && (!second || has_exit(&exits, second)));
	free(exits.exit);
}

static void functions_of_both(void **state)
{
	struct image image;
	unsigned int m, i, nr = 0;

	(void)state;
	for (m = 0; m < ARRAY_SIZE(machines); m++) {
		if (!compile(machines[m].compiler, "", machines[m].source, &image))
			continue;
		for (i = 0; i < ARRAY_SIZE(functions); i++)
			look_at(&image, i);
		free((void *)image.at);
		nr++;
	}
	if (!nr)
		skip();
}

/* Not at the beginning of a function, and where there are no names. */
static void offsets(void **state)
{
	struct function_exits exits;
	struct image image, stripped;
	uint64_t at;

	(void)state;
	if (!compile(machines[0].compiler, "", machines[0].source, &image))
		skip();
	at = offset_of(&image, "two", "");
	assert_int_equal(function_exits_find(&image, at + 2, false, &exits), -EOPNOTSUPP);
	assert_non_null(strstr(exits.why, "no function begins there: it is in 'two'"));
	assert_int_equal(function_exits_find(&image, image.size, false, &exits), -EINVAL);
	assert_true(compile(machines[0].compiler, "-s", machines[0].source, &stripped));
	assert_int_equal(function_exits_find(&stripped, at, false, &exits), -EOPNOTSUPP);
	assert_non_null(strstr(exits.why, "the file is stripped"));
	free((void *)stripped.at);
	free((void *)image.at);
}

/* Any byte of the file can be wrong: there is an answer, and no access outside. */
static void files_that_are_damaged(void **state)
{
	struct function_exits exits;
	struct image image;
	unsigned int i, k;
	uint64_t at;
	char *bytes;

	(void)state;
	if (!compile(machines[0].compiler, "", machines[0].source, &image))
		skip();
	at = offset_of(&image, "table", "");
	srand(1);
	for (i = 0; i < 500; i++) {
		struct image damaged = image;

		damaged.size = i % 2 ? image.size : 1 + (size_t)rand() % image.size;
		/* No byte more, so that a read behind the end is seen. */
		bytes = malloc(damaged.size);
		assert_non_null(bytes);
		memcpy(bytes, image.at, damaged.size);
		for (k = 0; k < 20; k++) {
			size_t at_byte = sizeof(Elf64_Ehdr) + (size_t)rand() % (image.size - sizeof(Elf64_Ehdr));

			if (at_byte < damaged.size)
				bytes[at_byte] = (char)rand();
		}
		damaged.at = bytes;
		damaged.head = (void *)bytes;
		if (image_is_known(&damaged) &&
		    !function_exits_find(&damaged, at, i % 3 == 0, &exits))
			free(exits.exit);
		free(bytes);
	}
	free((void *)image.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_both),
		cmocka_unit_test(offsets),
		cmocka_unit_test(files_that_are_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
