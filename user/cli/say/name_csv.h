/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Names as fields of CSV. */
#ifndef NAME_CSV_H
#define NAME_CSV_H

#include <stdio.h>

#include "text.h"

/* A field of CSV: as RFC 4180 has it, and for readers of perf's. */
void name_csv(FILE *file, const char *name, const char *separator);
void name_csv_text(struct text *text, const char *name, const char *separator);
void name_field(struct text *text, const char *name, const char *separator);

#endif
