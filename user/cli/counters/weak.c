// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* As perf does with ":W": no count is lost, but they are not of the same interval any more. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regroup.h"
#include "weak.h"

/* With perf_event_open(2) a member that does not fit is an invalid argument. */
static bool does_not_fit(struct pmcgrp *h, int err)
{
	if (pmcgrp_error_why(h) == PMCGRP_WHY_TOO_LARGE)
		return true;
	return pmcgrp_backend(h) == PMCGRP_BACKEND_PERF && err == EINVAL &&
	       pmcgrp_error_member(h) > 0;
}

static int tell(const struct counter_set *set, const struct counter_group *group,
		counter_note_fn note)
{
	char *text;

	if (!note)
		return 0;
	if (asprintf(&text, "the weak group of %s and %u more is broken up: the PMU has not enough "
		     "counters for it; its events are counted in turns", set->counters[group->first].name,
		     group->nr - 1) < 0)
		return -ENOMEM;
	note(&set->counters[group->first], text);
	free(text);
	return 0;
}

int weak_break_up(struct counter_set *set, unsigned int index, struct pmcgrp *h, int err,
		  counter_note_fn note)
{
	int ret;

	if (!set->groups[index].weak || set->groups[index].nr < 2 || !does_not_fit(h, err))
		return 0;
	if (tell(set, &set->groups[index], note) < 0)
		return -ENOMEM;
	ret = regroup_split(set, index, regroup_always);
	return ret < 0 ? ret : 1;
}
