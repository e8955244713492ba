// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <inttypes.h>

#include "args/cli.h"
#include "losses.h"

void record_losses_say(const struct record_counts *c, const char *what)
{
	uint64_t all = c->samples + c->lost + c->missed;

	if (c->lost)
		cli_say("%" PRIu64 " of %" PRIu64 " %s were lost: the rings were full (-m makes them "
			"larger)", c->lost, all, what);
	/* PERF_RECORD_LOST_SAMPLES: the rings had nothing to do with it (<linux/pmcgrp.h>). */
	if (c->missed)
		cli_say("%" PRIu64 " of %" PRIu64 " %s were missed: the trigger came while its CPU took "
			"another one or changed its counters, or its clock came late by whole periods; a "
			"longer --every or fewer triggers help, larger rings do not", c->missed, all, what);
	if (c->throttled)
		cli_say("the kernel stopped a trigger %" PRIu64 " times for coming too often: a longer "
			"--every helps, or a larger /proc/sys/kernel/perf_event_max_sample_rate",
			c->throttled);
}
