// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "regroup.h"

/* How many groups there will be. */
static unsigned int nr_after(const struct counter_set *set, const struct counter_group *group,
			     bool (*apart)(const struct counter *before,
					   const struct counter *counter))
{
	unsigned int i, nr = 1;

	for (i = group->first + 1; i < group->first + group->nr; i++)
		nr += apart(&set->counters[i - 1], &set->counters[i]);
	return nr;
}

bool regroup_always(const struct counter *before, const struct counter *counter)
{
	(void)before;
	(void)counter;
	return true;
}

int regroup_split(struct counter_set *set, unsigned int index,
		  bool (*apart)(const struct counter *before, const struct counter *counter))
{
	unsigned int nr = nr_after(set, &set->groups[index], apart), i;
	struct counter_group *groups, whole = set->groups[index];

	if (nr < 2)
		return 1;
	groups = reallocarray(set->groups, set->nr_groups + nr - 1, sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	set->groups = groups;
	memmove(&groups[index + nr], &groups[index + 1],
		(set->nr_groups - index - 1) * sizeof(*groups));
	set->nr_groups += nr - 1;
	free(whole.buf);
	for (i = whole.first; i < whole.first + whole.nr; i++) {
		if (i > whole.first && apart(&set->counters[i - 1], &set->counters[i]))
			index++;
		if (i == whole.first || apart(&set->counters[i - 1], &set->counters[i]))
			groups[index] = (struct counter_group){ .first = i, .pinned = whole.pinned };
		groups[index].nr++;
		set->counters[i].group = index;
	}
	for (; i < set->nr; i++)
		set->counters[i].group += nr - 1;
	return (int)nr;
}

void regroup_join(struct counter_set *set)
{
	unsigned int i;

	for (i = 1; i < set->nr_groups; i++)
		set->groups[0].pinned |= set->groups[i].pinned;
	set->groups[0].nr = set->nr;
	set->nr_groups = 1;
	for (i = 0; i < set->nr; i++)
		set->counters[i].group = 0;
}
