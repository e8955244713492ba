// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "strings.h"

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return hash;
}

size_t rep_strings_add(struct rep_strings *strings, const char *text)
{
	uint64_t hash = hash_of(text), nth;
	size_t at;

	for (nth = 0; (at = rep_map_find(&strings->map, hash, nth)) != REP_MAP_NONE; nth++) {
		if (!strcmp(strings->rows[at], text))
			return at;
	}
	at = strings->nr;
	if (!rep_grow(&strings->rows, &strings->room, at, sizeof(*strings->rows)))
		return SIZE_MAX;
	strings->rows[at] = strdup(text);
	if (!strings->rows[at] || rep_map_add(&strings->map, hash, nth, at) < 0) {
		free(strings->rows[at]);
		return SIZE_MAX;
	}
	strings->nr++;
	return at;
}

void rep_strings_free(struct rep_strings *strings)
{
	size_t i;

	for (i = 0; i < strings->nr; i++)
		free(strings->rows[i]);
	free(strings->rows);
	rep_map_free(&strings->map);
	memset(strings, 0, sizeof(*strings));
}
