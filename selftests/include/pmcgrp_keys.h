/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of counts by key, as a reader has them. */
#ifndef PMCGRP_KEYS_TEST_H
#define PMCGRP_KEYS_TEST_H

#include "pmcgrp_test.h"
#include <sys/mount.h>
#include <sys/stat.h>

#define CGROUPS	"/tmp/cgroups"

/* A group's table. */
struct table {
	int fd;
	struct pmcgrp_keys arg;
	void *map;
};

/* What all slots of a key, or of all keys, have counted. */
struct told {
	unsigned int slots;
	uint64_t stays;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[PMCGRP_MEMBERS_MAX];
};

/* Returns 0 or -errno; table->arg.why says more. */
static inline int table_ask(int fd, struct table *table)
{
	table->arg.size = sizeof(table->arg);
	return ioctl(fd, PMCGRP_IOC_KEYS, &table->arg) ? -errno : 0;
}

/* Returns 0 or -errno. */
static inline int table_make(int fd, uint32_t type, uint32_t slots, struct table *table)
{
	int err;

	table->fd = fd;
	table->arg.type = type;
	table->arg.slots = slots;
	err = table_ask(fd, table);
	if (err)
		return err;
	table->map = mmap(NULL, table->arg.map_size, PROT_READ, MAP_SHARED, fd,
			  PMCGRP_KEYS_OFFSET);
	return table->map == MAP_FAILED ? -errno : 0;
}

static inline void table_unmap(struct table *table)
{
	munmap(table->map, table->arg.map_size);
}

static inline int table_flush(const struct table *table, uint32_t flags)
{
	return ioctl(table->fd, PMCGRP_IOC_KEYS_FLUSH, flags) ? -errno : 0;
}

static inline const struct pmcgrp_keys_block *table_block(const struct table *table, unsigned int n)
{
	return table->map + n * table->arg.block_size;
}

static inline const struct pmcgrp_keys_slot *table_slot(const struct table *table, unsigned int n,
							unsigned int i)
{
	const struct pmcgrp_keys_block *block = table_block(table, n);

	return (const void *)block + block->slot_offset + (size_t)i * table->arg.slot_size;
}

static inline const uint64_t *slot_values(const struct table *table,
					  const struct pmcgrp_keys_slot *slot)
{
	return (const void *)slot + table->arg.value_offset;
}

/* A copy of a slot with nr members, of one instant; whether it is used. */
static inline bool slot_copy(const struct table *table, const struct pmcgrp_keys_slot *slot,
			     unsigned int nr, struct pmcgrp_keys_slot *copy, uint64_t *value)
{
	const volatile uint32_t *seq = &slot->seq;
	uint32_t before;

	do {
		before = *seq;
		__sync_synchronize();
		memcpy(copy, slot, sizeof(*copy));
		memcpy(value, slot_values(table, slot), nr * sizeof(*value));
		__sync_synchronize();
	} while (before & 1 || before != *seq);
	return copy->id;
}

/* Adds up the slots that match says yes to; NULL: all. */
static inline struct told table_sum(const struct table *table, unsigned int nr,
				    bool (*match)(const struct pmcgrp_keys_slot *slot,
						  const void *arg),
				    const void *arg)
{
	uint64_t value[PMCGRP_MEMBERS_MAX];
	struct pmcgrp_keys_slot copy;
	struct told told = {};
	unsigned int n, i, k;

	for (n = 0; n < table->arg.nr_cpus; n++) {
		for (i = 0; i <= table->arg.slots; i++) {
			if (!slot_copy(table, table_slot(table, n, i), nr, &copy, value) ||
			    (match && !match(&copy, arg)))
				continue;
			told.slots++;
			told.stays += copy.stays;
			told.enabled += copy.time_enabled;
			told.running += copy.time_running;
			for (k = 0; k < nr; k++)
				told.value[k] += value[k];
		}
	}
	return told;
}

static inline bool first_word_is(const struct pmcgrp_keys_slot *slot, const void *arg)
{
	return slot->key[0] == *(const uint64_t *)arg;
}

/* What a cgroup, process or thread has counted. */
static inline struct told table_of(const struct table *table, unsigned int nr, uint64_t key)
{
	return table_sum(table, nr, first_word_is, &key);
}

/* Whether what the blocks say they have told is what all slots have. */
static inline bool table_adds_up(const struct table *table, unsigned int nr)
{
	struct told all = table_sum(table, nr, NULL, NULL), sum = {};
	unsigned int n, k;
	bool same;

	for (n = 0; n < table->arg.nr_cpus; n++) {
		const struct pmcgrp_keys_block *block = table_block(table, n);

		sum.enabled += block->time_enabled;
		sum.running += block->time_running;
		for (k = 0; k < nr; k++)
			sum.value[k] += block->value[k];
	}
	same = sum.enabled == all.enabled && sum.running == all.running &&
	       !memcmp(sum.value, all.value, nr * sizeof(sum.value[0]));
	if (!same)
		printf("# blocks: %llu ns, %llu; slots: %llu ns, %llu\n",
		       (unsigned long long)sum.enabled, (unsigned long long)sum.value[0],
		       (unsigned long long)all.enabled, (unsigned long long)all.value[0]);
	return same;
}

static inline uint64_t blocks_overflows(const struct table *table)
{
	uint64_t sum = 0;
	unsigned int n;

	for (n = 0; n < table->arg.nr_cpus; n++)
		sum += table_block(table, n)->overflows;
	return sum;
}

/* Whether there are cgroups, from now on in CGROUPS. */
static inline bool cgroups_mount(void)
{
	struct stat st;

	mkdir(CGROUPS, 0755);
	return !stat(CGROUPS "/cgroup.procs", &st) ||
	       !mount("cgroup2", CGROUPS, "cgroup2", 0, NULL);
}

static inline void cgroup_path(char *path, size_t size, const char *name, const char *file)
{
	snprintf(path, size, CGROUPS "/%s%s", name, file);
}

/* Makes a cgroup, and returns its id, or 0. */
static inline uint64_t cgroup_make(const char *name)
{
	struct stat st;
	char path[128];

	cgroup_path(path, sizeof(path), name, "");
	return (mkdir(path, 0755) && errno != EEXIST) || stat(path, &st) ? 0 : st.st_ino;
}

static inline bool cgroup_remove(const char *name)
{
	char path[128];

	cgroup_path(path, sizeof(path), name, "");
	return !rmdir(path);
}

/* Moves a process, or with 0 the caller's. */
static inline bool cgroup_move(const char *name, pid_t pid)
{
	char path[128];

	cgroup_path(path, sizeof(path), name, "/cgroup.procs");
	return write_number(path, pid);
}

/* Returns the descriptor of a group, or -errno. */
static inline int group_of_cgroup(int dev, const char *name, struct ask *ask)
{
	char path[128];
	int dir, fd;

	cgroup_path(path, sizeof(path), name, "");
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	ask->target_type = PMCGRP_TARGET_CGROUP;
	ask->target_id = dir;
	fd = ask_group(dev, ask);
	close(dir);
	return fd;
}

#endif /* PMCGRP_KEYS_TEST_H */
