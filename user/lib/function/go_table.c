// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * .gopclntab as Go 1.18 and later write it (src/debug/gosym/pclntab.go, src/runtime/symtab.go): a
 * head, then names, and a table with two numbers for each function: where its code begins, from the
 * beginning of the code on, and where the table says more. There is one more pair behind the last.
 */
#include <string.h>

#include "go_table.h"

#define GO_1_18	0xfffffff0
#define GO_1_20	0xfffffff1

struct head {
	uint32_t magic;
	uint8_t zero[2];
	uint8_t quantum;
	uint8_t pointer;	/* bytes */
	uint64_t nr_functions;
	uint64_t nr_files;
	uint64_t text;		/* 0: that of .text */
	uint64_t names;
	uint64_t units;
	uint64_t files;
	uint64_t pcs;
	uint64_t functions;
};

struct pair {
	uint32_t entry;
	uint32_t more;
};

/* What the table says of a function. */
struct more {
	uint32_t entry;
	uint32_t name;
};

struct table {
	const unsigned char *at;
	uint64_t size;
	struct head head;
};

static const Elf64_Shdr *section_of(const struct image *image)
{
	const Elf64_Shdr *section = image_section(image, ".gopclntab");

	return section ? section : image_section(image, ".data.rel.ro.gopclntab");
}

bool go_table_is(const struct image *image)
{
	return section_of(image) || image_section(image, ".note.go.buildid");
}

/* Copied: nothing there is aligned for sure. */
static bool take(const struct table *table, uint64_t at, void *to, uint64_t size)
{
	if (at > table->size || size > table->size - at)
		return false;
	memcpy(to, table->at + at, size);
	return true;
}

static bool open_table(const struct image *image, struct table *table)
{
	const Elf64_Shdr *section = section_of(image), *text;

	if (!section)
		return false;
	table->at = image_section_bytes(image, section);
	table->size = section->sh_size;
	if (!table->at || !take(table, 0, &table->head, sizeof(table->head)) ||
	    (table->head.magic != GO_1_18 && table->head.magic != GO_1_20) ||
	    table->head.pointer != 8 || table->head.functions > table->size ||
	    table->head.nr_functions >= (table->size - table->head.functions) / sizeof(struct pair))
		return false;
	if (table->head.text)
		return true;
	/* Where a C compiler has linked it, its code is behind that of the start-up files. */
	text = image_section(image, ".text");
	if (!text || image_section(image, ".init"))
		return false;
	table->head.text = text->sh_addr;
	return true;
}

static bool name_of(const struct table *table, const struct pair *pair, const char **name)
{
	struct more more;
	uint64_t at;

	if (!take(table, table->head.functions + pair->more, &more, sizeof(more)))
		return false;
	at = table->head.names + more.name;
	if (table->head.names > table->size || at >= table->size ||
	    !memchr(table->at + at, '\0', table->size - at))
		return false;
	*name = (const char *)table->at + at;
	return true;
}

static void table_walk(const struct image *image,
		       bool (*each)(const struct image_symbol *symbol, void *data), void *data)
{
	struct image_symbol symbol = { .type = STT_FUNC, .is_defined = true, .is_local = true };
	struct pair pair[2];
	struct table table;
	uint64_t i;

	if (!open_table(image, &table))
		return;
	for (i = 0; i < table.head.nr_functions; i++) {
		if (!take(&table, table.head.functions + i * sizeof(pair[0]), pair, sizeof(pair)) ||
		    pair[1].entry < pair[0].entry || !name_of(&table, pair, &symbol.name))
			continue;
		symbol.value = table.head.text + pair[0].entry;
		symbol.size = pair[1].entry - pair[0].entry;
		if (!each(&symbol, data))
			return;
	}
}

void image_symbols(const struct image *image,
		   bool (*each)(const struct image_symbol *symbol, void *data), void *data)
{
	if (!image_tables_walk(image, each, data))
		table_walk(image, each, data);
}
