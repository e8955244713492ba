// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The table of functions, the kernel's, and how they are found. ELF files: symbols_elf.c. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say/name.h"
#include "symbols_add.h"

static char *copy(const char *name)
{
	return name_dup(name, strlen(name));
}

static unsigned int underscores(const char *name)
{
	size_t nr = strspn(name, "_");

	return nr < 255 ? (unsigned int)nr : 255;
}

int rep_symbols_add(struct rep_symbols *symbols, const struct rep_function *row,
		    enum rep_binding binding)
{
	struct rep_function added = *row;

	added.name = copy(row->name);
	added.module = row->module ? copy(row->module) : NULL;
	if (!added.name || (row->module && !added.module) ||
	    !rep_grow(&symbols->rows, &symbols->room, symbols->nr, sizeof(*symbols->rows))) {
		free(added.name);
		free(added.module);
		return -ENOMEM;
	}
	/* One with a size, that others see, and that is not meant for a library's own use. */
	added.rank = !row->size << 10 | (unsigned int)binding << 8 | underscores(row->name);
	symbols->rows[symbols->nr++] = added;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct rep_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void function_free(struct rep_function *row)
{
	free(row->name);
	free(row->module);
}

void rep_symbols_sort(struct rep_symbols *symbols)
{
	size_t i, used = 0;

	if (symbols->nr)
		qsort(symbols->rows, symbols->nr, sizeof(*symbols->rows), compare);
	for (i = 0; i < symbols->nr; i++) {
		if (used && symbols->rows[used - 1].start == symbols->rows[i].start)
			function_free(&symbols->rows[i]);
		else
			symbols->rows[used++] = symbols->rows[i];
	}
	symbols->nr = used;
}

size_t rep_symbols_at(const struct rep_symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->nr;
	const struct rep_function *row;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return SIZE_MAX;
	row = &symbols->rows[low - 1];
	return row->size && address - row->start >= row->size ? SIZE_MAX : low - 1;
}

size_t rep_symbols_find(const struct rep_symbols *symbols, uint64_t offset)
{
	size_t i;

	for (i = 0; i < symbols->nr_segments; i++) {
		const struct rep_segment *segment = &symbols->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size)
			return rep_symbols_at(symbols, offset - segment->offset + segment->address);
	}
	return SIZE_MAX;
}

/* What /proc/kallsyms calls text, in lines of ADDRESS TYPE NAME, and of a module [MODULE] as well. */
static bool binding_of(char type, enum rep_binding *binding)
{
	switch (type) {
	case 'T':
		*binding = REP_BINDING_GLOBAL;
		return true;
	case 'w':
	case 'W':
		*binding = REP_BINDING_WEAK;
		return true;
	case 't':
		*binding = REP_BINDING_LOCAL;
		return true;
	default:
		return false;
	}
}

int rep_symbols_kernel(struct rep_symbols *symbols, const char *path, const char *name,
		       uint64_t address)
{
	FILE *file = fopen(path, "re");
	char line[1200], symbol[512], module[128], type;
	enum rep_binding binding;
	struct rep_function row;
	bool same = false;
	uint64_t at;
	int ret = 0, nr;

	while (!ret && file && fgets(line, sizeof(line), file)) {
		nr = sscanf(line, "%" SCNx64 " %c %511s %127s", &at, &type, symbol, module);
		if (nr < 3 || !at)
			continue;
		same |= nr == 3 && at == address && !strcmp(symbol, name);
		row = (struct rep_function){ .start = at, .name = symbol };
		if (nr == 4)
			row.module = module;
		if (binding_of(type, &binding))
			ret = rep_symbols_add(symbols, &row, binding);
	}
	if (file)
		fclose(file);
	rep_symbols_sort(symbols);
	return ret || same ? ret : -ESTALE;
}

void rep_symbols_free(struct rep_symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->nr; i++)
		function_free(&symbols->rows[i]);
	free(symbols->rows);
	free(symbols->segments);
	memset(symbols, 0, sizeof(*symbols));
}
