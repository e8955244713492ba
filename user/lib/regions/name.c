// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Which regions there are, by name. None is ever freed, so that they are found without a lock. */
#include <stdlib.h>
#include <string.h>

#include "regions/process.h"

struct pmcgrp_region region_empty;

static bool name_fits(const char *name, unsigned int *hash)
{
	const char *c;

	*hash = 0;
	for (c = name; *c; c++) {
		if (*c < ' ' || *c > '~' || c - name >= PMCGRP_REGION_NAME_MAX - 1)
			return false;
		*hash = *hash * 31 + (unsigned char)*c;
	}
	*hash %= REGION_HASH;
	return c != name;
}

static struct pmcgrp_region *find(const char *name, unsigned int hash)
{
	struct pmcgrp_region *region = __atomic_load_n(&regions.hash[hash], __ATOMIC_ACQUIRE);

	while (region && strcmp(region->name, name))
		region = region->next;
	return region;
}

/* Under the lock. */
static struct pmcgrp_region *make(const char *name, unsigned int hash)
{
	struct pmcgrp_region *region;

	if (regions.nr_regions > PMCGRP_REGIONS_MAX)
		return NULL;
	region = calloc(1, sizeof(*region));
	if (!region)
		return NULL;
	strcpy(region->name, name);
	region->id = regions.nr_regions++;
	region->next = regions.hash[hash];
	__atomic_store_n(&regions.hash[hash], region, __ATOMIC_RELEASE);
	return region;
}

struct pmcgrp_region *region_find(const char *name, struct region_thread *t)
{
	struct pmcgrp_region *region;
	unsigned int hash;
	int state;

	if (!name || !name_fits(name, &hash))
		return NULL;
	region = find(name, hash);
	if (region || !(t ? regions_lock_in_call(t, &state) : regions_lock(&state)))
		return region;
	region = find(name, hash);
	if (!region)
		region = make(name, hash);
	regions_unlock(state);
	return region;
}

struct pmcgrp_region *pmcgrp_region_find(const char *name)
{
	return region_find(name, NULL);
}
