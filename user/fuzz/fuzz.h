/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the fuzz targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer calls it with one input after another. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(condition) do {								\
	if (!(condition)) {								\
		fprintf(stderr, "%s:%d: must be: %s\n", __FILE__, __LINE__, #condition);	\
		abort();								\
	}										\
} while (0)

/* As a string in memory of its own length, so that reading past its end is seen. */
static inline char *text_of(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
