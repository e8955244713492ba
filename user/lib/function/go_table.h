/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Functions of programs: from the tables of ELF, and those of programs in Go from the table that its
 * runtime walks stacks with.
 */
#ifndef FUNCTION_GO_TABLE_H
#define FUNCTION_GO_TABLE_H

#include <stdbool.h>

#include "image.h"

/* go_table_is - whether a file is a program in Go */
bool go_table_is(const struct image *image);

/* Calls @each for the symbols of .symtab, .dynsym and Go's table, until it returns false. */
void image_symbols(const struct image *image,
		   bool (*each)(const struct image_symbol *symbol, void *data), void *data);

#endif
