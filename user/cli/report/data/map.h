/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* From two numbers to an index: which stream, which thread, which CPU. */
#ifndef REPORT_MAP_H
#define REPORT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct rep_map {
	struct rep_map_slot *slots;	/* open addressing; at most half of them are used */
	size_t size;			/* a power of two, or 0 */
	size_t nr;
};

#define REP_MAP_NONE SIZE_MAX

/* The index of (@a, @b), or REP_MAP_NONE. */
size_t rep_map_find(const struct rep_map *map, uint64_t a, uint64_t b);

/* Adds one that is not in the map. Returns 0, or -ENOMEM. */
int rep_map_add(struct rep_map *map, uint64_t a, uint64_t b, size_t index);

void rep_map_free(struct rep_map *map);

#endif
