// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event of the PMU is: the attr's fields, and whether it can be had.  As on
 * x86 (x86_pmu_event_init(), validate_group()), an event that no counter takes and a
 * group that does not fit the empty PMU are refused when they are made.
 *
 * Context: task, may sleep; perf core holds the leader's ctx->mutex for a sibling.
 */
#include <linux/build_bug.h>
#include <linux/device.h>
#include <linux/sysfs.h>
#include "testpmu.h"

/* masks lie in hw.config_base, an unsigned long */
static_assert(sizeof(unsigned long) == sizeof(u64));

PMU_FORMAT_ATTR(rate, "config:0-31");	/* counts for each tick */
PMU_FORMAT_ATTR(event, "config:32-63");	/* any number: tells events of one kind apart */
PMU_FORMAT_ATTR(mask, "config1:0-63");	/* counters; 0: any programmable one */
PMU_FORMAT_ATTR(period, "config2:0-31");	/* not 0: the PMU makes a sampling event of it */

static struct attribute *format_attrs[] = {
	&format_attr_rate.attr,
	&format_attr_event.attr,
	&format_attr_mask.attr,
	&format_attr_period.attr,
	NULL
};

const struct attribute_group tpmu_format_group = {
	.name	= "format",
	.attrs	= format_attrs,
};

const struct attribute_group *tpmu_attr_groups[] = {
	&tpmu_format_group,
	NULL
};

static void event_destroy(struct perf_event *event)
{
	if (event->hw.last_cpu >= 0)
		tpmu_complain(TPMU_FREED_ON, event);
}

/* A disabled sibling does not count, as on x86. */
static bool takes_part(const struct perf_event *member, const struct perf_event *event)
{
	return member->pmu == event->pmu && member->state > PERF_EVENT_STATE_OFF;
}

static int check_group(struct perf_event *event)
{
	struct tpmu *tpmu = tpmu_of(event->pmu);
	struct perf_event *leader = event->group_leader, *sibling;
	u64 mask[TPMU_EVENTS_MAX];
	int counter[TPMU_EVENTS_MAX];
	unsigned int i, nr = 0;

	/* A leader counts even while disabled: x86's collect_events(). */
	if (leader->pmu == event->pmu)
		mask[nr++] = tpmu_event_mask(leader);
	for_each_sibling_event(sibling, leader) {
		if (!takes_part(sibling, event))
			continue;
		if (nr == tpmu->counters_nr)
			return -EINVAL;
		mask[nr++] = tpmu_event_mask(sibling);
	}
	if (nr == tpmu->counters_nr)
		return -EINVAL;
	mask[nr++] = tpmu_event_mask(event);

	for (i = 0; i < nr; i++)
		counter[i] = TPMU_NO_COUNTER;
	return tpmu_fit(mask, nr, counter) ? 0 : -EINVAL;
}

/**
 * tpmu_event_init - perf core asks whether an event is one of this PMU's
 * @event: the event, its pmu set
 *
 * A counting event with a period in config2 becomes a sampling event, which never overflows.
 *
 * Return: 0; -ENOENT for another PMU's, or on another kind of core; -EOPNOTSUPP for sampling;
 * -EINVAL for fields without a meaning, masks without a counter and groups that do not fit.
 */
int tpmu_event_init(struct perf_event *event)
{
	struct tpmu *tpmu = tpmu_of(event->pmu);
	u64 mask = event->attr.config1;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->cpu >= 0 && !tpmu_counts_on(event->pmu, event->cpu))
		return -ENOENT;
	if (is_sampling_event(event) || has_branch_stack(event))
		return -EOPNOTSUPP;
	if (event->attr.config2 > U32_MAX)
		return -EINVAL;
	if (!mask)
		mask = GENMASK_ULL(TPMU_FIXED_FIRST - 1, 0);
	mask &= tpmu->counters;
	if (!mask)
		return -EINVAL;

	event->hw.config = event->attr.config & U32_MAX;
	event->hw.config_base = mask;
	event->hw.idx = TPMU_NO_COUNTER;
	event->hw.last_cpu = -1;
	event->destroy = event_destroy;
	/* As AMD's IBS does with a period in config: arch/x86/events/amd/ibs.c, perf_ibs_init(). */
	if (event->attr.config2) {
		event->attr.sample_period = event->attr.config2;
		event->hw.sample_period = event->attr.config2;
	}
	return event->group_leader == event ? 0 : check_group(event);
}
