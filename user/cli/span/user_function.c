// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Functions of programs and libraries by name, from the symbols of ELF files.
 *
 * The file is input like any other: nothing of it is used before it is known to be inside. It is
 * read here, not by libelf, which the tool of a guest does not have; two tables and the program
 * headers are all that is needed.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli.h"
#include "event/near.h"
#include "user_function.h"

#if defined(__x86_64__)
#define MACHINE	EM_X86_64
#elif defined(__aarch64__)
#define MACHINE	EM_AARCH64
#else
#define MACHINE	EM_NONE
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER_HERE	ELFDATA2LSB
#else
#define BYTE_ORDER_HERE	ELFDATA2MSB
#endif

/* So many addresses of one name are told apart. */
#define VALUES_MAX	4

/* A file that is mapped. */
struct image {
	const char *at;
	size_t size;
	const Elf64_Ehdr *head;
};

/* What the tables have of a name. */
struct found {
	uint64_t value[VALUES_MAX];	/* of the functions */
	unsigned int nr;
	bool is_elsewhere;		/* undefined: of another file */
	bool is_indirect;		/* IFUNC */
	bool is_data;
	bool has_symtab;
	unsigned int functions;		/* of any name */
};

bool user_function_is(const char *point)
{
	return point[0] == '/' || point[0] == '.';
}

/* @nr records of @size bytes from @offset on; NULL: they are not in the file, or not aligned. */
static const void *part(const struct image *image, uint64_t offset, uint64_t nr, uint64_t size)
{
	if (offset > image->size || offset % 8 || nr > (image->size - offset) / size)
		return NULL;
	return image->at + offset;
}

/* A string of a table of strings; NULL: it has no end there. */
static const char *string(const struct image *image, const Elf64_Shdr *strings, uint64_t index)
{
	const char *text;

	if (strings->sh_offset > image->size || strings->sh_size > image->size - strings->sh_offset ||
	    index >= strings->sh_size)
		return NULL;
	text = image->at + strings->sh_offset + index;
	return memchr(text, '\0', strings->sh_size - index) ? text : NULL;
}

static bool is_for_here(const struct image *image)
{
	const Elf64_Ehdr *head = image->head;

	return image->size >= sizeof(*head) && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
	       head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == BYTE_ORDER_HERE &&
	       head->e_machine == MACHINE && (head->e_type == ET_EXEC || head->e_type == ET_DYN);
}

static int image_open(struct image *image, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		cli_say_errno(path, errno);
		if (fd >= 0)
			close(fd);
		return EXIT_TOOL;
	}
	if (!S_ISREG(st.st_mode) || !st.st_size) {
		cli_say("%s: this is no program or library", path);
		close(fd);
		return EXIT_TOOL;
	}
	image->size = (size_t)st.st_size;
	image->at = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (image->at == MAP_FAILED)
		return cli_say_errno(path, errno);
	image->head = (const void *)image->at;
	if (is_for_here(image))
		return 0;
	munmap((void *)image->at, image->size);
	cli_say("%s: this is no program or library (ELF) of 64 bits for this processor", path);
	return EXIT_TOOL;
}

static void look_at(const Elf64_Sym *symbol, struct found *found)
{
	unsigned int i, type = ELF64_ST_TYPE(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF) {
		found->is_elsewhere = true;
	} else if (type == STT_GNU_IFUNC) {
		found->is_indirect = true;
	} else if (type != STT_FUNC && type != STT_NOTYPE) {
		found->is_data = true;
	} else {
		for (i = 0; i < found->nr; i++)
			if (found->value[i] == symbol->st_value)
				return;
		if (found->nr < VALUES_MAX)
			found->value[found->nr++] = symbol->st_value;
	}
}

static void look_in_table(const struct image *image, const Elf64_Shdr *table,
			  const Elf64_Shdr *strings, const char *name, struct found *found,
			  struct near *near)
{
	uint64_t i, nr = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *symbols = part(image, table->sh_offset, nr, sizeof(*symbols));
	const char *text;

	for (i = 0; symbols && i < nr; i++) {
		text = string(image, strings, symbols[i].st_name);
		if (!text || !*text)
			continue;
		if (!strcmp(text, name))
			look_at(&symbols[i], found);
		if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC || symbols[i].st_shndx == SHN_UNDEF)
			continue;
		found->functions++;
		near_offer(near, text);
	}
}

/* Look in .symtab and .dynsym: a stripped file has the second alone, of what others may call. */
static void look(const struct image *image, const char *name, struct found *found,
		 struct near *near)
{
	unsigned int i, nr = image->head->e_shnum;
	const Elf64_Shdr *sections = part(image, image->head->e_shoff, nr, sizeof(*sections));

	for (i = 0; sections && i < nr; i++) {
		if ((sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM) ||
		    sections[i].sh_link >= nr)
			continue;
		found->has_symtab |= sections[i].sh_type == SHT_SYMTAB;
		look_in_table(image, &sections[i], &sections[sections[i].sh_link], name, found,
			      near);
	}
}

