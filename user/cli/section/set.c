// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From what the module says of each section to what is printed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/holder.h"
#include "event/stat_name.h"
#include "section_set.h"

static void section_free(struct section *section)
{
	unsigned int i;

	for (i = 0; i < section->nr; i++)
		free(section->values[i].name);
	free(section->values);
	section_keys_free(section->keys);
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

static char *value_name(const struct pmcgrp_section_stat *stat)
{
	char name[512];

	stat_event_name(stat, name, sizeof(name));
	return strdup(name);
}

static int find_names(struct section *section)
{
	struct section_value *value;
	unsigned int i;

	for (i = 0; i < section->nr; i++) {
		value = &section->values[i];
		value->name = i ? value_name(&value->stat) : strdup("time");
		if (!value->name)
			return -ENOMEM;
	}
	return 0;
}

/*
 * The group needs CAP_SYS_ADMIN, and may have ended by now: without it the section has no owner's
 * name.
 */
static int ask_names(struct section *section, struct pmcgrp *h)
{
	struct pmcgrp_info *info = NULL;
	int ret = pmcgrp_info_next(h, section->group, &info);

	if (ret == -ENOMEM)
		return ret;
	if (info && info->id == section->group)
		holder_comm(section->owner, info->comm);
	pmcgrp_info_free(info);
	return find_names(section);
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
	section->is_gone = info->is_gone;
	name_text(section->name, sizeof(section->name), info->name, sizeof(info->name));
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

int section_set_take_ids(struct section_set *set, struct pmcgrp *h, const struct section_set *known,
			 const uint64_t *ids, unsigned int nr)
{
	struct pmcgrp_section_info *info;
	unsigned int i;
	int ret = 0;

	*set = (struct section_set){ 0 };
	for (i = 0; i < nr && !ret; i++) {
		ret = pmcgrp_section_next(h, ids[i], &info);
		if (ret < 0)
			break;
		if (info->id == ids[i])
			ret = take_one(set, h, known, info);
		pmcgrp_section_free(info);
	}
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
	section->keys = NULL;
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

static int take_keys(struct section *section, struct pmcgrp *h, const struct section_by *by,
		     const struct pmcgrp_cgroups *cgroups)
{
	struct pmcgrp_section_counts *counts;
	int ret;

	if (by->histograms)
		ret = pmcgrp_section_read_histograms(h, section->id, &counts);
	else
		ret = pmcgrp_section_read_keys(h, section->id, &counts);
	if (ret < 0)
		return ret == -ENOENT ? 0 : ret;
	section->keys = section_keys_new(by, cgroups, counts);
	return section->keys ? 0 : -ENOMEM;
}

int section_set_take_keys(struct section_set *set, struct pmcgrp *h, const struct section_by *by)
{
	struct pmcgrp_cgroups *cgroups = NULL;
	unsigned int i;
	int ret = 0;

	/* Without a mount of them cgroups have ids alone. */
	if (!by->cpus && by->key.type == PMCGRP_KEY_CGROUP)
		pmcgrp_cgroups_new(&cgroups);
	for (i = 0; i < set->nr && !ret; i++)
		ret = take_keys(&set->sections[i], h, by, cgroups);
	pmcgrp_cgroups_free(cgroups);
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

uint64_t section_missed(const struct section *section)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < SECTION_REASONS; i++)
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
