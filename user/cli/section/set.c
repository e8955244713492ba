// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From what the module says of each section to what is printed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/holder.h"
#include "section.h"

static void section_free(struct section *section)
{
	unsigned int i;

	for (i = 0; i < section->nr; i++)
		free(section->values[i].name);
	free(section->values);
}

void section_set_free(struct section_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		section_free(&set->sections[i]);
	free(set->sections);
	*set = (struct section_set){ 0 };
}

const struct section *section_set_find(const struct section_set *set, uint64_t id)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (set->sections[i].id == id)
			return &set->sections[i];
	}
	return NULL;
}

/* ---- Names ---- */

/* Of a section the member's fields; the group knows the others, such as exclude_*. */
static void value_attr(const struct section_value *value, const struct pmcgrp_info_member *member,
		       struct perf_event_attr *attr)
{
	const struct pmcgrp_section_stat *stat = &value->stat;

	memset(attr, 0, sizeof(*attr));
	if (member && member->type == stat->type && member->config == stat->config &&
	    member->config1 == stat->config1) {
		pmcgrp_info_attr(member, attr);
		return;
	}
	attr->size = sizeof(*attr);
	attr->type = stat->type;
	attr->config = stat->config;
	attr->config1 = stat->config1;
}

/* @info: of the group, or NULL. */
static int find_names(struct section *section, const struct pmcgrp_info *info)
{
	const struct pmcgrp_info_member *member;
	struct perf_event_attr attr;
	char name[512] = "time";
	unsigned int i;

	if (info)
		holder_comm(section->owner, info->comm);
	for (i = 0; i < section->nr; i++) {
		if (i) {
			member = info ? pmcgrp_info_member(info, i - 1) : NULL;
			value_attr(&section->values[i], member, &attr);
			pmcgrp_event_name(&attr, name, sizeof(name));
		}
		section->values[i].name = strdup(name);
		if (!section->values[i].name)
			return -ENOMEM;
	}
	return 0;
}

/*
 * The group needs CAP_SYS_ADMIN, and may have ended by now: without it the events have names as
 * well, though without modifiers, and the group has its id alone.
 */
static int ask_names(struct section *section, struct pmcgrp *h)
{
	struct pmcgrp_info *info = NULL;
	int ret = pmcgrp_info_next(h, section->group, &info);

	if (ret == -ENOMEM)
		return ret;
	ret = find_names(section, info && info->id == section->group ? info : NULL);
	pmcgrp_info_free(info);
	return ret;
}

static int copy_names(struct section *section, const struct section *from)
{
	unsigned int i;

	memcpy(section->owner, from->owner, sizeof(section->owner));
	for (i = 0; i < section->nr; i++) {
		section->values[i].name = strdup(from->values[i].name);
		if (!section->values[i].name)
			return -ENOMEM;
	}
	return 0;
}

/* ---- What there is ---- */

/* One section more, without names; NULL: no memory. */
static struct section *set_add(struct section_set *set, unsigned int nr_values)
{
	struct section *sections, *section;

	sections = reallocarray(set->sections, set->nr + 1UL, sizeof(*sections));
	if (!sections)
		return NULL;
	set->sections = sections;
	section = &sections[set->nr];
	memset(section, 0, sizeof(*section));
	section->values = calloc(nr_values, sizeof(*section->values));
	if (!section->values)
		return NULL;
	section->nr = nr_values;
	set->nr++;
	return section;
}

static struct section *add_info(struct section_set *set, const struct pmcgrp_section_info *info)
{
	struct section *section = set_add(set, info->nr_members + 1);
	unsigned int i;

	if (!section)
		return NULL;
	section->id = info->id;
	section->group = info->group;
	section->count = info->count;
	memcpy(section->missed, info->missed, sizeof(section->missed));
	section->in_flight = info->in_flight;
	section->kind = info->kind;
	holder_printable(section->name, info->name, sizeof(section->name));
	for (i = 0; i < section->nr; i++) {
		section->values[i].stat = *pmcgrp_section_stat(info, i);
		section->values[i].min_exact = true;
		section->values[i].max_exact = true;
	}
	return section;
}

static int take_one(struct section_set *set, struct pmcgrp *h, const struct section_set *known,
		    const struct pmcgrp_section_info *info)
{
	const struct section *old = known ? section_set_find(known, info->id) : NULL;
	struct section *section = add_info(set, info);

	if (!section)
		return -ENOMEM;
	if (old && old->nr == section->nr)
		return copy_names(section, old);
	return ask_names(section, h);
}

int section_set_take(struct section_set *set, struct pmcgrp *h, const struct section_set *known)
{
	struct pmcgrp_section_info *info;
	uint64_t id = 0;
	int ret;

	*set = (struct section_set){ 0 };
	do {
		ret = pmcgrp_section_next(h, id, &info);
		if (ret < 0)
			break;
		id = info->id + 1;
		ret = take_one(set, h, known, info);
		pmcgrp_section_free(info);
	} while (!ret && id);
	return ret == -ENOENT ? 0 : ret;
}

/* Names are the copy's own. */
static int copy_one(struct section_set *set, const struct section *from)
{
	struct section *section = set_add(set, from->nr);
	struct section_value *values;
	unsigned int i;

	if (!section)
		return -ENOMEM;
	values = section->values;
	for (i = 0; i < from->nr; i++) {
		values[i] = from->values[i];
		values[i].name = NULL;
	}
	*section = *from;
	section->values = values;
	return copy_names(section, from);
}

int section_set_copy(struct section_set *set, const struct section_set *from)
{
	unsigned int i;
	int ret = 0;

	*set = (struct section_set){ 0 };
	for (i = 0; i < from->nr && !ret; i++)
		ret = copy_one(set, &from->sections[i]);
	return ret;
}

void section_set_choose(struct section_set *set, const struct section_options *options)
{
	unsigned int i, left = 0;

	for (i = 0; i < set->nr; i++) {
		if (section_matches(options, set->sections[i].name))
			set->sections[left++] = set->sections[i];
		else
			section_free(&set->sections[i]);
	}
	set->nr = left;
}

static bool is_among(uint64_t id, const uint64_t *ids, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && ids[i] != id; i++)
		;
	return i < nr;
}

void section_set_keep(struct section_set *set, const uint64_t *ids, unsigned int nr)
{
	unsigned int i, left = 0;

	for (i = 0; i < set->nr; i++) {
		if (is_among(set->sections[i].id, ids, nr))
			set->sections[left++] = set->sections[i];
		else
			section_free(&set->sections[i]);
	}
	set->nr = left;
}

uint64_t section_missed(const struct section *section)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < PMCGRP_MISSED_REASONS; i++)
		sum += section->missed[i];
	return sum;
}

double section_mean(const struct section *section, unsigned int i)
{
	return section->count ? (double)section->values[i].stat.sum / (double)section->count : 0;
}

const char *section_label(const struct section *section, unsigned int i)
{
	return i ? section->values[i].name : "time (ns)";
}