/* The segment of code that has a place, by its address or by its offset; NULL: there is none. */
static const Elf64_Phdr *code_at(const struct image *image, uint64_t place, bool by_address)
{
	unsigned int i, nr = image->head->e_phnum;
	const Elf64_Phdr *segment = part(image, image->head->e_phoff, nr, sizeof(*segment));
	uint64_t start;

	for (i = 0; segment && i < nr; i++) {
		start = by_address ? segment[i].p_vaddr : segment[i].p_offset;
		if (segment[i].p_type == PT_LOAD && segment[i].p_flags & PF_X && place >= start &&
		    place - start < segment[i].p_filesz)
			return &segment[i];
	}
	return NULL;
}

/* 0xOFFSET; other names are no offsets. */
static bool parse_offset(const char *text, uint64_t *offset)
{
	char *end;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || !text[2])
		return false;
	errno = 0;
	*offset = strtoull(text + 2, &end, 16);
	return !errno && !*end && text[2] != '-' && text[2] != '+' && text[2] != ' ';
}

static int say_several(const char *path, const char *name, const struct found *found,
		       const struct image *image)
{
	char text[VALUES_MAX * 24] = "";
	const Elf64_Phdr *segment;
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < found->nr; i++) {
		segment = code_at(image, found->value[i], true);
		if (segment)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " 0x%llx",
					       (unsigned long long)(found->value[i] - segment->p_vaddr +
								    segment->p_offset));
	}
	cli_say("%s: several functions are called '%s': name one by its offset in the file, as in "
		"%s:0xOFFSET; they are at%s",
		path, name, path, text);
	return EXIT_TOOL;
}

static int say_not_found(const char *path, const char *name, const struct found *found,
			 const struct near *near)
{
	char text[NEAR_TEXT];

	near_text(near, text, sizeof(text));
	if (found->is_indirect)
		cli_say("%s: '%s' is chosen among several functions as the program is loaded (IFUNC): "
			"name the one that this processor gets%s",
			path, name, text);
	else if (found->is_elsewhere)
		cli_say("%s: '%s' is called there, and is of another file: name the library that has it",
			path, name);
	else if (found->is_data)
		cli_say("%s: '%s' is no function%s", path, name, text);
	else if (!found->functions)
		cli_say("%s: the file has no names of functions: it is stripped; name the place as "
			"PATH:0xOFFSET, by its offset in the file",
			path);
	else
		cli_say("%s: there is no function '%s'%s%s", path, name,
			found->has_symtab ? ", or it is inlined wherever it is called" :
					    " among those that others may call; the file is stripped",
			text);
	return EXIT_TOOL;
}

static int find_name(const struct image *image, const char *name, struct user_function *function)
{
	struct found found = { .nr = 0 };
	const Elf64_Phdr *segment;
	struct near near;

	near_begin(&near, name);
	look(image, name, &found, &near);
	/* An IFUNC beside a function of the name: that is for programs of long ago (memcpy). */
	if (!found.nr || found.is_indirect)
		return say_not_found(function->path, name, &found, &near);
	if (found.nr > 1)
		return say_several(function->path, name, &found, image);
	segment = code_at(image, found.value[0], true);
	if (!segment) {
		cli_say("%s: '%s' is not in the code that is loaded", function->path, name);
		return EXIT_TOOL;
	}
	function->offset = found.value[0] - segment->p_vaddr + segment->p_offset;
	return 0;
}

static int find_in(const struct image *image, const char *name, struct user_function *function)
{
	if (!parse_offset(name, &function->offset))
		return find_name(image, name, function);
	if (code_at(image, function->offset, false))
		return 0;
	cli_say("%s: at %s there is no code that is loaded", function->path, name);
	return EXIT_TOOL;
}

/* "/lib/libc.so.6:qsort" without the folders. */
static const char *label_of(const char *point, const char *colon)
{
	const char *label = colon;

	while (label > point && label[-1] != '/')
		label--;
	return label;
}

int user_function_find(const char *point, struct user_function *function)
{
	const char *colon = strrchr(point, ':');
	struct image image;
	int ret;

	*function = (struct user_function){ .path = NULL };
	if (!colon || !colon[1]) {
		cli_say("'%s' names a file without a function: PATH:FUNCTION or PATH:0xOFFSET", point);
		return EXIT_TOOL;
	}
	function->path = strndup(point, (size_t)(colon - point));
	if (!function->path)
		return cli_say_errno(point, ENOMEM);
	function->label = label_of(point, colon);
	ret = image_open(&image, function->path);
	if (!ret) {
		ret = find_in(&image, colon + 1, function);
		munmap((void *)image.at, image.size);
	}
	if (ret) {
		free(function->path);
		function->path = NULL;
	}
	return ret;
}
