// SPDX-License-Identifier: GPL-2.0-only
/*
 * What it costs a task to read its own group without a system call: four perf events by
 * the pages that each has, in the way of <linux/perf_event.h>, and a group by libpmcgrp.
 *
 * perf's way returns values only, and no clock is read unless the event was ever without a
 * counter, as here none was. What it gives is put into memory, as libpmcgrp does.
 */
#include "bench.h"
#include "pmcgrp_user_page.h"
#include <pmcgrp.h>

#define RUNS	21
#define READS	1000
#define WORDS	(3 + 2 * NR)

/* The median of some short runs: a tick of the kernel's is worth many reads, and most have none. */
#define PER_READ(statement)					\
({								\
	struct cost cost_[RUNS];				\
	unsigned int run_;					\
								\
	for (run_ = 0; run_ < RUNS; run_++)			\
		cost_[run_] = PER_TIME(READS, statement);	\
	cost_median(cost_, RUNS);				\
})

static inline uint64_t page_read(const struct perf_event_mmap_page *page)
{
	uint64_t count, enabled, running;
	uint32_t seq, index, width;
	int64_t raw;

	do {
		seq = page->lock;
		user_barrier();
		enabled = page->time_enabled;
		running = page->time_running;
		if (page->cap_user_time && enabled != running)
			user_clock();
		count = page->offset;
		index = page->index;
		if (page->cap_user_rdpmc && index) {
			width = page->pmc_width;
			raw = user_counter(index - 1);
			raw = (int64_t)((uint64_t)raw << (64 - width)) >> (64 - width);
			count += raw;
		}
		user_barrier();
	} while (page->lock != seq);
	return count;
}

struct pages {
	const struct perf_event_mmap_page *page[NR];
	size_t size;
	unsigned int nr;
};

static inline void pages_read(const struct pages *pages, uint64_t *value)
{
	int i;

#pragma GCC unroll 4
	for (i = 0; i < NR; i++)
		value[i] = page_read(pages->page[i]);
	user_barrier();
}

/* Whether each event can be read in user space, and always had a counter. */
static bool pages_map(struct pages *pages, const struct perf_group *perf)
{
	const struct perf_event_mmap_page *page;

	pages->size = sysconf(_SC_PAGESIZE);
	for (pages->nr = 0; pages->nr < perf->nr; pages->nr++) {
		page = mmap(NULL, pages->size, PROT_READ, MAP_SHARED, perf->fd[pages->nr], 0);
		if (page == MAP_FAILED)
			return false;
		pages->page[pages->nr] = page;
		if (!page->index || page->time_enabled != page->time_running)
			return false;
	}
	return true;
}

static void pages_unmap(struct pages *pages)
{
	while (pages->nr)
		munmap((void *)pages->page[--pages->nr], pages->size);
}

/* Idle counters of earlier rows are deleted by a tick. */
static bool perf_pages_open(struct perf_group *perf, struct pages *pages,
			    const struct perf_event_attr *attr)
{
	int tries;

	for (tries = 0; tries < 10; tries++) {
		if (!perf_group_open(perf, attr, NR, &(struct whom){ 0 }))
			return false;
		if (pages_map(pages, perf))
			return true;
		pages_unmap(pages);
		perf_group_close(perf);
		usleep(20000);
	}
	return cannot("no counters for perf events from the start");
}

static struct cost cost_by_perf(void)
{
	uint64_t before[NR], value[NR], after[NR];
	struct perf_event_attr attr[NR];
	struct cost cost = NO_COST;
	struct perf_group perf;
	struct pages pages;
	int i;

	for (i = 0; i < NR; i++) {
		attr[i] = members[0][i];
#ifdef __aarch64__
		attr[i].config1 = 2;	/* rdpmc */
#endif
	}
	if (!perf_pages_open(&perf, &pages, attr))
		return NO_COST;
	pages_read(&pages, before);
	cost = PER_READ(pages_read(&pages, value));
	pages_read(&pages, after);
	for (i = 0; i < NR; i++)
		if (before[i] > value[i] || value[i] > after[i] || (!i && before[i] == value[i]))
			cost = NO_COST;
	pages_unmap(&pages);
	perf_group_close(&perf);
	return cost;
}

static struct pmcgrp_group *user_read_group(struct pmcgrp *h, uint64_t format)
{
	struct pmcgrp_group *group = NULL;
	struct pmcgrp_spec *spec;
	int i;

	if (pmcgrp_spec_new(&spec))
		return NULL;
	pmcgrp_spec_set_task(spec, 0);
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_USER_READ);
	pmcgrp_spec_set_read_format(spec, format);
	for (i = 0; i < NR; i++)
		pmcgrp_spec_add(spec, &members[0][i], NULL);
	if (pmcgrp_group_create(h, spec, &group))
		fprintf(stderr, "%s\n", pmcgrp_strerror(h));
	pmcgrp_spec_free(spec);
	return group;
}

/* Whether each word that the library reads in user space lies between two reads. */
static bool is_right(struct pmcgrp_group *group, uint64_t format)
{
	ssize_t size = pmcgrp_read_size(format, NR);
	uint64_t v[3][WORDS], slack;
	int i, k;

	for (k = 0; k < 1000; k++) {
		if (pmcgrp_group_read(group, v[0], sizeof(v[0])) != size ||
		    pmcgrp_group_read_user(group, v[1], sizeof(v[1])) != size ||
		    pmcgrp_group_read(group, v[2], sizeof(v[2])) != size)
			return false;
		for (i = 0; i < size / 8; i++) {
			/* Times are rounded. */
			slack = format == FORMAT && (i == 1 || i == 2);
			if (v[0][i] > v[1][i] + slack || v[1][i] > v[2][i] + slack)
				return false;
		}
	}
	return true;
}

static struct cost cost_by_pmcgrp(uint64_t format)
{
	struct pmcgrp_group *group;
	struct cost cost = NO_COST;
	uint64_t v[WORDS];
	struct pmcgrp *h;

	if (pmcgrp_open(&h, 0))
		return NO_COST;
	group = user_read_group(h, format);
	if (group && is_right(group, format))
		cost = PER_READ(pmcgrp_group_read_user(group, v, sizeof(v)));
	pmcgrp_group_close(group);
	pmcgrp_close(h);
	return cost;
}

static bool read_user(struct result *r, uint64_t format)
{
	if (!user_allow(1))
		return cannot("no " DIRECT_SYSCTL);
	r->perf = cost_by_perf();
	r->pmcgrp = cost_by_pmcgrp(format);
	return measured(r->perf) && measured(r->pmcgrp);
}

/* Times and ids as well, which perf's way does not give. */
static bool read_user_all(struct result *r)
{
	return read_user(r, FORMAT);
}

/* What perf's way gives. */
static bool read_user_values(struct result *r)
{
	return read_user(r, PERF_FORMAT_GROUP);
}

const struct row user_read_rows[] = {
	{ "read.user.4hw", "instructions", NULL, 1, 0.60, read_user_all },
	{ "read.user.values.4hw", "instructions", NULL, 1, 0.60, read_user_values },
	{}
};
