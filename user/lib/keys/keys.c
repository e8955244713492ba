// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* A group's table of counts by key: its set-up and its end. */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "keys/entry.h"

/* Whether the table can be as the module says. */
static bool layout_possible(const struct pmcgrp_keys *keys, unsigned int nr)
{
	uint64_t slots;

	if (!keys->nr_cpus || keys->nr_cpus > PMCGRP_CPUS_MAX || !keys->slots ||
	    keys->slots > PMCGRP_KEYS_SLOTS_MAX || keys->slot_size % sizeof(uint64_t) ||
	    keys->value_offset % sizeof(uint64_t) ||
	    keys->value_offset < sizeof(struct pmcgrp_keys_slot) ||
	    keys->value_offset > keys->slot_size ||
	    keys->slot_size - keys->value_offset < nr * sizeof(uint64_t))
		return false;
	slots = ((uint64_t)keys->slots + 1) * keys->slot_size;
	return keys->block_size <= keys->map_size / keys->nr_cpus &&
	       keys->block_size >= sizeof(struct pmcgrp_keys_block) &&
	       keys->block_size - sizeof(struct pmcgrp_keys_block) >= slots;
}

static bool blocks_possible(const struct pmcgrp_key_table *table)
{
	uint64_t slots = (uint64_t)table->nr_slots * table->slot_size;
	unsigned int i;

	for (i = 0; i < table->nr_blocks; i++) {
		const struct pmcgrp_keys_block *block =
			(const void *)(table->map + i * table->block_size);

		if (block->slot_offset % sizeof(uint64_t) ||
		    block->slot_offset < sizeof(*block) ||
		    block->slot_offset > table->block_size - slots)
			return false;
	}
	return true;
}

int key_table_new(struct pmcgrp_key_table **out, int fd, unsigned int nr,
		  const struct pmcgrp_keys *keys, const void *map)
{
	struct pmcgrp_key_table *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->fd = fd;
	table->type = (enum pmcgrp_key_type)keys->type;
	table->nr = nr;
	table->map = map;
	table->map_size = keys->map_size;
	table->block_size = keys->block_size;
	table->nr_blocks = keys->nr_cpus;
	table->nr_slots = keys->slots + 1;
	table->slot_size = keys->slot_size;
	table->value_offset = keys->value_offset;
	table->dropped.value = table->dropped_value;
	table->seen_size = sizeof(struct key_slot) + (KEY_WORDS + nr) * sizeof(uint64_t);
	table->seen = calloc((size_t)table->nr_blocks * table->nr_slots, table->seen_size);
	if (!table->seen || !blocks_possible(table)) {
		int ret = table->seen ? -EPROTO : -ENOMEM;

		free(table->seen);
		free(table);
		return ret;
	}
	*out = table;
	return 0;
}

static void request_init(struct pmcgrp_keys *keys, const struct pmcgrp_key_options *options)
{
	*keys = (struct pmcgrp_keys){
		.size = sizeof(*keys),
		.type = options->type,
		.depth = key_depth(options),
		.cgroups = options->nr_cgroups ? (uintptr_t)options->cgroups : 0,
		.nr_cgroups = options->nr_cgroups,
		.slots = options->slots ? options->slots : PMCGRP_KEY_SLOTS,
	};
}

int pmcgrp_group_set_keys(struct pmcgrp *h, struct pmcgrp_group *group,
			  const struct pmcgrp_key_options *options, struct pmcgrp_key_table **out)
{
	struct pmcgrp_keys keys;
	void *map;
	int ret;

	if (!h || !out)
		return -EINVAL;
	*out = NULL;
	if (!group || !options)
		return failure_plain(&h->failure, EINVAL, PMCGRP_WHY_NONE,
				     "pmcgrp_group_set_keys() was given no group or no options");
	if (group->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "a group of perf_event_open has no counts by key: load the "
				     "module");
	request_init(&keys, options);
	if (ioctl(group->fd, PMCGRP_IOC_KEYS, &keys) < 0)
		return failure_keys(&h->failure, &keys, errno);
	if (!layout_possible(&keys, group->nr))
		return failure_plain(&h->failure, EPROTO, PMCGRP_WHY_NONE,
				     "the module says of its counts by key what cannot be");
	map = mmap(NULL, keys.map_size, PROT_READ, MAP_SHARED, group->fd, PMCGRP_KEYS_OFFSET);
	if (map == MAP_FAILED)
		return failure_plain(&h->failure, errno, PMCGRP_WHY_NONE,
				     "cannot map the counts by key");
	ret = key_table_new(out, group->fd, group->nr, &keys, map);
	if (ret < 0) {
		munmap(map, keys.map_size);
		return failure_plain(&h->failure, -ret, PMCGRP_WHY_NONE,
				     "cannot set up the counts by key");
	}
	return 0;
}

void pmcgrp_keys_free(struct pmcgrp_key_table *table)
{
	if (!table)
		return;
	munmap((void *)(uintptr_t)table->map, table->map_size);
	key_entries_free(table);
	free(table->seen);
	free(table);
}

void pmcgrp_keys_totals(const struct pmcgrp_key_table *table, struct pmcgrp_key_totals *totals)
{
	*totals = table->totals;
}

const struct pmcgrp_key_counts *pmcgrp_keys_dropped(const struct pmcgrp_key_table *table)
{
	return &table->dropped;
}
