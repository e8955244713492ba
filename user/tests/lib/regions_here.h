/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Regions of the test itself, counted by perf_event_open(2): page faults in user mode, of which a
 * region has as many as it touches fresh pages.
 */
#ifndef REGIONS_HERE_H
#define REGIONS_HERE_H

#include <sys/mman.h>
#include <unistd.h>

#include "regions/process.h"

#define EVENTS "page-faults:u"

/* So many page faults. */
static inline void fault(unsigned int nr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *pages;

	pages = mmap(NULL, nr * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	madvise((void *)pages, nr * page, MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++)
		pages[i * page] = 1;
	munmap((void *)pages, nr * page);
}

/* Sanitizers, and a stack that grows, touch pages of their own. */
#ifdef __SANITIZE_ADDRESS__
#define FAULTS_MORE 64
#else
#define FAULTS_MORE 8
#endif

#define assert_faults(count, nr) assert_in_range(count, nr, (nr) + FAULTS_MORE)

static inline void listen_to(const char *events)
{
	struct pmcgrp_events_error error = { 0 };
	int ret = pmcgrp_regions_start(events, PMCGRP_OPEN_PERF, &error);

	if (ret)
		fail_msg("cannot start: %d, %s", ret, error.text);
}

/* Whether perf_event_open(2) counts here at all. */
static inline void need_counts(void)
{
	struct pmcgrp_group *group = NULL;
	struct pmcgrp *h;
	int ret;

	assert_int_equal(pmcgrp_open(&h, PMCGRP_OPEN_PERF), 0);
	ret = pmcgrp_group_open(h, EVENTS, NULL, &group);
	if (ret)
		print_message("# skipped: %s\n", pmcgrp_strerror(h));
	pmcgrp_group_close(group);
	pmcgrp_close(h);
	if (ret)
		skip();
}

static inline struct region_set collect(void)
{
	struct region_set set;
	int state;

	assert_true(regions_lock(&state));
	assert_int_equal(region_report_collect(&set), 0);
	regions_unlock(state);
	return set;
}

/* The row of a region in all threads, all zero without one; the last four have their values. */
static inline struct region_row row_of(const char *name)
{
	struct region_set set = collect(), sum;
	static struct region_value pool[4][REGION_VALUES_MAX];
	static unsigned int turn;
	struct region_value *values = pool[turn++ % 4];
	struct region_row row = { 0 };
	unsigned int i;

	assert_int_equal(region_set_like(&sum, &set), 0);
	assert_int_equal(region_set_sum(&sum, &set), 0);
	for (i = 0; i < sum.nr_rows; i++) {
		if (strcmp(sum.rows[i].name, name))
			continue;
		row = sum.rows[i];
		memcpy(values, row.values, sum.nr_values * sizeof(values[0]));
		row.values = values;
	}
	region_set_free(&sum);
	region_set_free(&set);
	return row;
}

/* The only reason, with so many calls, that a region has been missed for. */
static inline void assert_missed(const struct region_row *row, enum pmcgrp_region_missed reason,
				 uint64_t nr)
{
	unsigned int i;

	for (i = 0; i < PMCGRP_REGION_REASONS; i++) {
		if (row->missed[i] != (i == reason ? nr : 0))
			fail_msg("%s: %s: %llu", row->name, pmcgrp_region_missed_name(i),
				 (unsigned long long)row->missed[i]);
	}
}

static inline void assert_none_missed(const struct region_row *row)
{
	assert_missed(row, PMCGRP_REGION_REASONS, 0);
}

#endif
