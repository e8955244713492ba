// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Which of stat's default metrics can be had in one pass. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/default_events.h"
#include "counters/set_plan.h"
#include "sections.h"

/* What each level has more than the one before. */
static const struct {
	const char *option;
	const char *metrics;
} levels[STAT_DETAILS + 1] = {
	{ "stat", "GHz, insn per cycle, branch misses" },
	{ "stat -d", "misses of the L1 data cache and the last level" },
	{ "stat -dd", "misses of the L1 instruction cache and the TLBs" },
	{ "stat -ddd", "prefetches to the L1 data cache" },
};

/* Returns how many passes, or a negative errno. */
static int passes_of(struct pmcgrp_events *events, enum pmcgrp_backend backend, char **why)
{
	struct pmcgrp_cpus none = { 0 };
	struct counter_set set = { 0 };
	struct aggr aggr = { 0 };
	unsigned int least;
	int ret, bad;

	ret = aggr_init(&aggr, AGGR_GLOBAL, &none, AGGR_FOLDER, &bad);
	if (!ret)
		ret = counter_set_init(&set, events, &aggr);
	if (!ret) {
		ret = set_plan_passes(&set, backend, &least, why);
		counter_set_free(&set);
	}
	aggr_free(&aggr);
	return ret;
}

static void level(struct doctor *d, struct pmcgrp_events *events, unsigned int i)
{
	static const char what[] = "one pass";
	struct findings *f = &d->findings;
	const char *text = i ? stat_detailed_events[i - 1] : stat_default_events;
	char *why = NULL;
	int ret = pmcgrp_events_add(events, text, 0, NULL);

	if (ret >= 0)
		ret = passes_of(events, d->dev ? PMCGRP_BACKEND_DEVICE : PMCGRP_BACKEND_PERF, &why);
	if (ret < 0) {
		findings_add(f, DOCTOR_UNKNOWN, what, "%s (%s): %s", levels[i].option, levels[i].metrics,
			     why ? why : strerror(-ret));
	} else if (ret < 2) {
		findings_add(f, DOCTOR_OK, what, "%s (%s): yes", levels[i].option, levels[i].metrics);
	} else {
		findings_add(f, DOCTOR_OK, what, "%s (%s): no: %s", levels[i].option, levels[i].metrics,
			     why ? why : "");
		findings_advise(f, "pmcgrp %s --passes: %d runs, in which nothing is multiplexed",
				levels[i].option, ret);
	}
	if (ret >= 0)
		findings_value(f, "passes", ret ? ret : 1);
	free(why);
}

void doctor_passes(struct doctor *d)
{
	struct pmcgrp_events *events;
	unsigned int i;

	if (!d->live || !d->nr_pmus || pmcgrp_events_new(&events))
		return;
	for (i = 0; i <= STAT_DETAILS; i++)
		level(d, events, i);
	pmcgrp_events_free(events);
}
