// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A flight recorder: each millisecond on CPU 0 goes into a ring that is never full, the newest
 * over the oldest; when something goes wrong (here: Enter is pressed), the last moments before
 * it are there to be read.
 *
 *	cc flight.c $(pkg-config --cflags --libs libpmcgrp) && sudo ./a.out
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pmcgrp.h>

#define WHAT (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ)

static void must(const struct pmcgrp *h, int ret)
{
	if (ret < 0)
		errx(1, "%s", *pmcgrp_strerror(h) ? pmcgrp_strerror(h) : strerror(-ret));
}

int main(void)
{
	struct perf_event_attr insn = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS };
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_CPU_CLOCK,
					 .sample_period = 1000000 };
	struct pmcgrp *h = NULL;
	struct pmcgrp_spec *spec;
	struct pmcgrp_group *group;
	struct pmcgrp_rings *rings;
	struct pmcgrp_record record;

	must(NULL, pmcgrp_open(&h, 0));
	must(h, pmcgrp_spec_new(&spec));
	must(h, pmcgrp_spec_add(spec, &insn, "instructions"));
	must(h, pmcgrp_spec_set_cpu(spec, 0));
	must(h, pmcgrp_group_create(h, spec, &group));
	must(h, pmcgrp_group_set_ring(h, group, PMCGRP_RING_BACKWARD, WHAT, 0));
	must(h, pmcgrp_rings_map(&rings, group, 16));
	must(h, pmcgrp_group_add_trigger(h, group, &clock, "every ms"));

	while (getchar() == '\n') {
		must(h, pmcgrp_group_pause_rings(group, true));
		while (pmcgrp_rings_next(rings, &record) > 0) {
			const struct pmcgrp_delta *delta = pmcgrp_rings_delta(rings, record.ring);

			if (pmcgrp_record_is_sample(&record) && delta->valid)
				printf("%" PRIu64 ": thread %u, %" PRIu64 " instructions\n",
				       record.time, record.tid, delta->value[0]);
		}
		pmcgrp_rings_consume(rings);
		must(h, pmcgrp_group_pause_rings(group, false));
	}
	pmcgrp_rings_free(rings);
	pmcgrp_group_close(group);
	pmcgrp_spec_free(spec);
	pmcgrp_close(h);
}
