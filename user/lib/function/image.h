/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * ELF files of programs and libraries, mapped. A file is input like any other: nothing of it is used
 * before it is known to be inside.
 */
#ifndef FUNCTION_IMAGE_H
#define FUNCTION_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct image - a file that is mapped
 * @at: its first byte
 * @size: bytes
 * @head: the same as @at
 */
struct image {
	const char *at;
	size_t size;
	const Elf64_Ehdr *head;
};

/**
 * struct image_symbol - a name of an address
 * @name: the name
 * @value: the address
 * @size: bytes; 0: not told
 * @type: STT_*
 * @is_defined: in this file
 * @is_local: of .symtab or Go's table, which have all functions; else of .dynsym
 */
struct image_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	unsigned int type;
	bool is_defined;
	bool is_local;
};

/* Returns 0; a negative errno; -ENOEXEC: no ELF file of 64 bits for this processor. */
int image_open(struct image *image, const char *path);

void image_close(struct image *image);

/* A file that is in memory already, for any processor that this knows: x86_64, arm64. */
bool image_is_known(const struct image *image);

/* A section by its name; NULL: there is none. */
const Elf64_Shdr *image_section(const struct image *image, const char *name);

/* The bytes of a section; NULL: they are not in the file. */
const unsigned char *image_section_bytes(const struct image *image, const Elf64_Shdr *section);

/* The section that has an address; NULL: none. */
const Elf64_Shdr *image_section_at(const struct image *image, uint64_t address);

/* Its name; "": it has none. */
const char *image_section_name(const struct image *image, const Elf64_Shdr *section);

/* The segment of code that has a place, by its address or by its offset; NULL: there is none. */
const Elf64_Phdr *image_code(const struct image *image, uint64_t place, bool by_address);

/* @size bytes of the program at an address; NULL: the file does not have them all. */
const unsigned char *image_bytes(const struct image *image, uint64_t address, uint64_t size);

/*
 * Calls @each for the symbols of .symtab and .dynsym, until it returns false.  Returns whether that
 * is all: @each has returned false, or there is a .symtab.
 */
bool image_tables_walk(const struct image *image,
		       bool (*each)(const struct image_symbol *symbol, void *data), void *data);

#endif
