// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Functions of an ELF file that the test writes, and of files that are none. */
#include "test.h"

#include "hear.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#include "args/cli.h"
#include "span/user_function.h"

#define CODE_OFFSET	0x1000
#define CODE_ADDRESS	0x401000
#define CODE_SIZE	0x100
#define NAMES		512
#define SYMBOLS		16

/* Two segments, of data and of code behind it, and tables of symbols. */
static struct {
	Elf64_Ehdr head;
	Elf64_Phdr segment[2];
	Elf64_Shdr section[5];	/* none, .symtab, .strtab, .dynsym, .dynstr */
	Elf64_Sym symtab[SYMBOLS];
	Elf64_Sym dynsym[SYMBOLS];
	char names[NAMES];
	unsigned char code[CODE_SIZE] __attribute__((aligned(CODE_OFFSET)));
} elf;

_Static_assert(offsetof(typeof(elf), code) == CODE_OFFSET, "where the segment says it is");

/* Each function of 16 bytes has a return at its end, and something harmless before. */
#ifdef __aarch64__
static const uint32_t function_code[] = { 0xd503201f, 0xd503201f, 0xd503201f, 0xd65f03c0 };
#define EXIT	12
#else
static const unsigned char function_code[16] = { [0 ... 14] = 0x90, 0xc3 };
#define EXIT	15
#endif

static size_t used;
static char path[] = "/tmp/pmcgrp-elf-XXXXXX";

static uint32_t name_add(const char *name)
{
	size_t at = used;

	used += strlen(name) + 1;
	assert_true(used < sizeof(elf.names));
	strcpy(elf.names + at, name);
	return (uint32_t)at;
}

static void add(Elf64_Sym *table, const char *name, int type, uint64_t value, bool defined)
{
	while (table->st_name)
		table++;
	table->st_name = name_add(name);
	table->st_info = ELF64_ST_INFO(STB_GLOBAL, type);
	table->st_value = value;
	table->st_shndx = defined ? 1 : SHN_UNDEF;
	table->st_size = sizeof(function_code);
}

static void table_set(unsigned int i, uint32_t type, const Elf64_Sym *symbols)
{
	elf.section[i] = (Elf64_Shdr){ .sh_type = type, .sh_link = i + 1,
				       .sh_offset = (size_t)((const char *)symbols - (char *)&elf),
				       .sh_size = sizeof(elf.symtab) };
	elf.section[i + 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_size = NAMES,
					   .sh_offset = (size_t)(elf.names - (char *)&elf) };
}

static void elf_make(void)
{
	size_t i;

	memset(&elf, 0, sizeof(elf));
	for (i = 0; i < CODE_SIZE; i += sizeof(function_code))
		memcpy(elf.code + i, function_code, sizeof(function_code));
	used = 1;
	memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
	elf.head.e_ident[EI_CLASS] = ELFCLASS64;
	elf.head.e_ident[EI_DATA] = ELFDATA2LSB;
#ifdef __aarch64__
	elf.head.e_machine = EM_AARCH64;
#else
	elf.head.e_machine = EM_X86_64;
#endif
	elf.head.e_type = ET_DYN;
	elf.head.e_phoff = (size_t)((char *)elf.segment - (char *)&elf);
	elf.head.e_phnum = 2;
	elf.head.e_shoff = (size_t)((char *)elf.section - (char *)&elf);
	elf.head.e_shnum = 5;
	elf.segment[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = CODE_OFFSET,
				       .p_vaddr = CODE_ADDRESS - CODE_OFFSET };
	elf.segment[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
				       .p_offset = CODE_OFFSET, .p_vaddr = CODE_ADDRESS,
				       .p_filesz = CODE_SIZE };
	table_set(1, SHT_SYMTAB, elf.symtab);
	table_set(3, SHT_DYNSYM, elf.dynsym);
	add(elf.symtab, "first", STT_FUNC, CODE_ADDRESS, true);
	add(elf.symtab, "hidden", STT_FUNC, CODE_ADDRESS + 0x10, true);
	add(elf.symtab, "twice", STT_FUNC, CODE_ADDRESS + 0x20, true);
	add(elf.symtab, "twice", STT_FUNC, CODE_ADDRESS + 0x30, true);
	add(elf.symtab, "chosen", STT_GNU_IFUNC, CODE_ADDRESS + 0x40, true);
	add(elf.symtab, "old_and_new", STT_FUNC, CODE_ADDRESS + 0x80, true);
	add(elf.symtab, "old_and_new", STT_GNU_IFUNC, CODE_ADDRESS + 0x90, true);
	add(elf.symtab, "label", STT_NOTYPE, CODE_ADDRESS + 0x50, true);
	add(elf.symtab, "table", STT_OBJECT, CODE_ADDRESS - 0x50, true);
	add(elf.symtab, "in_data", STT_FUNC, CODE_ADDRESS - 0x60, true);
	add(elf.symtab, "behind", STT_FUNC, CODE_ADDRESS + CODE_SIZE, true);
	add(elf.symtab, "_ZN3foo3barEv", STT_FUNC, CODE_ADDRESS + 0x60, true);
	add(elf.dynsym, "first", STT_FUNC, CODE_ADDRESS, true);
	add(elf.dynsym, "shown", STT_FUNC, CODE_ADDRESS + 0x70, true);
	add(elf.dynsym, "puts", STT_FUNC, 0, false);
}

