/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* From a text to an index: each text once. */
#ifndef REPORT_STRINGS_H
#define REPORT_STRINGS_H

#include "map.h"

/* All zero at first. */
struct rep_strings {
	char **rows;
	size_t nr;
	size_t room;
	struct rep_map map;	/* by a hash of the text */
};

/* The index of a text, which may be new and is copied; SIZE_MAX: out of memory. */
size_t rep_strings_add(struct rep_strings *strings, const char *text);

void rep_strings_free(struct rep_strings *strings);

#endif
