/* SPDX-License-Identifier: GPL-2.0-only */
/* Spans by key, and what they have counted of each. */
#ifndef PMCGRP_SECTION_KEYS_H
#define PMCGRP_SECTION_KEYS_H

#include "pmcgrp_span.h"

#define ENTRIES 4096
#define BY(key) (1 + PMCGRP_KEY_##key)

static inline int group_of_all(int dev, const struct perf_event_attr *attr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = 2, .attr = attr };

	return ask_group(dev, &ask);
}

/* A span of WORK.  Returns 0 or -errno. */
static inline int span_with(int group, uint32_t by, uint32_t slots, uint32_t flags,
			    struct pmcgrp_span_add *add)
{
	*add = (struct pmcgrp_span_add){
		.size = sizeof(*add),
		.flags = flags,
		.kind = PMCGRP_SECTION_FUNCTION,
		.begin = (uintptr_t)WORK,
		.by = by,
		.slots = slots,
	};
	return ioctl(group, PMCGRP_IOC_SPAN, add) ? -errno : 0;
}

static inline int span_by(int group, uint32_t by, uint32_t slots, struct pmcgrp_span_add *add)
{
	return span_with(group, by, slots, 0, add);
}

/* What a section has counted by CPU and key. */
static struct {
	struct pmcgrp_section_key entry[ENTRIES];
	unsigned int nr;
	uint32_t by;
} keys;

static inline int keys_ask(int dev, struct pmcgrp_section_keys *arg)
{
	return ioctl(dev, PMCGRP_IOC_SECTION_KEYS, arg) ? -errno : 0;
}

/* Reads all entries, at most @room of them at once.  Returns 0 or -errno. */
static inline int keys_read(int dev, uint64_t id, uint32_t room)
{
	struct pmcgrp_section_keys arg = { .size = sizeof(arg), .id = id };
	int err;

	for (keys.nr = 0; arg.cursor != PMCGRP_SECTION_KEYS_END; keys.nr += arg.nr_entries) {
		if (keys.nr + room > ENTRIES)
			return -ENOSPC;
		arg.entries = (uintptr_t)&keys.entry[keys.nr];
		arg.nr_entries = room;
		arg.entry_size = sizeof(keys.entry[0]);
		err = keys_ask(dev, &arg);
		if (err)
			return err;
	}
	keys.by = arg.by;
	return 0;
}

static inline void entry_add(struct pmcgrp_section_key *to, const struct pmcgrp_section_key *from)
{
	const struct pmcgrp_section_key_stat *stat = from->stat;
	unsigned int i;

	for (i = 0; from->count && i <= PMCGRP_SECTION_MEMBERS_MAX; i++, stat++) {
		if (!to->count || stat->min < to->stat[i].min)
			to->stat[i].min = stat->min;
		if (stat->max > to->stat[i].max)
			to->stat[i].max = stat->max;
		to->stat[i].sum += stat->sum;
	}
	to->count += from->count;
}

/* Entries of one kind, or with @key of that key, added up. */
static inline struct pmcgrp_section_key keys_sum(uint32_t kind, const uint64_t *key)
{
	struct pmcgrp_section_key sum = {};
	unsigned int i;

	for (i = 0; i < keys.nr; i++)
		if (keys.entry[i].kind == kind && (!key || keys.entry[i].key[0] == *key))
			entry_add(&sum, &keys.entry[i]);
	return sum;
}

static inline struct pmcgrp_section_key key_of(uint64_t key)
{
	return keys_sum(PMCGRP_SECTION_KEY_TASKS, &key);
}

/* Whether keys, totals of CPUs and the section have counted the same. */
static inline bool keys_add_up(const struct section *section)
{
	struct pmcgrp_section_key all = keys_sum(PMCGRP_SECTION_KEY_TOTAL, NULL);
	struct pmcgrp_section_key sum = keys_sum(PMCGRP_SECTION_KEY_TASKS, NULL);
	struct pmcgrp_section_key rest = keys_sum(PMCGRP_SECTION_KEY_OVERFLOW, NULL);
	bool same = all.count == section->info.count;
	unsigned int i;

	for (i = 0; i <= section->info.nr_members; i++)
		same &= all.stat[i].sum == section->stat[i].sum &&
			all.stat[i].min == section->stat[i].min &&
			all.stat[i].max == section->stat[i].max;
	entry_add(&sum, &rest);
	same &= sum.count == all.count && !memcmp(sum.stat, all.stat, sizeof(sum.stat));
	if (!same)
		printf("# section %llu, CPUs %llu, keys %llu, of these in no slot %llu\n",
		       (unsigned long long)section->info.count, (unsigned long long)all.count,
		       (unsigned long long)sum.count, (unsigned long long)rest.count);
	return same;
}

#endif