static void elf_write(size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(&elf, 1, size, file), size);
	fclose(file);
}

static int file_make(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	return fd < 0;
}

static int file_remove(void **state)
{
	(void)state;
	return unlink(path);
}

/* user_function_find(); stderr goes to @text. */
static int find(const char *point, struct user_function *function, char *text, size_t size)
{
	return hear(user_function_find(point, false, function), text, size);
}

static void is_one(void **state)
{
	(void)state;
	assert_true(user_function_is("/bin/true:main"));
	assert_true(user_function_is("./a.out:main"));
	assert_true(user_function_is("../a.out:main"));
	assert_false(user_function_is("vfs_read"));
	assert_false(user_function_is("ext4:ext4_sync_file"));
	assert_false(user_function_is(""));
}

static const struct {
	const char *name;
	uint64_t offset;
} known[] = {
	{ "first", CODE_OFFSET },
	{ "hidden", CODE_OFFSET + 0x10 },
	{ "label", CODE_OFFSET + 0x50 },
	{ "_ZN3foo3barEv", CODE_OFFSET + 0x60 },
	{ "shown", CODE_OFFSET + 0x70 },
	{ "0x1000", CODE_OFFSET },
	{ "0X1070", CODE_OFFSET + 0x70 },
};

static void functions_that_there_are(void **state)
{
	struct user_function function;
	char point[128], text[4096];
	unsigned int i;
	int ret;

	(void)state;
	elf_make();
	elf_write(sizeof(elf));
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		snprintf(point, sizeof(point), "%s:%s", path, known[i].name);
		ret = find(point, &function, text, sizeof(text));
		assert_row(i, !ret && !text[0]);
		assert_row(i, function.offset == known[i].offset);
		assert_row(i, !strcmp(function.path, path));
		assert_row(i, !strcmp(function.label, point + strlen("/tmp/")));
		assert_row(i, function.exits.begin == function.offset && function.exits.nr == 1);
		assert_row(i, function.exits.exit[0] == function.offset + EXIT);
		user_function_free(&function);
	}
}

static const struct {
	const char *name;
	const char *says;
} refused[] = {
	{ "firts", "there is no function 'firts', or it is inlined" },
	{ "firts", "did you mean 'first'?" },
	{ "twice", "several functions are called 'twice'" },
	{ "twice", "they are at 0x1020 0x1030\n" },
	{ "chosen", "(IFUNC)" },
	{ "old_and_new", "(IFUNC)" },
	{ "puts", "is of another file" },
	{ "table", "is no function" },
	{ "in_data", "not in the code" },
	{ "behind", "not in the code" },
	{ "0xfff", "there is no code" },
	{ "0x1100", "there is no code" },
	{ "0x1008", "no function begins there: it is in 'first'" },
	{ "0x10f0", "its end is not known" },
	{ "0x10000000000000000", "there is no function" },
	{ "0x", "there is no function" },
	{ "0x10g", "there is no function" },
	{ "0x-1", "there is no function" },
	{ "", "names a file without a function" },
};

