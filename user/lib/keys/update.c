// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Reading a table of counts by key (<linux/pmcgrp.h>, "Counts by key").
 *
 * Of each slot it is known what was read last, so that what has been counted since is added to its
 * key. A slot that has got another id was read completely before that: the kernel gives none away
 * that has changed since the flush before.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>

#include "keys/entry.h"
#include "ring_barrier.h"

/* A copy of a slot. */
struct copy {
	struct pmcgrp_keys_slot slot;
	uint64_t value[PMCGRP_MEMBERS_MAX];
};

/* A slot changes for some instructions, unless its CPU is a guest's that does not run. */
#define TRIES	1000
#define PATIENT	100

/* Whether it did not change for long enough. */
static bool slot_copy(struct copy *copy, const struct pmcgrp_key_table *table,
		      const struct pmcgrp_keys_slot *slot)
{
	const unsigned char *value = (const unsigned char *)slot + table->value_offset;
	unsigned int tries;
	uint32_t seq;

	for (tries = 0; tries < TRIES; tries++) {
		seq = slot_seq_acquire(slot);
		memcpy(&copy->slot, slot, sizeof(*slot));
		memcpy(copy->value, value, table->nr * sizeof(copy->value[0]));
		if (slot_seq_unchanged(slot, seq))
			return true;
		if (tries >= PATIENT)
			sched_yield();
	}
	return false;
}

static enum pmcgrp_key_kind kind_of(const struct pmcgrp_keys_slot *slot, unsigned int index)
{
	if (!index)
		return PMCGRP_KEY_KIND_OVERFLOW;
	if (slot->key[0] == PMCGRP_KEY_OTHER)
		return PMCGRP_KEY_KIND_OTHER;
	return slot->key[0] || slot->key[1] ? PMCGRP_KEY_KIND_KEY : PMCGRP_KEY_KIND_IDLE;
}

/* A slot that somebody else has now, or the first one. */
static int slot_take(struct pmcgrp_key_table *table, struct key_slot *seen,
		     const struct pmcgrp_keys_slot *slot, unsigned int index)
{
	const uint64_t key[2] = { slot->key[0], slot->key[1] };
	struct key_entry *entry = key_entry_get(table, kind_of(slot, index), key);

	if (!entry)
		return -ENOMEM;
	if (seen->id)
		seen->entry->slots--;
	entry->slots++;
	memset(seen, 0, table->seen_size);
	seen->id = slot->id;
	seen->entry = entry;
	return 0;
}

/* What has been counted since it was read last. */
static void slot_add(struct pmcgrp_key_table *table, struct key_slot *seen, const uint64_t *now)
{
	unsigned int i, nr = KEY_WORDS + table->nr;
	uint64_t more[KEY_WORDS_MAX], any = 0;
	struct pmcgrp_key *key = &seen->entry->key;

	for (i = 0; i < nr; i++) {
		more[i] = now[i] - seen->words[i];
		any |= more[i];
	}
	if (!any)
		return;
	memcpy(seen->words, now, nr * sizeof(*now));
	key_counts_add(&key->total, more, table->nr);
	key_counts_add(&key->delta, more, table->nr);
	if (seen->interval != table->interval)
		key->cpus++;
	seen->interval = table->interval;
}

static int slot_read(struct pmcgrp_key_table *table, struct key_slot *seen,
		     const struct pmcgrp_keys_slot *slot, unsigned int index)
{
	uint64_t words[KEY_WORDS_MAX];
	struct copy copy;

	if (!*(const volatile __u64 *)&slot->id)
		return 0;
	if (!slot_copy(&copy, table, slot)) {
		table->read = false;
		return 0;
	}
	if (copy.slot.id != seen->id && slot_take(table, seen, &copy.slot, index) < 0)
		return -ENOMEM;
	words[0] = copy.slot.stays;
	words[1] = copy.slot.time_enabled;
	words[2] = copy.slot.time_running;
	memcpy(words + KEY_WORDS, copy.value, table->nr * sizeof(words[0]));
	slot_add(table, seen, words);
	memcpy(seen->entry->key.comm, copy.slot.comm, sizeof(copy.slot.comm) - 1);
	return 0;
}

static void totals_add(struct pmcgrp_key_totals *totals, const struct pmcgrp_keys_block *block,
		       unsigned int nr)
{
	struct pmcgrp_keys_block copy;
	unsigned int i;

	memcpy(&copy, block, sizeof(copy));
	totals->used += copy.used;
	totals->reused += copy.reused;
	totals->overflows += copy.overflows;
	totals->time_enabled += copy.time_enabled;
	totals->time_running += copy.time_running;
	for (i = 0; i < nr; i++)
		totals->value[i] += copy.value[i];
}

static int block_read(struct pmcgrp_key_table *table, unsigned int index)
{
	const unsigned char *at = table->map + index * table->block_size;
	const struct pmcgrp_keys_block *block = (const void *)at;
	unsigned int i;
	int ret = 0;

	totals_add(&table->totals, block, table->nr);
	at += block->slot_offset;
	for (i = 0; i < table->nr_slots && ret >= 0; i++, at += table->slot_size)
		ret = slot_read(table, key_slot(table, index, i), (const void *)at, i);
	return ret;
}

static void interval_begin(struct pmcgrp_key_table *table)
{
	size_t i;

	table->interval++;
	table->fresh = false;
	for (i = 0; i < table->nr_entries; i++) {
		struct pmcgrp_key *key = &table->at[i]->key;

		memset(key->delta.value, 0, table->nr * sizeof(key->delta.value[0]));
		key->delta.stays = key->delta.time_enabled = key->delta.time_running = 0;
		key->cpus = 0;
	}
}

int pmcgrp_keys_drain(struct pmcgrp_key_table *table)
{
	unsigned long flags = table->read ? PMCGRP_KEYS_READ : 0;
	unsigned int i;
	int ret = 0;

	if (table->fresh || !table->interval)
		interval_begin(table);
	if (ioctl(table->fd, PMCGRP_IOC_KEYS_FLUSH, flags) < 0)
		return -errno;
	table->read = true;
	memset(&table->totals, 0, sizeof(table->totals));
	for (i = 0; i < table->nr_blocks && ret >= 0; i++)
		ret = block_read(table, i);
	if (ret < 0)
		table->read = false;
	key_entries_merge(table);
	return ret;
}

int pmcgrp_keys_update(struct pmcgrp_key_table *table)
{
	int ret = pmcgrp_keys_drain(table);

	if (ret >= 0)
		table->fresh = true;
	return ret;
}
