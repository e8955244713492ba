// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What is true of a CPU now goes before what was true of the group when it failed last:
 * the second is all that is left of a task that has ended.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holder.h"
#include "reason.h"

struct cause {
	enum pmcgrp_why why;
	uint64_t blocked_by;
	int other;		/* the member that it is about, if that is another one; or -1 */
};

/* Whether the entry is one of a CPU that the line stands for. */
static bool of_line(const struct counter_set *set, const struct pmcgrp_info_cpu *cpu,
		    unsigned int line)
{
	if (!aggr_of_cpus(set->aggr))
		return true;
	return cpu->cpu >= 0 && cpu->cpu < PMCGRP_CPUS_MAX &&
	       set->aggr->line_of[cpu->cpu] == line + 1;
}

/*
 * The first CPU of the line that has a reason, at the member itself if possible: of a
 * group that waits, members may have what they need by way of other groups.
 */
static bool find_cpu(const struct counter_set *set, const struct pmcgrp_info *info,
		     unsigned int line, unsigned int member, bool sched_out, struct cause *cause)
{
	const struct pmcgrp_info_cpu *cpu, *other = NULL;
	uint32_t i;

	for (i = 0; (cpu = pmcgrp_info_cpu(info, i)); i++) {
		if (!cpu->why || !of_line(set, cpu, line) ||
		    (cpu->state == PMCGRP_STATE_SCHED_OUT) != sched_out)
			continue;
		if (cpu->member == member)
			break;
		if (!other)
			other = cpu;
	}
	if (!cpu && !other)
		return false;
	*cause = (struct cause){ .why = (cpu ? cpu : other)->why, .other = -1,
				 .blocked_by = (cpu ? cpu : other)->blocked_by };
	if (!cpu && other->member < info->nr_members)
		cause->other = (int)other->member;
	return true;
}

/*
 * Whose the group is. One is likely to be in the way of many members on many CPUs, and all
 * of its own are asked each time.
 */
static const char *holder_text(struct counter_set *set, struct pmcgrp *h, uint64_t id)
{
	struct pmcgrp_info *info = NULL;
	unsigned int i;

	if (set->blocked_by == id)
		return set->holder;
	set->blocked_by = id;
	for (i = 0; i < set->nr_groups; i++) {
		const struct counter_group *group = &set->groups[i];

		if (!group->group || pmcgrp_group_id(group->group, 0) != id)
			continue;
		snprintf(set->holder, sizeof(set->holder), "(the group of %u with %s)",
			 pmcgrp_group_nr(group->group), set->counters[group->counter_of[0]].name);
		return set->holder;
	}
	if (h && !pmcgrp_info_next(h, id, &info) && info->id != id) {
		pmcgrp_info_free(info);		/* closed by now; that was the next one */
		info = NULL;
	}
	holder_name(info, id, set->holder, sizeof(set->holder));
	pmcgrp_info_free(info);
	return set->holder;
}

int reason_set(struct counter_set *set, struct counter_group *group, struct pmcgrp *h,
	       const struct pmcgrp_info *info, unsigned int line, unsigned int member)
{
	struct counts *c = counter_counts(set, line, group->counter_of[member]);
	const char *holder = "";
	char other[160] = "";
	struct cause cause = { .why = info->why, .blocked_by = info->blocked_by, .other = -1 };
	const char *text;
	int ret;

	if (!find_cpu(set, info, line, member, false, &cause) && !info->why)
		find_cpu(set, info, line, member, true, &cause);
	text = pmcgrp_why_text(cause.why);
	/* Nothing was in the way. */
	if (!info->time_enabled && (!cause.why || cause.why == PMCGRP_WHY_TASK_GONE))
		text = info->enabled ? "its target has not run" : "it was not enabled";
	else if (!cause.why)
		return 0;
	if (cause.why == PMCGRP_WHY_BUSY_PMCGRP && cause.blocked_by)
		holder = holder_text(set, h, cause.blocked_by);
	if (cause.other >= 0 && (unsigned int)cause.other < group->nr)
		snprintf(other, sizeof(other), "%s has no counter: ",
			 set->counters[group->counter_of[cause.other]].name);
	ret = asprintf(&c->reason, "%s%s%s%s", other, text, holder[0] ? " " : "", holder);
	if (ret < 0) {
		c->reason = NULL;
		return -ENOMEM;
	}
	group->why = cause.why;
	return 0;
}

const char *reason_of_times(const struct counter_group *group, bool ran,
			    const struct pmcgrp_info *info)
{
	if (group->failed)
		return "it is pinned, and there was no counter for it";
	if (!ran && info && !info->enabled)
		return "it was not enabled";
	if (!ran)
		return info ? "its target has not run in this time" :
			      "its target has not run in this time, or it was not enabled";
	if (!info)
		return "no counter was free for its group: others have them, or it is too large";
	return "its turn on the PMU did not come in this time";
}

const char *reason_of_group(const struct counter_set *set, const struct counter_group *group)
{
	unsigned int line, i;

	for (i = group->first; i < group->first + group->nr; i++) {
		if (set->counters[i].planned)
			return set->counters[i].planned;
	}
	for (line = 0; line < set->nr_lines; line++) {
		for (i = group->first; i < group->first + group->nr; i++) {
			if (counter_counts(set, line, i)->reason)
				return counter_counts(set, line, i)->reason;
		}
	}
	return NULL;
}

const char *reason_advice(enum pmcgrp_why why)
{
	switch (why) {
	case PMCGRP_WHY_BUSY_PMCGRP:
		return "; \"pmcgrp info\" shows who has which counter";
	case PMCGRP_WHY_BUSY_PERF:
		return "; end what else counts with perf, or count fewer events at a time";
	case PMCGRP_WHY_TOO_LARGE:
		return "; leave events out, or make two groups of it";
	default:
		return "";
	}
}
