// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* The counters of stat: from reads to statistics, or to the reason why there is none. */
#include <errno.h>
#include <stdlib.h>

#include "counter_set.h"
#include "reason.h"
#include "uncore.h"

/* Where a member's value is: nearly always in its own place. */
static ssize_t find(const struct pmcgrp_view *view, unsigned int i, uint64_t id)
{
	if (i < pmcgrp_view_nr(view) && pmcgrp_view_id(view, i) == id)
		return (ssize_t)i;
	return pmcgrp_view_find_id(view, id);
}

/*
 * Adds the members of a read, or of one CPU's record of it, to those of a line. @of: who was read;
 * @cpu: the CPU, or -1
 */
static void line_add_view(struct counter_set *set, const struct counter_group *group,
			  const struct pmcgrp_group *of, unsigned int line, int cpu,
			  const struct pmcgrp_view *view)
{
	uint64_t enabled = 0, running = 0;
	unsigned int i;
	ssize_t at;

	pmcgrp_view_time_enabled(view, &enabled);
	pmcgrp_view_time_running(view, &running);
	for (i = 0; i < pmcgrp_group_nr(of); i++) {
		unsigned int index = group->counter_of[i];
		struct counts *c = counter_counts(set, uncore_line(set, index, line, cpu), index);

		if (uncore_skips(&set->counters[index], cpu))
			continue;
		at = find(view, i, pmcgrp_group_id(of, i));
		c->seen = true;
		c->nr++;
		c->now.enabled += enabled;
		if (at < 0)
			continue;
		c->now.running += running;
		c->now.value += pmcgrp_view_value(view, (size_t)at);
	}
}

static int cpu_add_view(struct counter_set *set, const struct counter_group *group, int cpu,
			const struct pmcgrp_view *view)
{
	int line = aggr_line(set->aggr, cpu), ret;

	ret = line < 0 ? line : counter_lines_grow(set);
	if (ret >= 0 && counter_group_is_uncore(set, group))
		ret = uncore_follow(set, group, cpu);
	if (ret < 0)
		return ret;
	line_add_view(set, group, group->group, (unsigned int)line, cpu, view);
	return 0;
}

static int room(struct counter_group *group, size_t size)
{
	unsigned char *buf;

	if (size <= group->buf_size)
		return 0;
	buf = realloc(group->buf, size);
	if (!buf)
		return -ENOMEM;
	group->buf = buf;
	group->buf_size = size;
	return 0;
}

static int read_one(struct counter_set *set, struct counter_group *group,
		    struct pmcgrp_group *one, unsigned int line)
{
	uint64_t format = pmcgrp_group_read_format(one);
	struct pmcgrp_view view;
	ssize_t len;
	int ret;

	ret = room(group, pmcgrp_read_size(format, pmcgrp_group_nr(one)));
	if (ret < 0)
		return ret;
	len = pmcgrp_group_read(one, group->buf, group->buf_size);
	if (len < 0)
		return (int)len;
	ret = pmcgrp_view_init(&view, group->buf, (size_t)len, format);
	if (ret == -ENODATA)
		group->failed = true;
	else if (ret < 0)
		return ret;
	/* Of a group in error, too, the line is there. */
	line_add_view(set, group, one, line, -1, &view);
	return 0;
}

/* The tasks of a group, all into one line, or each into its own. */
static int read_tasks(struct counter_set *set, struct counter_group *group)
{
	bool apart = set->aggr->mode == AGGR_THREAD;
	unsigned int i;
	int ret = read_one(set, group, group->group, 0);

	for (i = 0; i < group->nr_more && ret >= 0; i++) {
		if (group->more[i])
			ret = read_one(set, group, group->more[i], apart ? i + 1 : 0);
	}
	return ret;
}

