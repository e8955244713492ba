// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * The calls of a program: from a name to its region, and into the calling thread, which signal
 * handlers may have interrupted in another such call.
 */
#include <string.h>

#include "regions/process.h"

/* How often a thread counts the empty region, of which the least counts are shown. */
#define EMPTY_CALLS 16

static inline void call_end(struct region_thread *t)
{
	__atomic_store_n(&t->seq, t->seq + 1, __ATOMIC_RELEASE);
}

/* What a begin and end cost, as any other: the first ones may find nothing in the caches. */
static void count_empty(const struct region_thread *t)
{
	unsigned int i;

	for (i = 0; t->group && i < EMPTY_CALLS; i++) {
		pmcgrp_region_enter(&region_empty);
		pmcgrp_region_leave(&region_empty);
	}
}

/*
 * The first call of a thread, or of a session in it; or somebody wants to read what it has
 * counted.
 */
static struct region_thread *call_renew(struct region_thread *t)
{
	enum region_renewed how;

	do {
		how = region_thread_renew(t);
		if (how == REGION_RENEWED_NOT) {
			call_end(t);
			return NULL;
		}
		if (how == REGION_RENEWED_ALL) {
			call_end(t);
			count_empty(t);
			REGION_WRITE_ONCE(t->seq, t->seq + 1);
			region_barrier();
		}
	} while (t->generation != REGION_READ_ONCE(regions.generation));
	return t;
}

/* The calling thread, now in a call; NULL: it cannot be. */
static inline struct region_thread *call_begin(void)
{
	struct region_thread *t = region_self;

	if (region_unlikely(!t)) {
		t = region_thread_new();
		if (!t)
			return NULL;
	}
	if (region_unlikely(t->seq & 1)) {
		t->interrupted++;
		return NULL;
	}
	REGION_WRITE_ONCE(t->seq, t->seq + 1);
	region_barrier();
	if (region_unlikely(t->generation != REGION_READ_ONCE(regions.generation)))
		return call_renew(t);
	return t;
}

static inline struct region_stats *stats_of(struct region_thread *t, struct pmcgrp_region *region)
{
	if (region->id < t->nr_stats && t->stats[region->id])
		return t->stats[region->id];
	return region_stats_of(t, region);
}

static inline void begin(struct region_thread *t, struct pmcgrp_region *region)
{
	struct region_stats *stats = stats_of(t, region);

	if (stats)
		region_count_begin(t, stats);
}

void pmcgrp_region_enter_on(struct pmcgrp_region *region)
{
	struct region_thread *t;

	if (!pmcgrp_regions_on)
		return;
	if (region_unlikely(!region)) {
		region_refuse(REGION_REFUSED_NAME);
		return;
	}
	t = call_begin();
	if (!t)
		return;
	begin(t, region);
	call_end(t);
}

void pmcgrp_region_leave_on(struct pmcgrp_region *region)
{
	struct region_thread *t;

	if (!pmcgrp_regions_on)
		return;
	if (region_unlikely(!region)) {
		region_refuse(REGION_REFUSED_NAME);
		return;
	}
	t = call_begin();
	if (!t)
		return;
	region_count_read(t);
	region_count_end(t, region);
	call_end(t);
}

/* Names are short: a call of strcmp() would cost more. */
static inline bool same_name(const char *a, const char *b)
{
	while (*a == *b) {
		if (!*a)
			return true;
		a++;
		b++;
	}
	return false;
}

/*
 * By the address of its name, as most are literals, whose region was looked for once. The name
 * there is compared, as it may be another one by now.
 */
static struct pmcgrp_region *region_of(struct region_thread *t, const char *name)
{
	unsigned int slot = ((uintptr_t)name ^ (uintptr_t)name >> 6) % REGION_NAMES;
	struct pmcgrp_region *region = t->names[slot].region;

	if (t->names[slot].at == name && same_name(region->name, name))
		return region;
	region = region_find(name, t);
	if (!region) {
		region_refuse(REGION_REFUSED_NAME);
		return NULL;
	}
	t->names[slot].at = name;
	t->names[slot].region = region;
	return region;
}

void pmcgrp_region_begin_on(const char *name)
{
	struct pmcgrp_region *region;
	struct region_thread *t;

	if (!pmcgrp_regions_on)
		return;
	t = call_begin();
	if (!t)
		return;
	region = region_of(t, name);
	if (region)
		begin(t, region);
	call_end(t);
}

void pmcgrp_region_end_on(const char *name)
{
	struct pmcgrp_region *region;
	struct region_thread *t;

	if (!pmcgrp_regions_on)
		return;
	t = call_begin();
	if (!t)
		return;
	region_count_read(t);
	region = region_of(t, name);
	if (region)
		region_count_end(t, region);
	call_end(t);
}

/* ---- Fortran's names ---- */

/* A name that is longer than any can be stays too long. */
static const char *cut(char *name, const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	if (len > PMCGRP_REGION_NAME_MAX)
		len = PMCGRP_REGION_NAME_MAX;
	memcpy(name, text, len);
	name[len] = '\0';
	return name;
}

void pmcgrp_region_begin_n(const char *name, size_t len)
{
	char text[PMCGRP_REGION_NAME_MAX + 1];

	if (pmcgrp_regions_on)
		pmcgrp_region_begin_on(cut(text, name, len));
}

void pmcgrp_region_end_n(const char *name, size_t len)
{
	char text[PMCGRP_REGION_NAME_MAX + 1];

	if (pmcgrp_regions_on)
		pmcgrp_region_end_on(cut(text, name, len));
}

struct pmcgrp_region *pmcgrp_region_find_n(const char *name, size_t len)
{
	char text[PMCGRP_REGION_NAME_MAX + 1];

	return pmcgrp_region_find(cut(text, name, len));
}
