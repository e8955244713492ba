// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Paths come from the folders that there are, and from the kernel's records of new cgroups. It has
 * no such record where no cgroup has a state of perf events of its own (kernel/events/core.c:
 * perf_cgroup_css_online()). So an id that is not known makes the folders be looked through again,
 * but not more often than LOOK_NS says: there may be thousands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups.h"
#include "counters/workload.h"

#define LOOK_NS 100000000

struct one {
	uint64_t id;
	char *path;		/* NULL: not known yet */
	bool told;		/* to the file */
	bool judged;		/* @wanted says something */
	bool wanted;
};

struct record_cgroups {
	struct pmcgrp_cgroups *known;
	int64_t look;		/* when they may be looked for again */
	struct one *at;		/* by id */
	size_t nr;
	size_t room;
	size_t last;		/* who was asked for last */
	char **want;		/* paths */
	size_t nr_want;
};

int record_cgroups_new(struct record_cgroups **out, struct pmcgrp_cgroups *known)
{
	struct record_cgroups *c = calloc(1, sizeof(*c));

	*out = c;
	if (!c) {
		pmcgrp_cgroups_free(known);
		return -ENOMEM;
	}
	c->known = known;
	return 0;
}

void record_cgroups_free(struct record_cgroups *c)
{
	if (!c)
		return;
	while (c->nr)
		free(c->at[--c->nr].path);
	while (c->nr_want)
		free(c->want[--c->nr_want]);
	free(c->at);
	free(c->want);
	pmcgrp_cgroups_free(c->known);
	free(c);
}

int record_cgroups_want(struct record_cgroups *c, const char *path)
{
	char **want = reallocarray(c->want, c->nr_want + 1, sizeof(*want));

	if (!want)
		return -ENOMEM;
	c->want = want;
	want[c->nr_want] = strdup(path);
	if (!want[c->nr_want])
		return -ENOMEM;
	c->nr_want++;
	return 0;
}

/* The entry of an id, made if there is none; NULL without memory. */
static struct one *find(struct record_cgroups *c, uint64_t id)
{
	size_t low = 0, high = c->nr, mid, room;
	struct one *at;

	if (c->last < c->nr && c->at[c->last].id == id)
		return &c->at[c->last];
	while (low < high) {
		mid = low + (high - low) / 2;
		if (c->at[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	c->last = low;
	if (low < c->nr && c->at[low].id == id)
		return &c->at[low];
	if (c->nr == c->room) {
		room = c->room ? 2 * c->room : 64;
		at = reallocarray(c->at, room, sizeof(*at));
		if (!at)
			return NULL;
		c->at = at;
		c->room = room;
	}
	memmove(&c->at[low + 1], &c->at[low], (c->nr - low) * sizeof(*c->at));
	c->at[low] = (struct one){ .id = id };
	c->nr++;
	return &c->at[low];
}

int record_cgroups_learn(struct record_cgroups *c, uint64_t id, const char *path)
{
	struct one *one = find(c, id);
	char *copy;

	if (!one)
		return -ENOMEM;
	if (one->path)
		return 0;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	one->path = copy;
	return 0;
}

static void resolve(struct record_cgroups *c, struct one *one)
{
	const char *path;

	if (one->path || !c->known)
		return;
	path = pmcgrp_cgroups_path(c->known, one->id, NULL);
	if (!path && clock_now() >= c->look) {
		/* A failure leaves none known, until the next time. */
		if (pmcgrp_cgroups_update(c->known, false) == 0)
			path = pmcgrp_cgroups_path(c->known, one->id, NULL);
		c->look = clock_now() + LOOK_NS;
	}
	if (path)
		one->path = strdup(path);
}

const char *record_cgroups_path(struct record_cgroups *c, uint64_t id)
{
	struct one *one = find(c, id);

	if (!one)
		return NULL;
	resolve(c, one);
	return one->path;
}

static bool is_below(const char *above, const char *path)
{
	size_t len = strlen(above);

	/* The root. */
	if (!above[1])
		return true;
	return !strncmp(above, path, len) && (!path[len] || path[len] == '/');
}

bool record_cgroups_wanted(struct record_cgroups *c, uint64_t id)
{
	struct one *one;
	size_t i;

	if (!c->nr_want)
		return true;
	one = find(c, id);
	if (!one)
		return false;
	resolve(c, one);
	if (one->path && !one->judged) {
		for (i = 0; i < c->nr_want && !one->wanted; i++)
			one->wanted = is_below(c->want[i], one->path);
		one->judged = true;
	}
	return one->wanted;
}

const char *record_cgroups_news(struct record_cgroups *c, uint64_t id)
{
	struct one *one = find(c, id);

	if (!one || one->told)
		return NULL;
	resolve(c, one);
	one->told = one->path;
	return one->path;
}

void record_cgroups_begin(struct record_cgroups *c)
{
	size_t i;

	for (i = 0; i < c->nr; i++)
		c->at[i].told = false;
}
