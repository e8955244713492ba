// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The counts of a region in a thread: where they are, and how they are shown. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regions/process.h"

static struct region_stats *stats_new(const struct region_thread *t, struct pmcgrp_region *region)
{
	struct region_stats *stats;
	unsigned int i;

	stats = calloc(1, sizeof(*stats) + (1 + t->nr_members) * sizeof(stats->counts[0]));
	if (!stats)
		return NULL;
	stats->region = region;
	for (i = 0; i <= t->nr_members; i++)
		stats->counts[i].value.min = UINT64_MAX;
	return stats;
}

static bool stats_grow(struct region_thread *t, unsigned int id)
{
	unsigned int nr = t->nr_stats ? t->nr_stats : 16;
	struct region_stats **more;

	while (nr <= id)
		nr *= 2;
	if (nr == t->nr_stats)
		return true;
	more = reallocarray(t->stats, nr, sizeof(*more));
	if (!more)
		return false;
	memset(more + t->nr_stats, 0, (nr - t->nr_stats) * sizeof(*more));
	t->stats = more;
	t->nr_stats = nr;
	return true;
}

struct region_stats *region_stats_make(struct region_thread *t, struct pmcgrp_region *region)
{
	if (!stats_grow(t, region->id)) {
		region_refuse(REGION_REFUSED_MEMORY);
		return NULL;
	}
	if (!t->stats[region->id])
		t->stats[region->id] = stats_new(t, region);
	if (!t->stats[region->id])
		region_refuse(REGION_REFUSED_MEMORY);
	return t->stats[region->id];
}

struct region_stats *region_stats_of(struct region_thread *t, struct pmcgrp_region *region)
{
	struct region_stats *stats;
	int state;

	if (region->id < t->nr_stats && t->stats[region->id])
		return t->stats[region->id];
	if (!regions_lock_in_call(t, &state))
		return NULL;
	/* While it waited, the session may have ended, and what the thread had gone with it. */
	stats = t->generation == regions.generation ? region_stats_make(t, region) : NULL;
	regions_unlock(state);
	return stats;
}

static int copy_stats(const struct region_thread *t, const struct region_stats *stats,
		      struct region_set *set)
{
	struct region_row *row = region_set_add_row(set);
	enum pmcgrp_region_missed why;
	unsigned int i;

	if (!row)
		return -ENOMEM;
	memcpy(row->name, stats->region->name, sizeof(row->name));
	row->pid = getpid();
	row->tid = t->tid;
	row->nr_threads = 1;
	row->calls = stats->calls;
	row->counted = stats->counted;
	row->renewed = stats->renewed;
	row->self_missed = stats->self_missed;
	row->enabled = stats->enabled;
	row->running = stats->running;
	memcpy(row->missed, stats->missed, sizeof(row->missed));
	for (i = 0; i < set->nr_values; i++)
		row->values[i] = stats->counts[i].value;
	for (i = 0; i < t->depth; i++) {
		const struct region_frame *frame = region_frame(t, i);

		why = frame->drop == 1 + PMCGRP_REGION_FORKED ? PMCGRP_REGION_FORKED :
								 PMCGRP_REGION_OPEN;
		if (frame->stats == stats)
			row->missed[why]++;
	}
	return 0;
}

int region_stats_copy(const struct region_thread *t, struct region_set *set)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < t->nr_stats && !ret; i++) {
		if (t->stats[i])
			ret = copy_stats(t, t->stats[i], set);
	}
	return ret;
}
