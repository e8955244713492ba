// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The counters of stat: on and off. */
#include <string.h>

#include "uncore.h"

static int control_all(const struct counter_group *group,
		       int (*control)(struct pmcgrp_group *group))
{
	unsigned int i;
	int ret = control(group->group);

	for (i = 0; i < group->nr_more && ret >= 0; i++)
		ret = group->more[i] ? control(group->more[i]) : 0;
	return ret;
}

static int enable_those(struct counter_set *set, bool pinned)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		if (!set->groups[i].group || set->groups[i].pinned != pinned)
			continue;
		ret = control_all(&set->groups[i], pmcgrp_group_enable);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int counter_set_enable(struct counter_set *set)
{
	int ret = enable_those(set, true);

	/* For what they leave no room for shall not have had it for a moment either. */
	return ret < 0 ? ret : enable_those(set, false);
}

int counter_set_enable_uncore(struct counter_set *set)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < set->nr_groups && ret >= 0; i++) {
		if (set->groups[i].group && counter_group_is_uncore(set, &set->groups[i]))
			ret = control_all(&set->groups[i], pmcgrp_group_enable);
	}
	return ret;
}

int counter_set_disable(struct counter_set *set)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		ret = set->groups[i].group ? control_all(&set->groups[i], pmcgrp_group_disable) : 0;
		if (ret < 0)
			return ret;
	}
	return 0;
}

static bool has_event(const struct counter_set *set, const struct counter_group *group,
		      const char *name)
{
	unsigned int i;

	for (i = group->first; i < group->first + group->nr; i++) {
		if (!strcmp(set->counters[i].name, name))
			return true;
	}
	return false;
}

int counter_set_control(struct counter_set *set, const char *name, bool enable)
{
	unsigned int i;
	int ret, nr = 0;

	for (i = 0; i < set->nr_groups; i++) {
		struct counter_group *group = &set->groups[i];

		if (!has_event(set, group, name))
			continue;
		nr++;
		if (!group->group)
			continue;
		ret = control_all(group, enable ? pmcgrp_group_enable : pmcgrp_group_disable);
		if (ret < 0)
			return ret;
	}
	return nr;
}
