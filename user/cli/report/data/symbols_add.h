/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* How tables of functions are made; for symbols*.c alone. */
#ifndef REPORT_SYMBOLS_ADD_H
#define REPORT_SYMBOLS_ADD_H

#include "grow.h"
#include "symbol_table.h"

/* Who sees it. */
enum rep_binding {
	REP_BINDING_GLOBAL,
	REP_BINDING_WEAK,
	REP_BINDING_LOCAL,
};

/* @row: its names are copied. Returns 0, or -ENOMEM. */
int rep_symbols_add(struct rep_symbols *symbols, const struct rep_function *row,
		    enum rep_binding binding);

/* Behind the last one. */
void rep_symbols_sort(struct rep_symbols *symbols);

#endif
