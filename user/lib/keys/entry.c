// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The keys that a reader of a table has seen, and what they have come to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "keys/entry.h"

#define BUCKETS_LEAST 256

void key_counts_add(struct pmcgrp_key_counts *counts, const uint64_t *words, unsigned int nr)
{
	unsigned int i;

	counts->stays += words[0];
	counts->time_enabled += words[1];
	counts->time_running += words[2];
	for (i = 0; i < nr; i++)
		counts->value[i] += words[KEY_WORDS + i];
}

static void counts_move(struct pmcgrp_key_counts *to, struct pmcgrp_key_counts *from,
			unsigned int nr)
{
	unsigned int i;

	to->stays += from->stays;
	to->time_enabled += from->time_enabled;
	to->time_running += from->time_running;
	from->stays = from->time_enabled = from->time_running = 0;
	for (i = 0; i < nr; i++) {
		to->value[i] += from->value[i];
		from->value[i] = 0;
	}
}

static bool of_tasks(const struct pmcgrp_key_table *table)
{
	return table->type == PMCGRP_KEY_PROCESS || table->type == PMCGRP_KEY_THREAD;
}

/* What a thread has counted after it was reaped. */
static bool is_reaped(const struct pmcgrp_key_table *table, const struct key_entry *entry)
{
	return of_tasks(table) && entry->key.kind == PMCGRP_KEY_KIND_KEY && !entry->key.key[1];
}

/* Those that have had the same number are in one bucket. */
static size_t bucket_of(const struct pmcgrp_key_table *table, const uint64_t key[2])
{
	uint64_t word = key[0] + (of_tasks(table) ? 0 : key[1] * 31);

	return (size_t)((word * 0x9e3779b97f4a7c15ULL) >> 32) & (table->nr_buckets - 1);
}

static int buckets_grow(struct pmcgrp_key_table *table)
{
	size_t nr = table->nr_buckets ? 2 * table->nr_buckets : BUCKETS_LEAST, i, k;
	struct key_entry **buckets = calloc(nr, sizeof(struct key_entry *));

	if (!buckets)
		return -ENOMEM;
	free(table->buckets);
	table->buckets = buckets;
	table->nr_buckets = nr;
	for (i = 0; i < table->nr_entries; i++) {
		k = bucket_of(table, table->at[i]->key.key);
		table->at[i]->next = buckets[k];
		buckets[k] = table->at[i];
	}
	return 0;
}

static int room(struct pmcgrp_key_table *table)
{
	struct key_entry **at;

	if (table->nr_entries == table->nr_buckets && buckets_grow(table) < 0)
		return -ENOMEM;
	if (table->nr_entries < table->max)
		return 0;
	at = reallocarray(table->at, table->nr_buckets, sizeof(struct key_entry *));
	if (!at)
		return -ENOMEM;
	table->at = at;
	table->max = table->nr_buckets;
	return 0;
}

struct key_entry *key_entry_get(struct pmcgrp_key_table *table, enum pmcgrp_key_kind kind,
				const uint64_t key[2])
{
	struct key_entry *entry;
	size_t k;

	if (room(table) < 0)
		return NULL;
	k = bucket_of(table, key);
	for (entry = table->buckets[k]; entry; entry = entry->next) {
		if (entry->key.kind == kind && entry->key.key[0] == key[0] &&
		    entry->key.key[1] == key[1])
			return entry;
	}
	entry = calloc(1, sizeof(*entry) + 2 * table->nr * sizeof(entry->values[0]));
	if (!entry)
		return NULL;
	entry->key.kind = kind;
	memcpy(entry->key.key, key, sizeof(entry->key.key));
	entry->key.total.value = entry->values;
	entry->key.delta.value = entry->values + table->nr;
	entry->next = table->buckets[k];
	table->buckets[k] = entry;
	table->at[table->nr_entries++] = entry;
	return entry;
}

void key_entries_merge(struct pmcgrp_key_table *table)
{
	struct key_entry *entry, *newest, *other;
	size_t i;

	for (i = 0; i < table->nr_entries; i++) {
		entry = table->at[i];
		if (!is_reaped(table, entry))
			continue;
		newest = NULL;
		for (other = table->buckets[bucket_of(table, entry->key.key)]; other;
		     other = other->next) {
			if (other->key.kind == PMCGRP_KEY_KIND_KEY &&
			    other->key.key[0] == entry->key.key[0] && other->key.key[1] &&
			    (!newest || other->key.key[1] > newest->key.key[1]))
				newest = other;
		}
		if (!newest)
			continue;
		counts_move(&newest->key.total, &entry->key.total, table->nr);
		counts_move(&newest->key.delta, &entry->key.delta, table->nr);
	}
}

const struct pmcgrp_key *pmcgrp_keys_next(const struct pmcgrp_key_table *table, size_t *at)
{
	while (*at < table->nr_entries) {
		struct key_entry *entry = table->at[(*at)++];

		/* What was merged is there no more. */
		if (is_reaped(table, entry) && !entry->key.total.time_enabled &&
		    !entry->key.total.stays)
			continue;
		entry->key.ended = !entry->slots;
		return &entry->key;
	}
	return NULL;
}

size_t pmcgrp_keys_nr(const struct pmcgrp_key_table *table)
{
	return table->nr_entries;
}

void pmcgrp_keys_drop_ended(struct pmcgrp_key_table *table)
{
	size_t i, nr = 0;

	if (!table->nr_buckets)
		return;
	memset(table->buckets, 0, table->nr_buckets * sizeof(struct key_entry *));
	for (i = 0; i < table->nr_entries; i++) {
		struct key_entry *entry = table->at[i];
		struct key_entry **bucket = &table->buckets[bucket_of(table, entry->key.key)];

		if (!entry->slots) {
			counts_move(&table->dropped, &entry->key.total, table->nr);
			free(entry);
			continue;
		}
		entry->next = *bucket;
		*bucket = entry;
		table->at[nr++] = entry;
	}
	table->nr_entries = nr;
}

void key_entries_free(struct pmcgrp_key_table *table)
{
	size_t i;

	for (i = 0; i < table->nr_entries; i++)
		free(table->at[i]);
	free(table->at);
	free(table->buckets);
}
