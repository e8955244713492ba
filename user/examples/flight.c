// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A flight recorder: CPU 0 is put down a thousand times a second into a ring that is never
 * full, the newest over the oldest; when something goes wrong (here: Enter is pressed), the
 * last moments before it are there to be read.
 *
 *	cc flight.c $(pkg-config --cflags --libs libpmcgrp) && sudo ./a.out
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include <pmcgrp.h>

#define PAGES 16

static void print(struct pmcgrp_rings *rings)
{
	struct pmcgrp_record record;
	uint64_t last = 0;

	while (pmcgrp_rings_next(rings, &record) > 0) {
		const struct pmcgrp_delta *delta = pmcgrp_rings_delta(rings, record.ring);

		if (pmcgrp_record_is_snapshot(&record) && delta->valid)
			printf("+%" PRIu64 " ns: thread %u, %" PRIu64 " cycles, %" PRIu64
			       " instructions\n", last ? record.time - last : 0, record.tid,
			       delta->value[0], delta->value[1]);
		last = record.time;
	}
}

int main(void)
{
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE,
					  .config = PERF_COUNT_HW_CPU_CYCLES };
	struct perf_event_attr insn = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS };
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_CPU_CLOCK,
					 .sample_period = 1000000 };
	struct pmcgrp_rings *rings;
	struct pmcgrp_group *group;
	struct pmcgrp_spec *spec;
	struct pmcgrp *h;

	if (pmcgrp_open(&h, 0) < 0)
		errx(1, "%s", pmcgrp_strerror(NULL));
	if (pmcgrp_spec_new(&spec) < 0 || pmcgrp_spec_add(spec, &cycles, "cycles") < 0 ||
	    pmcgrp_spec_add(spec, &insn, "instructions") < 0)
		errx(1, "out of memory");
	pmcgrp_spec_set_cpu(spec, 0);
	if (pmcgrp_group_create(h, spec, &group) < 0 ||
	    pmcgrp_group_set_ring(h, group, PMCGRP_RING_BACKWARD,
				  PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ, 0) < 0 ||
	    pmcgrp_group_add_trigger(h, group, &clock, "every ms") < 0)
		errx(1, "%s", pmcgrp_strerror(h));
	if (pmcgrp_rings_map(&rings, group, PAGES) < 0)
		errx(1, "cannot map the ring");

	while (getchar() == '\n') {
		pmcgrp_group_pause_rings(group, true);
		print(rings);
		pmcgrp_rings_consume(rings);
		pmcgrp_group_pause_rings(group, false);
	}
	pmcgrp_rings_free(rings);
	pmcgrp_group_close(group);
	pmcgrp_spec_free(spec);
	pmcgrp_close(h);
	return 0;
}
