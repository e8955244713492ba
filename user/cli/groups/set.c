// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What the module says of each group, with names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "say/append.h"
#include "counters/holder.h"
#include "event/config3.h"
#include "info_set.h"

/* The owners that a line has room for. */
#define OWNERS_NAMED 5

static bool same_event(const struct pmcgrp_info_member *a, const struct pmcgrp_info_member *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2 && a->config3 == b->config3 && a->bits == b->bits;
}

/* A name that is known already: to find that of a tracepoint takes a while. */
static const char *known_name(const struct info_set *set, const struct pmcgrp_info_member *member)
{
	const struct pmcgrp_info_member *other;
	unsigned int i, k;

	for (i = 0; i < set->nr; i++) {
		for (k = 0; (other = pmcgrp_info_member(set->groups[i].info, k)); k++) {
			if (set->groups[i].names[k] && same_event(member, other))
				return set->groups[i].names[k];
		}
	}
	return NULL;
}

static char *event_name(const struct info_set *set, const struct pmcgrp_info_member *member)
{
	const char *known = known_name(set, member);
	union attr_wide wide = { 0 };
	char name[512];

	if (known)
		return strdup(known);
	pmcgrp_info_attr(member, &wide.attr);
	attr_config3_set(&wide, member->config3);
	pmcgrp_event_name(&wide.attr, name, sizeof(name));
	return strdup(name);
}

int info_set_add(struct info_set *set, struct pmcgrp_info *info)
{
	struct info_group *groups, *group;
	uint32_t i;

	groups = reallocarray(set->groups, set->nr + 1, sizeof(*groups));
	if (!groups) {
		pmcgrp_info_free(info);
		return -ENOMEM;
	}
	set->groups = groups;
	group = &groups[set->nr];
	group->info = info;
	holder_comm(group->comm, info->comm);
	/* One more: of no members there is a list, too. */
	group->names = calloc(info->nr_members + 1UL, sizeof(*group->names));
	if (!group->names) {
		pmcgrp_info_free(info);
		return -ENOMEM;
	}
	set->nr++;
	for (i = 0; i < info->nr_members; i++) {
		group->names[i] = event_name(set, pmcgrp_info_member(info, i));
		if (!group->names[i])
			return -ENOMEM;
	}
	return 0;
}

/* Where none are mounted there are ids alone. */
static int cgroups_find(struct info_set *set)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr && !set->groups[i].info->cgroup; i++)
		;
	ret = i < set->nr ? pmcgrp_cgroups_new_unified(&set->cgroups) : 0;
	return ret == -ENOMEM ? ret : 0;
}

int info_set_take(struct info_set *set, struct pmcgrp *h)
{
	struct pmcgrp_info *info;
	uint64_t id = 0;
	int ret;

	do {
		ret = pmcgrp_info_next(h, id, &info);
		if (ret < 0)
			break;
		id = info->id + 1;
		ret = info_set_add(set, info);
	} while (!ret && id);
	if (ret == -ENOENT)
		ret = 0;
	return ret ? ret : cgroups_find(set);
}

void info_cgroup_name(const struct info_set *set, const struct pmcgrp_info *info, char *name,
		      size_t size)
{
	const char *path = NULL;

	if (set->cgroups)
		path = pmcgrp_cgroups_path(set->cgroups, info->cgroup, NULL);
	if (path)
		name_text(name, size, path, strlen(path));
	else
		snprintf(name, size, "(removed, id %llu)", (unsigned long long)info->cgroup);
}

const struct info_group *info_set_find(const struct info_set *set, uint64_t id)
{
	const struct pmcgrp_info_member *member;
	unsigned int i, k;

	for (i = 0; i < set->nr; i++) {
		for (k = 0; (member = pmcgrp_info_member(set->groups[i].info, k)); k++) {
			if (member->id == id)
				return &set->groups[i];
		}
	}
	return NULL;
}

/* A group of a kernel module has no process. */
static void append_owner(char *text, size_t size, const struct info_group *group)
{
	if (group->info->owner)
		append(text, size, ", ", "%s (PID %d)", group->comm, group->info->owner);
	else
		append(text, size, ", ", "%s", group->comm);
}

void info_set_owners(const struct info_set *set, char *text, size_t size)
{
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < set->nr && i < OWNERS_NAMED; i++)
		append_owner(text, size, &set->groups[i]);
	if (set->nr > i)
		append(text, size, ", ", "and others");
}

void info_set_free(struct info_set *set)
{
	unsigned int i, k;

	for (i = 0; i < set->nr; i++) {
		for (k = 0; k < set->groups[i].info->nr_members; k++)
			free(set->groups[i].names[k]);
		free(set->groups[i].names);
		pmcgrp_info_free(set->groups[i].info);
	}
	free(set->groups);
	pmcgrp_cgroups_free(set->cgroups);
	memset(set, 0, sizeof(*set));
}
