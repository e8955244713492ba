// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Why counters have nothing to show: whom to ask, and of what. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counter_set.h"
#include "reason.h"

/*
 * Whether a line has nothing to show: since the last reading, or if that is now (@fetched:
 * it is not), by it. One in error reads as nothing at all.
 */
static bool idle(const struct counter_set *set, const struct counter_group *group,
		 unsigned int line, bool fetched)
{
	const struct counts *c = counter_counts(set, line, group->counter_of[0]);

	return fetched ? c->now.running <= c->before.running : !counts_counted(c);
}

/* Whether its target has run in that time. */
static bool has_run(const struct counter_set *set, const struct counter_group *group,
		    unsigned int line, bool fetched)
{
	const struct counts *c = counter_counts(set, line, group->counter_of[0]);

	return fetched ? c->now.enabled > c->before.enabled : c->enabled.mean > 0.0;
}

/* Whom a line is of: of several tasks that share it, the first. */
static struct pmcgrp_group *group_of_line(const struct counter_set *set,
					  const struct counter_group *group, unsigned int line)
{
	if (set->aggr->mode != AGGR_THREAD || !line)
		return group->group;
	return line <= group->nr_more ? group->more[line - 1] : NULL;
}

static void forget(struct counter_set *set, const struct counter_group *group, unsigned int line)
{
	unsigned int i;

	for (i = 0; i < pmcgrp_group_nr(group->group); i++) {
		struct counts *c = counter_counts(set, line, group->counter_of[i]);

		free(c->reason);
		c->reason = NULL;
	}
}

static int say(struct counter_set *set, const struct counter_group *group, unsigned int line,
	       const char *text)
{
	unsigned int i;

	for (i = 0; i < pmcgrp_group_nr(group->group); i++) {
		struct counts *c = counter_counts(set, line, group->counter_of[i]);

		if (!c->reason)
			c->reason = strdup(text);
		if (!c->reason)
			return -ENOMEM;
	}
	return 0;
}

/* @name: of a line that has one, why none of it has run; or NULL */
static int group_explain(struct counter_set *set, struct counter_group *group, struct pmcgrp *h,
			 bool fetched, const char *name)
{
	bool perf = pmcgrp_backend(h) == PMCGRP_BACKEND_PERF;
	unsigned int line, i, nr = pmcgrp_group_nr(group->group);
	struct pmcgrp_group *of, *asked = NULL;
	struct pmcgrp_info *info = NULL;
	int ret = 0;

	for (line = 0; line < set->nr_lines && ret >= 0; line++) {
		bool ran = has_run(set, group, line, fetched);

		forget(set, group, line);
		if (!idle(set, group, line, fetched))
			continue;
		if (name && !ran) {
			ret = say(set, group, line, name);
			continue;
		}
		of = group_of_line(set, group, line);
		if (of != asked) {
			pmcgrp_info_free(info);
			info = NULL;
		}
		asked = of;
		if (of && !perf && !info && pmcgrp_group_info(of, &info) < 0)
			info = NULL;
		for (i = 0; i < nr && ret >= 0 && info; i++)
			ret = reason_set(set, group, h, info, line, i);
		/* perf and older modules have no more to say than the times. */
		if (ret >= 0)
			ret = say(set, group, line, reason_of_times(group, ran, info));
	}
	pmcgrp_info_free(info);
	return ret < 0 ? ret : 0;
}

static int explain(struct counter_set *set, struct pmcgrp *h, bool fetch, const char *idle)
{
	unsigned int i;
	int ret = 0;

	set->blocked_by = 0;
	for (i = 0; i < set->nr_groups && !ret; i++) {
		if (!set->groups[i].group)
			continue;
		if (fetch)
			ret = counter_group_fetch(set, &set->groups[i]);
		if (!ret)
			ret = group_explain(set, &set->groups[i], h, fetch, idle);
	}
	return ret;
}

int counter_set_explain(struct counter_set *set, struct pmcgrp *h, bool fetch)
{
	return explain(set, h, fetch, NULL);
}

int counter_set_explain_lines(struct counter_set *set, struct pmcgrp *h, const char *idle)
{
	return explain(set, h, false, idle);
}
