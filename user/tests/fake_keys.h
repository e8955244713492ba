/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * A table of counts by key as the module writes it, in a file that a group's descriptor can stand
 * for: it lies at PMCGRP_KEYS_OFFSET there. A key has the first free slot, then the first that may be
 * given away, then slot 0.
 */
#ifndef FAKE_KEYS_H
#define FAKE_KEYS_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pmcgrp.h"

#define FAKE_KEYS_CPUS 4
#define FAKE_KEYS_SLOTS 4096
#define FAKE_KEYS_NEWER 24

struct fake_keys {
	int fd;
	unsigned char *map;
	size_t size;
	struct pmcgrp_keys layout;
	unsigned int nr;		/* members */
	unsigned int flushes;
	unsigned int read;		/* number of the last flush that said so */
	__u64 ids;
	unsigned int changed[FAKE_KEYS_CPUS][FAKE_KEYS_SLOTS + 1];	/* flushes before that */
};

static inline struct pmcgrp_keys_block *fake_keys_block(const struct fake_keys *k, unsigned int cpu)
{
	return (void *)(k->map + cpu * k->layout.block_size);
}

static inline struct pmcgrp_keys_slot *fake_keys_slot(const struct fake_keys *k, unsigned int cpu,
						      unsigned int slot)
{
	struct pmcgrp_keys_block *block = fake_keys_block(k, cpu);

	return (void *)((unsigned char *)block + block->slot_offset + slot * k->layout.slot_size);
}

static inline __u64 *fake_keys_values(const struct fake_keys *k, struct pmcgrp_keys_slot *slot)
{
	return (void *)((unsigned char *)slot + k->layout.value_offset);
}

/* @layout: as the reader asks; what it is told is filled in. @fd: a memfd, with nothing in it */
static inline int fake_keys_init(struct fake_keys *k, int fd, unsigned int nr, unsigned int cpus,
				 struct pmcgrp_keys *layout)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), slots = 1, block;
	unsigned int cpu;

	if (layout->size != sizeof(*layout) || layout->flags) {
		errno = EINVAL;
		return -1;
	}
	while (slots < layout->slots)
		slots *= 2;
	layout->slots = (__u32)slots;
	layout->nr_cpus = cpus;
	/* A newer module's slots have something before the values that nobody knows. */
	layout->value_offset = (__u32)(sizeof(struct pmcgrp_keys_slot) + FAKE_KEYS_NEWER);
	layout->slot_size = (__u32)(layout->value_offset + nr * sizeof(__u64));
	block = sizeof(struct pmcgrp_keys_block) + (slots + 1) * layout->slot_size;
	layout->block_size = (block + page - 1) / page * page;
	layout->map_size = cpus * layout->block_size;
	*k = (struct fake_keys){ .fd = fd, .nr = nr, .layout = *layout };
	k->size = layout->map_size;
	if (ftruncate(fd, (off_t)(PMCGRP_KEYS_OFFSET + k->size)) < 0)
		return -1;
	k->map = mmap(NULL, k->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PMCGRP_KEYS_OFFSET);
	if (k->map == MAP_FAILED)
		return -1;
	for (cpu = 0; cpu < cpus; cpu++) {
		fake_keys_block(k, cpu)->cpu = cpu;
		fake_keys_block(k, cpu)->slot_offset = sizeof(struct pmcgrp_keys_block);
	}
	return 0;
}

static inline void fake_keys_free(struct fake_keys *k)
{
	munmap(k->map, k->size);
	k->map = NULL;
}

static inline void fake_keys_flush(struct fake_keys *k, unsigned long flags)
{
	unsigned int cpu;

	k->flushes++;
	if (flags & PMCGRP_KEYS_READ)
		k->read = k->flushes;
	for (cpu = 0; cpu < k->layout.nr_cpus; cpu++)
		fake_keys_block(k, cpu)->flushed++;
}

/* A slot that is free, or that the reader knows completely. */
static inline bool fake_keys_usable(const struct fake_keys *k, unsigned int cpu, unsigned int slot)
{
	return !fake_keys_slot(k, cpu, slot)->id || k->changed[cpu][slot] + 2 <= k->read;
}

static inline unsigned int fake_keys_find(struct fake_keys *k, unsigned int cpu, __u64 key0,
					  __u64 key1)
{
	struct pmcgrp_keys_block *block = fake_keys_block(k, cpu);
	struct pmcgrp_keys_slot *slot;
	unsigned int i, free = 0;

	for (i = k->layout.slots; i; i--) {
		slot = fake_keys_slot(k, cpu, i);
		if (slot->id && slot->key[0] == key0 && slot->key[1] == key1)
			return i;
		if (fake_keys_usable(k, cpu, i) && (!free || !slot->id))
			free = i;
	}
	slot = fake_keys_slot(k, cpu, free);
	if (!free) {
		block->overflows++;
		slot->id = 1;
		slot->key[0] = PMCGRP_KEY_OTHER;
		return 0;
	}
	block->used += !slot->id;
	block->reused += !!slot->id;
	memset(slot, 0, k->layout.slot_size);
	slot->id = ++k->ids + 1;
	slot->key[0] = key0;
	slot->key[1] = key1;
	return free;
}

/* The key has run on the CPU for @ns; member i counts (i + 1) * @value. */
static inline struct pmcgrp_keys_slot *fake_keys_count(struct fake_keys *k, unsigned int cpu,
						       __u64 key0, __u64 key1, const char *comm,
						       __u64 ns, __u64 value)
{
	unsigned int at = fake_keys_find(k, cpu, key0, key1), i;
	struct pmcgrp_keys_slot *slot = fake_keys_slot(k, cpu, at);
	struct pmcgrp_keys_block *block = fake_keys_block(k, cpu);

	slot->seq++;
	slot->stays++;
	slot->time_enabled += ns;
	slot->time_running += ns;
	snprintf(slot->comm, sizeof(slot->comm), "%.15s", comm);
	for (i = 0; i < k->nr; i++) {
		fake_keys_values(k, slot)[i] += (i + 1) * value;
		block->value[i] += (i + 1) * value;
	}
	slot->seq++;
	block->time_enabled += ns;
	block->time_running += ns;
	k->changed[cpu][at] = k->flushes;
	return slot;
}

#endif