static int read_cpus(struct counter_set *set, struct counter_group *group)
{
	uint64_t format = pmcgrp_group_read_format(group->group);
	struct pmcgrp_view view;
	int cpu, ret;
	ssize_t len;
	size_t i;

	/* A CPU that has come makes the bytes more than last time. */
	for (;;) {
		len = -ENOSPC;
		if (group->buf_size)
			len = pmcgrp_group_read_cpus(group->group, group->buf, group->buf_size);
		if (len != -ENOSPC)
			break;
		len = pmcgrp_group_read_cpus(group->group, NULL, 0);
		ret = len < 0 ? (int)len : room(group, (size_t)len);
		if (ret < 0)
			return ret;
		if (!len)
			break;		/* no CPU has counted yet */
	}
	if (len < 0)
		return (int)len;
	for (i = 0; (cpu = pmcgrp_view_cpu(&view, group->buf, (size_t)len, format, i)) >= 0; i++) {
		ret = cpu_add_view(set, group, cpu, &view);
		if (ret < 0)
			return ret;
	}
	return cpu == -ENOENT ? 0 : cpu;
}

static void group_begin(struct counter_set *set, const struct counter_group *group)
{
	unsigned int line, i;

	for (line = 0; line < set->nr_lines; line++) {
		for (i = group->first; i < group->first + group->nr; i++) {
			counter_counts(set, line, i)->now = (struct reading){ 0 };
			counter_counts(set, line, i)->nr = 0;
		}
	}
}

int counter_group_fetch(struct counter_set *set, struct counter_group *group)
{
	group_begin(set, group);
	if (aggr_of_cpus(set->aggr) || counter_group_is_uncore(set, group))
		return read_cpus(set, group);
	return read_tasks(set, group);
}

/* From what each line has now to the statistics. */
static void group_end(struct counter_set *set, const struct counter_group *group)
{
	unsigned int line, i;

	for (line = 0; line < set->nr_lines; line++) {
		for (i = group->first; i < group->first + group->nr; i++) {
			struct counts *c = counter_counts(set, line, i);
			struct reading delta;

			if (!c->seen || !set->counters[i].supported)
				continue;
			/* A group that is in error now reads as nothing. */
			if (c->now.enabled < c->before.enabled)
				c->now = c->before;
			delta.value = c->now.value;
			if (!set->counters[i].snapshot)
				delta.value -= c->before.value;
			delta.enabled = c->now.enabled - c->before.enabled;
			delta.running = c->now.running - c->before.running;
			uncore_take(set, i, c, delta);
			c->before = c->now;
		}
	}
}

int counter_set_read(struct counter_set *set)
{
	unsigned int i;
	int ret;

	for (i = 0; i < set->nr_groups; i++) {
		if (!set->groups[i].group)
			continue;
		ret = counter_group_fetch(set, &set->groups[i]);
		if (ret < 0)
			return ret;
		group_end(set, &set->groups[i]);
	}
	uncore_sums(set);
	return 0;
}

void counter_set_begin(struct counter_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_groups; i++)
		group_begin(set, &set->groups[i]);
}

int counter_set_add(struct counter_set *set, unsigned int group, int cpu,
		    const struct pmcgrp_view *view)
{
	return cpu_add_view(set, &set->groups[group], cpu, view);
}

void counter_set_add_key(struct counter_set *set, unsigned int group, unsigned int line,
			 const struct pmcgrp_key_counts *key)
{
	const struct counter_group *g = &set->groups[group];
	unsigned int i;

	for (i = 0; i < pmcgrp_group_nr(g->group); i++) {
		struct counts *c = counter_counts(set, line, g->counter_of[i]);

		c->seen = true;
		c->nr++;
		c->now.enabled += key->time_enabled;
		c->now.running += key->time_running;
		c->now.value += key->value[i];
	}
}

void counter_set_end(struct counter_set *set)
{
	unsigned int i;

	for (i = 0; i < set->nr_groups; i++) {
		if (set->groups[i].group)
			group_end(set, &set->groups[i]);
	}
	uncore_sums(set);
}

void counter_set_total(struct counter_set *set)
{
	unsigned int line, i;

	counter_set_clear(set);
	for (line = 0; line < set->nr_lines; line++) {
		for (i = 0; i < set->nr; i++) {
			struct counts *c = counter_counts(set, line, i);

			if (set->counters[i].supported)
				uncore_take(set, i, c, c->before);
		}
	}
	uncore_sums(set);
}
