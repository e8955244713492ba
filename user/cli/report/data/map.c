// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

struct rep_map_slot {
	uint64_t a;
	uint64_t b;
	size_t above;	/* the index plus 1; 0: free */
};

/* The finaliser of splitmix64: every bit of the keys moves half of the result's. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Where the key is, or where there is room for it. */
static struct rep_map_slot *slot_of(const struct rep_map *map, uint64_t a, uint64_t b)
{
	size_t at = (size_t)mix(a + mix(b)) & (map->size - 1);

	while (map->slots[at].above && (map->slots[at].a != a || map->slots[at].b != b))
		at = (at + 1) & (map->size - 1);
	return &map->slots[at];
}

size_t rep_map_find(const struct rep_map *map, uint64_t a, uint64_t b)
{
	return map->size ? slot_of(map, a, b)->above - 1 : REP_MAP_NONE;
}

static int grow(struct rep_map *map)
{
	struct rep_map larger = { .size = map->size ? 2 * map->size : 64, .nr = map->nr };
	size_t i;

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (i = 0; i < map->size; i++) {
		if (map->slots[i].above)
			*slot_of(&larger, map->slots[i].a, map->slots[i].b) = map->slots[i];
	}
	free(map->slots);
	*map = larger;
	return 0;
}

int rep_map_add(struct rep_map *map, uint64_t a, uint64_t b, size_t index)
{
	if (2 * (map->nr + 1) > map->size && grow(map) < 0)
		return -ENOMEM;
	*slot_of(map, a, b) = (struct rep_map_slot){ a, b, index + 1 };
	map->nr++;
	return 0;
}

void rep_map_free(struct rep_map *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}
