// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "guest.h"

static int note_all(const struct counter *counter, counter_note_fn note)
{
	char *text;

	if (!note)
		return 0;
	if (asprintf(&text, "%s and all other events leave KVM guests out (:H): one has the PMU to "
		     "itself while it runs", counter->name) < 0)
		return -ENOMEM;
	note(counter, text);
	free(text);
	return 0;
}

int guest_exclude(struct counter_set *set, struct pmcgrp *h, counter_note_fn note)
{
	const struct counter *first = NULL;
	unsigned int i;

	if (pmcgrp_error_why(h) != PMCGRP_WHY_EXCLUDE_GUEST)
		return 0;
	for (i = 0; i < set->nr; i++) {
		struct perf_event_attr *attr = set->counters[i].attr;

		if (attr->exclude_guest || attr->exclude_host ||
		    attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT)
			continue;
		attr->exclude_guest = 1;
		if (!first)
			first = &set->counters[i];
	}
	if (!first)
		return 0;
	return note_all(first, note) ? -ENOMEM : 1;
}
