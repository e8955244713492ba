// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * How many instructions does this loop take, and how many page faults? A group
 * of two around a piece of one's own program.
 *
 *	cc loop.c $(pkg-config --cflags --libs libpmcgrp) && sudo ./a.out
 *
 * Without the module it counts with perf_event_open(2), and says so.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pmcgrp.h>

#define PAGES 256
#define PAGE_BYTES 4096

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
};

#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

/* What is measured: the first touch of each page is a fault. */
static void work(void)
{
	volatile char *memory = malloc((size_t)PAGES * PAGE_BYTES);
	int i;

	if (!memory)
		err(1, "malloc");
	for (i = 0; i < PAGES; i++)
		memory[(size_t)i * PAGE_BYTES] = 1;
	free((void *)memory);
}

/* All events, or the software ones alone where the machine has no PMU. */
static struct pmcgrp_group *group_create(struct pmcgrp *h, size_t nr)
{
	struct pmcgrp_group *group;
	struct pmcgrp_spec *spec;
	size_t i;
	int ret;

	if (pmcgrp_spec_new(&spec) < 0)
		errx(1, "out of memory");
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DISABLED);
	for (i = 0; i < nr; i++) {
		struct perf_event_attr attr = {
			.type = events[i].type,
			.config = events[i].config,
		};

		if (pmcgrp_spec_add(spec, &attr, events[i].name) < 0)
			errx(1, "cannot add %s to the group", events[i].name);
	}
	ret = pmcgrp_group_create(h, spec, &group);
	pmcgrp_spec_free(spec);
	if (ret == 0)
		return group;
	warnx("%s", pmcgrp_strerror(h));
	if (pmcgrp_error_why(h) != PMCGRP_WHY_EVENT_UNKNOWN || pmcgrp_error_member(h) <= 0)
		exit(1);
	return group_create(h, (size_t)pmcgrp_error_member(h));
}

int main(void)
{
	struct pmcgrp_group *group;
	struct pmcgrp_view view;
	struct pmcgrp *h;
	uint64_t buf[64];
	ssize_t len;
	size_t i;

	if (pmcgrp_open(&h, PMCGRP_OPEN_FALLBACK) < 0)
		errx(1, "%s", pmcgrp_strerror(NULL));
	printf("counting with %s\n", pmcgrp_backend_name(h));
	group = group_create(h, NR_EVENTS);

	pmcgrp_group_enable(group);
	work();
	pmcgrp_group_disable(group);

	len = pmcgrp_group_read(group, buf, sizeof(buf));
	if (len < 0 || pmcgrp_view_init(&view, buf, len, pmcgrp_group_read_format(group)) < 0)
		errx(1, "cannot read the group");
	for (i = 0; i < pmcgrp_view_nr(&view); i++)
		printf("%12" PRIu64 " %s\n", pmcgrp_view_value(&view, i), events[i].name);
	pmcgrp_group_close(group);
	pmcgrp_close(h);
	return 0;
}
