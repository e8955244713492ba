/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Sections as the module would tell of them, and what they count as often as they are looked at. */
#ifndef FAKE_SECTIONS_H
#define FAKE_SECTIONS_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "pmcgrp.h"

#define FAKE_GROUP (1ULL << 40)

static inline unsigned int fake_bucket(uint64_t value)
{
	return value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
}

/* @times sections more with this value. */
static inline void fake_stat(struct pmcgrp_section_stat *stat, uint64_t value, uint64_t times)
{
	bool first = !stat->sum && !stat->bucket[0];

	if (!times)
		return;
	stat->sum += value * times;
	stat->min = first || value < stat->min ? value : stat->min;
	stat->max = value > stat->max ? value : stat->max;
	stat->bucket[fake_bucket(value)] += times;
}

/* The values of cycles at the look number @look: the first has both, each later one a 100. */
static inline void fake_lock(struct pmcgrp_section_info *info, struct pmcgrp_section_stat *stat,
			     unsigned int look)
{
	strcpy(info->name, "sample_lock");
	info->count = 10 + 4ULL * look;
	info->missed[PMCGRP_MISSED_MOVED] = 2 + look;
	info->missed[PMCGRP_MISSED_OFF] = 1;
	fake_stat(&stat[0], 900, 10);
	fake_stat(&stat[0], 300, 4ULL * look);
	fake_stat(&stat[1], 50, 6);
	fake_stat(&stat[1], 300, 4);
	fake_stat(&stat[1], 100, 4ULL * look);
	stat[2].config = PERF_COUNT_HW_INSTRUCTIONS;
	fake_stat(&stat[2], 40, 10 + 4ULL * look);
}

/* One that has not been entered as yet. */
static inline void fake_idle(struct pmcgrp_section_info *info, struct pmcgrp_section_stat *stat)
{
	strcpy(info->name, "idle");
	stat[1].config = PERF_COUNT_HW_CPU_CYCLES;
	stat[2].config = PERF_COUNT_HW_INSTRUCTIONS;
}

/* PMCGRP_IOC_SECTION_NEXT of @nr sections, of which at most two have different names. */
static inline int fake_section_next(struct pmcgrp_section_info *info, unsigned int nr,
				    unsigned int look)
{
	struct pmcgrp_section_stat stat[3] = { 0 }, *out = (void *)(uintptr_t)info->stats;
	const struct perf_event_attr attr = { .exclude_user = 1, .exclude_hv = 1 };
	uint32_t i;

	if (info->size != sizeof(*info) || info->flags || info->stat_size != sizeof(stat[0])) {
		errno = EINVAL;
		return -1;
	}
	if (info->id > nr || !nr) {
		errno = ENOENT;
		return -1;
	}
	if (!info->id)
		info->id = 1;
	memset(info->name, 0, sizeof(info->name));
	memset(info->missed, 0, sizeof(info->missed));
	info->count = 0;
	if (info->id % 2)
		fake_lock(info, stat, look);
	else
		fake_idle(info, stat);
	info->group = FAKE_GROUP;
	info->nr_members = 2;
	/* They count the kernel alone. */
	for (i = 1; i < 3; i++)
		memcpy(&stat[i].bits,
		       (const char *)&attr + offsetof(struct perf_event_attr, read_format) + 8, 8);
	for (i = 0; i < info->nr_stats && i < 3; i++)
		out[i] = stat[i];
	return 0;
}

/* PMCGRP_IOC_INFO_NEXT of the group of these sections, which counts the kernel alone. */
static inline int fake_section_group(struct pmcgrp_info *info, const char *owner)
{
	struct pmcgrp_info_member *members = (void *)(uintptr_t)info->members;
	const struct perf_event_attr attr = { .exclude_user = 1, .exclude_hv = 1 };
	uint32_t i;

	if (!owner) {
		errno = EACCES;
		return -1;
	}
	if (info->id > FAKE_GROUP || info->nr_members < 2) {
		errno = ENOENT;
		return -1;
	}
	info->id = FAKE_GROUP;
	info->nr_members = 2;
	info->nr_cpus = 0;
	strncpy(info->comm, owner, sizeof(info->comm) - 1);
	for (i = 0; i < 2; i++) {
		memset(&members[i], 0, sizeof(members[i]));
		members[i].id = FAKE_GROUP + i;
		members[i].config = i ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES;
		memcpy(&members[i].bits,
		       (const char *)&attr + offsetof(struct perf_event_attr, read_format) + 8, 8);
	}
	return 0;
}

#endif
