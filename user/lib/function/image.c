// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Read here, not by libelf, which the tool of a guest does not have: tables and program headers are
 * all that is needed.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"

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

bool image_is_known(const struct image *image)
{
	const Elf64_Ehdr *head = image->head;

	return image->size >= sizeof(*head) && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
	       head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == BYTE_ORDER_HERE &&
	       (head->e_machine == EM_X86_64 || head->e_machine == EM_AARCH64) &&
	       (head->e_type == ET_EXEC || head->e_type == ET_DYN);
}

int image_open(struct image *image, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		err = errno;
	else if (!S_ISREG(st.st_mode) || !st.st_size)
		err = ENOEXEC;
	if (!err) {
		image->size = (size_t)st.st_size;
		image->at = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (image->at == MAP_FAILED)
			err = errno;
	}
	if (fd >= 0)
		close(fd);
	if (err)
		return -err;
	image->head = (const void *)image->at;
	if (image_is_known(image) && image->head->e_machine == MACHINE)
		return 0;
	image_close(image);
	return -ENOEXEC;
}

void image_close(struct image *image)
{
	munmap((void *)image->at, image->size);
}

static const Elf64_Shdr *sections_of(const struct image *image, unsigned int *nr)
{
	*nr = image->head->e_shnum;
	return part(image, image->head->e_shoff, *nr, sizeof(Elf64_Shdr));
}

const char *image_section_name(const struct image *image, const Elf64_Shdr *section)
{
	unsigned int nr;
	const Elf64_Shdr *sections = sections_of(image, &nr);
	const char *name = NULL;

	if (sections && image->head->e_shstrndx < nr)
		name = string(image, &sections[image->head->e_shstrndx], section->sh_name);
	return name ? name : "";
}

const Elf64_Shdr *image_section(const struct image *image, const char *name)
{
	unsigned int i, nr;
	const Elf64_Shdr *sections = sections_of(image, &nr);

	for (i = 0; sections && i < nr; i++)
		if (!strcmp(image_section_name(image, &sections[i]), name))
			return &sections[i];
	return NULL;
}

const unsigned char *image_section_bytes(const struct image *image, const Elf64_Shdr *section)
{
	if (section->sh_type == SHT_NOBITS || section->sh_offset > image->size ||
	    section->sh_size > image->size - section->sh_offset)
		return NULL;
	return (const unsigned char *)image->at + section->sh_offset;
}

const Elf64_Shdr *image_section_at(const struct image *image, uint64_t address)
{
	unsigned int i, nr;
	const Elf64_Shdr *sections = sections_of(image, &nr);

	for (i = 0; sections && i < nr; i++)
		if (sections[i].sh_flags & SHF_ALLOC && address >= sections[i].sh_addr &&
		    address - sections[i].sh_addr < sections[i].sh_size)
			return &sections[i];
	return NULL;
}

static const Elf64_Phdr *segment_of(const struct image *image, uint64_t place, bool by_address,
				    unsigned int flags)
{
	unsigned int i, nr = image->head->e_phnum;
	const Elf64_Phdr *segment = part(image, image->head->e_phoff, nr, sizeof(*segment));
	uint64_t start;

	for (i = 0; segment && i < nr; i++) {
		start = by_address ? segment[i].p_vaddr : segment[i].p_offset;
		if (segment[i].p_type == PT_LOAD && (segment[i].p_flags & flags) == flags &&
		    place >= start && place - start < segment[i].p_filesz)
			return &segment[i];
	}
	return NULL;
}

const Elf64_Phdr *image_code(const struct image *image, uint64_t place, bool by_address)
{
	return segment_of(image, place, by_address, PF_X);
}

const unsigned char *image_bytes(const struct image *image, uint64_t address, uint64_t size)
{
	const Elf64_Phdr *segment = segment_of(image, address, true, 0);
	uint64_t in;

	if (!segment)
		return NULL;
	in = address - segment->p_vaddr;
	if (size > segment->p_filesz - in || segment->p_offset > image->size ||
	    segment->p_filesz > image->size - segment->p_offset)
		return NULL;
	return (const unsigned char *)image->at + segment->p_offset + in;
}

static bool table_walk(const struct image *image, const Elf64_Shdr *table,
		       const Elf64_Shdr *strings,
		       bool (*each)(const struct image_symbol *symbol, void *data), void *data)
{
	uint64_t i, nr = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *symbols = part(image, table->sh_offset, nr, sizeof(*symbols));
	struct image_symbol symbol = { .is_local = table->sh_type == SHT_SYMTAB };

	for (i = 0; symbols && i < nr; i++) {
		symbol.name = string(image, strings, symbols[i].st_name);
		if (!symbol.name || !*symbol.name)
			continue;
		symbol.value = symbols[i].st_value;
		symbol.size = symbols[i].st_size;
		symbol.type = ELF64_ST_TYPE(symbols[i].st_info);
		symbol.is_defined = symbols[i].st_shndx != SHN_UNDEF;
		if (!each(&symbol, data))
			return false;
	}
	return true;
}

bool image_tables_walk(const struct image *image,
		       bool (*each)(const struct image_symbol *symbol, void *data), void *data)
{
	unsigned int i, nr;
	const Elf64_Shdr *sections = sections_of(image, &nr);
	bool has_symtab = false;

	for (i = 0; sections && i < nr; i++) {
		if ((sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM) ||
		    sections[i].sh_link >= nr)
			continue;
		has_symtab |= sections[i].sh_type == SHT_SYMTAB;
		if (!table_walk(image, &sections[i], &sections[sections[i].sh_link], each, data))
			return true;
	}
	return has_symtab;
}
