// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Who is on which counter: from what each group says to what each PMU does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/config3.h"
#include "info_uses.h"

/* A PMU's name is looked up once: each look goes through a folder of /sys. */
struct info_pmu {
	uint32_t type;			/* 0: the core's own */
	int cpu;			/* of that one; else -1 */
	char *name;
};

static const char *pmu_of(struct info_uses *uses, const struct pmcgrp_info_member *member, int cpu)
{
	struct info_pmu key = { .type = member->type, .cpu = -1 }, *pmus;
	struct perf_event_attr attr;
	char name[256];
	size_t i;

	/* Generic events name their PMU on hybrid machines only. */
	if (key.type == PERF_TYPE_HARDWARE || key.type == PERF_TYPE_HW_CACHE)
		key.type = (uint32_t)(member->config >> 32);
	if (!key.type || key.type == PERF_TYPE_RAW)
		key = (struct info_pmu){ .cpu = cpu };
	for (i = 0; i < uses->nr_pmus; i++) {
		if (uses->pmus[i].type == key.type && uses->pmus[i].cpu == key.cpu)
			return uses->pmus[i].name;
	}
	pmus = reallocarray(uses->pmus, uses->nr_pmus + 1, sizeof(*pmus));
	if (!pmus)
		return NULL;
	uses->pmus = pmus;
	memset(&attr, 0, sizeof(attr));
	pmcgrp_info_attr(member, &attr);
	pmcgrp_event_pmu(&attr, cpu, name, sizeof(name));
	key.name = strdup(name);
	if (key.name)
		pmus[uses->nr_pmus++] = key;
	return key.name;
}

/* Makes room for one row more of @size bytes, of which there are @nr. */
static int room(void **rows, size_t nr, size_t size)
{
	void *more;

	/* Grows at the powers of two. */
	if (nr & (nr - 1))
		return 0;
	more = reallocarray(*rows, nr ? nr * 2 : 1, size);
	if (!more)
		return -ENOMEM;
	*rows = more;
	return 0;
}

static int add(struct info_uses *uses, const struct info_group *group,
	       const struct pmcgrp_info_member *member, const struct pmcgrp_info_cpu *cpu,
	       const char *pmu)
{
	if (cpu->counter >= 0 && cpu->groups) {
		if (room((void **)&uses->uses, uses->nr, sizeof(*uses->uses)))
			return -ENOMEM;
		uses->uses[uses->nr++] = (struct info_use){
			.cpu = cpu->cpu,
			.pmu = pmu,
			.counter = cpu->counter,
			.event = group->names[cpu->member],
			.groups = cpu->groups,
		};
	}
	if (cpu->perf_counters) {
		if (room((void **)&uses->perf, uses->nr_perf, sizeof(*uses->perf)))
			return -ENOMEM;
		uses->perf[uses->nr_perf++] = (struct info_perf){
			.cpu = cpu->cpu,
			.pmu = pmu,
			.held = cpu->perf_counters,
			.watchdog = cpu->perf_flags & PMCGRP_PERF_WATCHDOG,
			.member = member,
		};
	}
	return 0;
}

static int group_uses(struct info_uses *uses, const struct info_group *group)
{
	const struct pmcgrp_info_member *member;
	const struct pmcgrp_info_cpu *cpu;
	const char *pmu;
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && (cpu = pmcgrp_info_cpu(group->info, i)); i++) {
		member = pmcgrp_info_member(group->info, cpu->member);
		if (!member || cpu->cpu < 0 || member->type == PERF_TYPE_SOFTWARE ||
		    member->type == PERF_TYPE_TRACEPOINT)
			continue;
		pmu = pmu_of(uses, member, cpu->cpu);
		ret = pmu ? add(uses, group, member, cpu, pmu) : -ENOMEM;
	}
	return ret;
}

static int by_place(int a_cpu, int b_cpu, const char *a_pmu, const char *b_pmu)
{
	if (a_cpu != b_cpu)
		return a_cpu < b_cpu ? -1 : 1;
	return strcmp(a_pmu, b_pmu);
}

static int same_use(const void *left, const void *right)
{
	const struct info_use *a = left, *b = right;
	int order = by_place(a->cpu, b->cpu, a->pmu, b->pmu);

	if (order)
		return order;
	if (a->counter != b->counter)
		return a->counter < b->counter ? -1 : 1;
	return strcmp(a->event, b->event);
}

/* The row that says of the most groups first: it is the one that stays. */
static int by_use(const void *left, const void *right)
{
	const struct info_use *a = left, *b = right;
	int order = same_use(a, b);

	if (order)
		return order;
	return a->groups < b->groups ? 1 : a->groups > b->groups ? -1 : 0;
}

static int same_perf(const void *left, const void *right)
{
	const struct info_perf *a = left, *b = right;

	return by_place(a->cpu, b->cpu, a->pmu, b->pmu);
}

static int by_perf(const void *left, const void *right)
{
	const struct info_perf *a = left, *b = right;
	int order = same_perf(a, b);

	if (order)
		return order;
	return a->held < b->held ? 1 : a->held > b->held ? -1 : 0;
}

typedef int (*compare_fn)(const void *, const void *);

/* Sorts, and leaves the first of those that are the same; returns how many stay. */
static size_t unite(void *rows, size_t nr, size_t size, compare_fn order, compare_fn same)
{
	char *at = rows;
	size_t i, left = 0;

	if (!nr)
		return 0;
	qsort(rows, nr, size, order);
	for (i = 1; i < nr; i++) {
		if (!same(at + left * size, at + i * size))
			continue;
		left++;
		memmove(at + left * size, at + i * size, size);
	}
	return left + 1;
}

int info_uses_init(struct info_uses *uses, const struct info_set *set,
		   const struct info_group *only)
{
	unsigned int i;
	int ret = 0;

	memset(uses, 0, sizeof(*uses));
	for (i = 0; i < set->nr && !ret; i++) {
		if (!only || only == &set->groups[i])
			ret = group_uses(uses, &set->groups[i]);
	}
	uses->nr = unite(uses->uses, uses->nr, sizeof(*uses->uses), by_use, same_use);
	uses->nr_perf = unite(uses->perf, uses->nr_perf, sizeof(*uses->perf),
			      by_perf, same_perf);
	return ret;
}

int info_uses_name(struct info_uses *uses, struct pmcgrp *h)
{
	const struct info_perf *perf;
	union attr_wide wide;
	size_t i;
	int ret;

	for (i = 0; i < uses->nr_perf; i++) {
		perf = &uses->perf[i];
		wide = (union attr_wide){ 0 };
		pmcgrp_info_attr(perf->member, &wide.attr);
		attr_config3_set(&wide, perf->member->config3);
		ret = held_counters_ask(&uses->held, h, perf->pmu, &wide.attr, perf->cpu);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			uses->held_err = ret;
	}
	return 0;
}

void info_uses_free(struct info_uses *uses)
{
	size_t i;

	held_counters_free(&uses->held);
	for (i = 0; i < uses->nr_pmus; i++)
		free(uses->pmus[i].name);
	free(uses->pmus);
	free(uses->uses);
	free(uses->perf);
	memset(uses, 0, sizeof(*uses));
}
