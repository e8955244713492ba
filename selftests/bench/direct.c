// SPDX-License-Identifier: GPL-2.0-only
/*
 * What it costs a task to read its own group without a system call: four events of perf's by
 * the pages that each has, in the way of <linux/perf_event.h>, and a group by libpmcgrp.
 */
#include "bench.h"
#include "../pmcgrp_direct.h"
#include <pmcgrp.h>

#define READS	10000

static inline uint64_t page_read(const volatile struct perf_event_mmap_page *page)
{
	uint64_t count, enabled, running;
	uint32_t seq, index;
	int64_t raw;

	do {
		seq = page->lock;
		direct_barrier();
		enabled = page->time_enabled;
		running = page->time_running;
		if (page->cap_user_time && enabled != running)
			direct_clock();
		count = page->offset;
		index = page->index;
		if (page->cap_user_rdpmc && index) {
			raw = direct_counter(index - 1);
			raw = (int64_t)((uint64_t)raw << (64 - page->pmc_width)) >>
			      (64 - page->pmc_width);
			count += raw;
		}
		direct_barrier();
	} while (page->lock != seq);
	return count;
}

static inline uint64_t pages_read(const volatile struct perf_event_mmap_page *const *page)
{
	return page_read(page[0]) + page_read(page[1]) + page_read(page[2]) + page_read(page[3]);
}

static struct cost cost_by_perf(void)
{
	const volatile struct perf_event_mmap_page *page[NR];
	size_t size = sysconf(_SC_PAGESIZE);
	uint64_t before = 0;
	struct perf_event_attr attr[NR];
	struct perf_group perf;
	struct cost cost;
	int i;

	for (i = 0; i < NR; i++) {
		attr[i] = members[0][i];
#ifdef __aarch64__
		attr[i].config1 = 2;	/* rdpmc */
#endif
	}
	if (!perf_group_open(&perf, attr, NR, &(struct whom){ 0 }))
		return NO_COST;
	for (i = 0; i < NR; i++) {
		page[i] = mmap(NULL, size, PROT_READ, MAP_SHARED, perf.fd[i], 0);
		if (page[i] == MAP_FAILED || !page[i]->index)
			return NO_COST;
		before += page_read(page[i]);
	}
	cost = PER_TURN(READS, pages_read(page));
	if (pages_read(page) <= before)
		return NO_COST;
	for (i = 0; i < NR; i++)
		munmap((void *)page[i], size);
	perf_group_close(&perf);
	return cost;
}

static struct pmcgrp_group *direct_group(struct pmcgrp *h)
{
	struct pmcgrp_group *group = NULL;
	struct pmcgrp_spec *spec;
	int i;

	if (pmcgrp_spec_new(&spec))
		return NULL;
	pmcgrp_spec_set_task(spec, 0);
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DIRECT);
	pmcgrp_spec_set_read_format(spec, FORMAT);
	for (i = 0; i < NR; i++)
		pmcgrp_spec_add(spec, &members[0][i], NULL);
	if (pmcgrp_group_create(h, spec, &group))
		fprintf(stderr, "%s\n", pmcgrp_strerror(h));
	pmcgrp_spec_free(spec);
	return group;
}

/* Whether what the library reads directly lies between two reads. */
static bool is_right(struct pmcgrp_group *group)
{
	struct group_values v[3];
	ssize_t size = pmcgrp_read_size(FORMAT, NR);
	int i, k;

	for (k = 0; k < 1000; k++) {
		if (pmcgrp_group_read(group, &v[0], sizeof(v[0])) != size ||
		    pmcgrp_read_direct(group, &v[1], sizeof(v[1])) != size ||
		    pmcgrp_group_read(group, &v[2], sizeof(v[2])) != size)
			return false;
		for (i = 0; i < NR; i++)
			if (v[0].m[i].value > v[1].m[i].value ||
			    v[1].m[i].value > v[2].m[i].value || v[0].m[i].id != v[1].m[i].id)
				return false;
		if (v[0].enabled > v[1].enabled + 1 || v[1].enabled > v[2].enabled + 1 ||
		    v[0].running > v[1].running + 1 || v[1].running > v[2].running + 1)
			return false;
	}
	return true;
}

static struct cost cost_by_pmcgrp(void)
{
	struct pmcgrp_group *group;
	struct group_values v;
	struct pmcgrp *h;
	struct cost cost = NO_COST;

	if (pmcgrp_open(&h, 0))
		return NO_COST;
	group = direct_group(h);
	if (group && is_right(group))
		cost = PER_TURN(READS, pmcgrp_read_direct(group, &v, sizeof(v)));
	pmcgrp_group_close(group);
	pmcgrp_close(h);
	return cost;
}

static bool read_direct(struct result *r)
{
	if (!direct_allow(1))
		return cannot("no " DIRECT_SYSCTL);
	r->perf = cost_by_perf();
	r->pmcgrp = cost_by_pmcgrp();
	return measured(r->perf) && measured(r->pmcgrp);
}

const struct row direct_rows[] = {
	{ "read.direct.4hw", "instructions", NULL, 1, 0.60, read_direct },
	{}
};
