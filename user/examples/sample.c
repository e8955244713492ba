// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What did this thread do in each 100 us? A clock takes samples of its group; read at the
 * end, they say what it counted from one to the next.
 *
 *	cc sample.c $(pkg-config --cflags --libs libpmcgrp) && sudo ./a.out
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pmcgrp.h>

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
					 .config = PERF_COUNT_SW_TASK_CLOCK,
					 .sample_period = 100000 };
	struct pmcgrp *h = NULL;
	struct pmcgrp_spec *spec;
	struct pmcgrp_group *group;
	struct pmcgrp_rings *rings;
	struct pmcgrp_record record;

	must(NULL, pmcgrp_open(&h, 0));
	must(h, pmcgrp_spec_new(&spec));
	must(h, pmcgrp_spec_add(spec, &insn, "instructions"));
	must(h, pmcgrp_group_create(h, spec, &group));
	must(h, pmcgrp_group_set_ring(h, group, 0, PERF_SAMPLE_TIME | PERF_SAMPLE_READ, 0));
	must(h, pmcgrp_rings_map(&rings, group, 64));
	must(h, pmcgrp_group_add_trigger(h, group, &clock, "every 100 us"));
	for (volatile int i = 0; i < 10000000; i++)
		;	/* what is measured */
	must(h, pmcgrp_group_disable(group));

	while (pmcgrp_rings_next(rings, &record) > 0) {
		const struct pmcgrp_delta *delta = pmcgrp_rings_delta(rings, record.ring);

		if (pmcgrp_record_is_sample(&record) && delta->valid)
			printf("%8" PRIu64 " ns: %8" PRIu64 " instructions, %" PRIu64 " lost\n",
			       delta->time, delta->value[0], delta->lost);
	}
	pmcgrp_rings_free(rings);
	pmcgrp_group_close(group);
	pmcgrp_spec_free(spec);
	pmcgrp_close(h);
}
