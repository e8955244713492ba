// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What did this thread do in each 100 us? Its group is put down by a clock, and read at
 * the end: what it counted from one snapshot to the next.
 *
 *	cc sample.c $(pkg-config --cflags --libs libpmcgrp) && sudo ./a.out
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include <pmcgrp.h>

#define PAGES 64

/* What is measured. */
static void work(void)
{
	volatile int i;

	for (i = 0; i < 10000000; i++)
		;
}

int main(void)
{
	struct perf_event_attr insn = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS };
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_TASK_CLOCK,
					 .sample_period = 100000 };
	struct pmcgrp_record record;
	struct pmcgrp_rings *rings;
	struct pmcgrp_group *group;
	struct pmcgrp_spec *spec;
	struct pmcgrp *h;

	if (pmcgrp_open(&h, 0) < 0)
		errx(1, "%s", pmcgrp_strerror(NULL));
	if (pmcgrp_spec_new(&spec) < 0 || pmcgrp_spec_add(spec, &insn, "instructions") < 0)
		errx(1, "out of memory");
	pmcgrp_spec_set_flags(spec, PMCGRP_CREATE_DISABLED);
	if (pmcgrp_group_create(h, spec, &group) < 0 ||
	    pmcgrp_group_set_ring(h, group, 0, PERF_SAMPLE_TIME | PERF_SAMPLE_READ, 0) < 0 ||
	    pmcgrp_group_add_trigger(h, group, &clock, "every 100 us") < 0)
		errx(1, "%s", pmcgrp_strerror(h));
	if (pmcgrp_rings_map(&rings, group, PAGES) < 0)
		errx(1, "cannot map the ring");

	pmcgrp_group_enable(group);
	work();
	pmcgrp_group_disable(group);

	while (pmcgrp_rings_next(rings, &record) > 0) {
		const struct pmcgrp_delta *delta = pmcgrp_rings_delta(rings, record.ring);

		if (record.lost)
			printf("%" PRIu64 " snapshots are missing here\n", record.lost);
		if (pmcgrp_record_is_snapshot(&record) && delta->valid)
			printf("%8" PRIu64 " ns: %8" PRIu64 " instructions\n", delta->time,
			       delta->value[0]);
	}
	pmcgrp_rings_free(rings);
	pmcgrp_group_close(group);
	pmcgrp_spec_free(spec);
	pmcgrp_close(h);
	return 0;
}
