// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_cgroup.h"
#include "cgroup_name.h"
#include "exposition.h"

void by_cgroup_init(struct by_cgroup *b, const struct export_group *group, unsigned int nr_members,
		    unsigned int linger)
{
	*b = (struct by_cgroup){ .kind = group->kind, .by_id = group->by_id, .linger = 1000ULL * linger };
	rows_init(&b->rows, nr_members, group->series, group->by_id ? "id" : "cgroup");
}

void by_cgroup_free(struct by_cgroup *b)
{
	while (b->nr)
		free(b->at[--b->nr]);
	free(b->at);
	rows_free(&b->rows);
	*b = (struct by_cgroup){ 0 };
}

/* ---- Cgroups that have counted ---- */

static size_t place(const struct by_cgroup *b, uint64_t id)
{
	size_t low = 0, high = b->nr, mid;

	/* The newest have the highest ids. */
	if (b->nr && b->at[b->nr - 1]->id < id)
		return b->nr;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (b->at[mid]->id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct member_cgroup *member_get(struct by_cgroup *b, uint64_t id)
{
	size_t at = place(b, id), max = b->max ? 2 * b->max : 64;
	struct member_cgroup *member, **bigger;

	if (at < b->nr && b->at[at]->id == id)
		return b->at[at];
	if (b->nr == b->max) {
		bigger = reallocarray(b->at, max, sizeof(struct member_cgroup *));
		if (!bigger)
			return NULL;
		b->at = bigger;
		b->max = max;
	}
	member = calloc(1, sizeof(*member) + b->rows.nr_members * sizeof(member->values[0]));
	if (!member)
		return NULL;
	member->id = id;
	member->pending.value = member->values;
	memmove(b->at + at + 1, b->at + at, (b->nr - at) * sizeof(struct member_cgroup *));
	b->at[at] = member;
	b->nr++;
	b->nr_pending++;
	return member;
}

static void member_add(struct member_cgroup *member, const struct row_counts *more, unsigned int nr)
{
	unsigned int i;

	member->pending.enabled += more->enabled;
	member->pending.running += more->running;
	for (i = 0; i < nr; i++)
		member->values[i] += more->value[i];
}

int by_cgroup_count(struct by_cgroup *b, const struct pmcgrp_key *key,
		    const struct row_counts *more)
{
	struct member_cgroup *member;
	struct row *row = NULL;

	if (key->kind == PMCGRP_KEY_KIND_IDLE) {
		row = rows_idle(&b->rows, b->since);
	} else if (key->kind != PMCGRP_KEY_KIND_KEY) {
		row = rows_other(&b->rows, b->since);
	} else {
		member = member_get(b, key->key[0]);
		if (!member)
			return -ENOMEM;
		row = member->row;
		if (!row) {
			member_add(member, more, b->rows.nr_members);
			return 0;
		}
	}
	if (!row)
		return -ENOMEM;
	row_add(row, more, b->rows.nr_members);
	return 0;
}

/* ---- Their rows ---- */

static void labels_of(const struct by_cgroup *b, char *labels, char *info, const char *path,
		      uint64_t id)
{
	char name[CGROUP_NAME_SIZE], number[24];
	char *to = b->by_id ? info : labels;
	unsigned int part;

	labels[0] = info[0] = '\0';
	snprintf(number, sizeof(number), "%llu", (unsigned long long)id);
	labels_add(to, LABELS_SIZE, "cgroup", path);
	labels_add(labels, LABELS_SIZE, "id", number);
	if (b->by_id)
		labels_add(info, LABELS_SIZE, "id", number);
	for (part = 0; part < CGROUP_PARTS; part++) {
		cgroup_name((enum cgroup_part)part, path, name);
		labels_add(to, LABELS_SIZE, cgroup_part_names[part], name);
	}
}

/* The cgroup that a path's row is of: itself, or the unit, pod or job; who is in none, the root. */
static int row_path(const struct by_cgroup *b, const struct pmcgrp_cgroups *cgroups, char *path,
		    uint64_t *id)
{
	char name[CGROUP_NAME_SIZE];
	size_t len;

	if (b->kind == EXPORT_CGROUP)
		return 0;
	len = cgroup_name((enum cgroup_part)(b->kind - EXPORT_UNIT), path, name);
	if (!len)
		path[len++] = '/';
	path[len] = '\0';
	return pmcgrp_cgroups_id(cgroups, path, id);
}

/* NULL: no room, or no memory; or it is gone by now. */
static struct row *row_of(struct by_cgroup *b, const struct pmcgrp_cgroups *cgroups,
			  const char *path, uint64_t id)
{
	char labels[LABELS_SIZE], info[LABELS_SIZE];
	struct row *row = NULL;
	char *own = strdup(path);

	if (own && !row_path(b, cgroups, own, &id)) {
		row = rows_find(&b->rows, id);
		if (!row) {
			labels_of(b, labels, info, own, id);
			row = rows_new(&b->rows, id, labels, b->by_id ? info : NULL, b->since);
		}
	}
	free(own);
	return row;
}

/* A cgroup that was counted with the others has a row of its own once there is room. */
static int member_settle(struct by_cgroup *b, struct member_cgroup *member,
			 const struct pmcgrp_cgroups *cgroups, uint64_t now)
{
	const char *path = pmcgrp_cgroups_path(cgroups, member->id, NULL);
	struct row *row = member->row;

	if (!path && !member->removed)
		member->removed = now;
	if (path && (!row || row == b->rows.other) && (!row || b->rows.nr < b->rows.max))
		row = row_of(b, cgroups, path, member->id);
	if (!row)
		row = rows_other(&b->rows, b->since);
	if (!row)
		return -ENOMEM;
	if (!member->row) {
		row_add(row, &member->pending, b->rows.nr_members);
		b->nr_pending--;
	} else {
		member->row->users--;
	}
	row->users++;
	member->row = row;
	return 0;
}

static bool is_over(const struct by_cgroup *b, const struct member_cgroup *member, uint64_t now)
{
	return member->row && member->removed &&
	       (member->row == b->rows.other || member->removed + b->linger < now);
}

/* Those whose cgroup has gone, before their rows may. */
static void members_drop(struct by_cgroup *b, uint64_t now)
{
	size_t i, kept = 0;

	for (i = 0; i < b->nr; i++) {
		if (is_over(b, b->at[i], now)) {
			b->at[i]->row->users--;
			free(b->at[i]);
		} else {
			b->at[kept++] = b->at[i];
		}
	}
	b->nr = kept;
}

int by_cgroup_settle(struct by_cgroup *b, const struct pmcgrp_cgroups *cgroups, uint64_t now)
{
	struct row *row;
	size_t i;
	int ret = 0;

	for (i = 0; i < b->nr && ret >= 0; i++)
		ret = member_settle(b, b->at[i], cgroups, now);
	if (ret < 0)
		return ret;
	for (i = 0; i < b->rows.nr; i++) {
		row = b->rows.at[i];
		if (pmcgrp_cgroups_path(cgroups, row->id, NULL))
			row->removed = 0;
		else if (!row->removed)
			row->removed = now;
	}
	members_drop(b, now);
	return now > b->linger ? rows_drop(&b->rows, now - b->linger, now) : 0;
}
