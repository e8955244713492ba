/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the files of counts by key share. */
#ifndef PMCGRP_KEYS_H
#define PMCGRP_KEYS_H

#include "internal.h"

/* What is added up of a slot: stays, time_enabled, time_running, and the members' values. */
#define KEY_WORDS	3
#define KEY_WORDS_MAX	(KEY_WORDS + PMCGRP_MEMBERS_MAX)

struct key_entry {
	struct pmcgrp_key key;
	struct key_entry *next;		/* in its bucket */
	unsigned int slots;		/* how many slots have it now */
	uint64_t values[];		/* those of key.total, then those of key.delta */
};

/* What a slot had when it was read last. */
struct key_slot {
	uint64_t id;			/* 0: nothing yet */
	struct key_entry *entry;
	uint64_t interval;		/* in which it has counted */
	uint64_t words[];
};

struct pmcgrp_key_table {
	int fd;				/* of the group, which is to live as long */
	enum pmcgrp_key_type type;
	unsigned int nr;		/* members */
	const unsigned char *map;
	uint64_t map_size;
	uint64_t block_size;
	unsigned int nr_blocks;
	unsigned int nr_slots;		/* of a block, with slot 0 */
	unsigned int slot_size;
	unsigned int value_offset;	/* in a slot */
	unsigned char *seen;		/* a struct key_slot for each slot */
	size_t seen_size;
	bool read;			/* all slots were read since the last flush */
	bool fresh;			/* an interval has ended, and none begun */
	uint64_t interval;
	struct key_entry **at;
	size_t nr_entries;
	size_t max;
	struct key_entry **buckets;
	size_t nr_buckets;		/* a power of two */
	struct pmcgrp_key_totals totals;
	struct pmcgrp_key_counts dropped;
	uint64_t dropped_value[PMCGRP_MEMBERS_MAX];
};

static inline struct key_slot *key_slot(const struct pmcgrp_key_table *table, unsigned int block,
					unsigned int slot)
{
	return (struct key_slot *)(table->seen + table->seen_size * ((size_t)block * table->nr_slots +
								     slot));
}

/* A list makes the depth meaningless, as do other types. */
static inline uint32_t key_depth(const struct pmcgrp_key_options *options)
{
	return options->type == PMCGRP_KEY_CGROUP && !options->nr_cgroups ? options->depth :
									   PMCGRP_KEYS_LEAF;
}

/* Adds @words, as KEY_WORDS has them. */
void key_counts_add(struct pmcgrp_key_counts *counts, const uint64_t *words, unsigned int nr);

/* The entry of a key, if need be a new one. NULL: no memory. */
struct key_entry *key_entry_get(struct pmcgrp_key_table *table, enum pmcgrp_key_kind kind,
				const uint64_t key[2]);

/* What threads have counted after they were reaped goes to those that had their number last. */
void key_entries_merge(struct pmcgrp_key_table *table);

void key_entries_free(struct pmcgrp_key_table *table);

/* A table over memory that is laid out as @keys says, which pmcgrp_keys_free() unmaps. */
int key_table_new(struct pmcgrp_key_table **out, int fd, unsigned int nr,
		  const struct pmcgrp_keys *keys, const void *map);

#endif