static void functions_that_are_refused(void **state)
{
	struct user_function function;
	char point[128], text[4096];
	unsigned int i;
	int ret;

	(void)state;
	elf_make();
	elf_write(sizeof(elf));
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		snprintf(point, sizeof(point), "%s:%s", path, refused[i].name);
		ret = find(point, &function, text, sizeof(text));
		assert_row(i, ret == EXIT_TOOL && !function.path);
		assert_row(i, strstr(text, refused[i].says));
	}
	ret = find(path, &function, text, sizeof(text));
	assert_int_equal(ret, EXIT_TOOL);
	assert_non_null(strstr(text, "PATH:FUNCTION"));
}

/* What it says of a name in the file as elf is now. */
static void assert_says(const char *name, const char *says)
{
	struct user_function function;
	char point[128], text[4096];
	int ret;

	elf_write(sizeof(elf));
	snprintf(point, sizeof(point), "%s:%s", path, name);
	ret = find(point, &function, text, sizeof(text));
	assert_int_equal(ret, EXIT_TOOL);
	if (!strstr(text, says))
		fail_msg("%s", text);
}

static void stripped(void **state)
{
	(void)state;
	elf_make();
	elf.section[1].sh_type = SHT_NULL;
	assert_says("hidden", "those that others may call; the file is stripped");
	elf.section[3].sh_type = SHT_NULL;
	assert_says("hidden", "has no names of functions: it is stripped");
	elf.head.e_shnum = 0;
	assert_says("hidden", "it is stripped");
}

static void other_files(void **state)
{
	static const char *const paths[] = { "/no/such/file:f", "/tmp:f", "/dev/null:f",
					     "/proc/self/maps:f" };
	static const char *const says[] = { "No such file", "no program", "no program",
					    "no program" };
	struct user_function function;
	unsigned int i;
	char text[4096];
	int ret;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		ret = find(paths[i], &function, text, sizeof(text));
		assert_row(i, ret == EXIT_TOOL && strstr(text, says[i]));
	}
	elf_make();
	elf.head.e_ident[EI_CLASS] = ELFCLASS32;
	assert_says("first", "64 bits for this processor");
	elf_make();
	elf.head.e_machine = EM_S390;
	assert_says("first", "64 bits for this processor");
	elf_make();
	elf.head.e_type = ET_REL;
	assert_says("first", "no program or library");
	elf_make();
	elf.head.e_ident[0] = 'x';
	assert_says("first", "no program or library");
}

/* Nothing is read that is not in the file; under a sanitizer this would be seen. */
static void damaged(void **state)
{
	static const uint64_t bad[] = { 1, 7, 64, 4000, sizeof(elf) - 8, sizeof(elf), 1ULL << 40,
					UINT64_MAX - 7, UINT64_MAX };
	struct user_function function;
	char point[128], text[4096];
	unsigned int i, k;
	size_t size;
	int ret;

	(void)state;
	snprintf(point, sizeof(point), "%s:first", path);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		for (k = 0; k < 8; k++) {
			elf_make();
			*(k == 0 ? &elf.head.e_phoff : k == 1 ? &elf.head.e_shoff :
			  k == 2 ? &elf.section[1].sh_offset : k == 3 ? &elf.section[1].sh_size :
			  k == 4 ? &elf.section[2].sh_offset : k == 5 ? &elf.section[2].sh_size :
			  k == 6 ? &elf.segment[1].p_vaddr : &elf.segment[1].p_filesz) = bad[i];
			elf.section[1].sh_link = k == 7 ? 0xffffffff : 2;
			elf.symtab[1].st_name = (uint32_t)bad[i];
			elf_write(sizeof(elf));
			ret = find(point, &function, text, sizeof(text));
			assert_row(i, ret == 0 || ret == EXIT_TOOL);
			user_function_free(&function);
		}
	}
	elf_make();
	for (size = 0; size < sizeof(elf); size += 40) {
		elf_write(size);
		ret = find(point, &function, text, sizeof(text));
		user_function_free(&function);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_one),
		cmocka_unit_test(functions_that_there_are),
		cmocka_unit_test(functions_that_are_refused),
		cmocka_unit_test(stripped),
		cmocka_unit_test(other_files),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, file_make, file_remove);
}
