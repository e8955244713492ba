// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* kernel.perf_event_paranoid at 2 lets a user count user mode of own tasks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user_mode.h"

/* It happens in the kernel, whatever mode is counted. */
static bool of_kernel(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return true;
	if (attr->type != PERF_TYPE_SOFTWARE)
		return false;
	switch (attr->config) {
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
	case PERF_COUNT_SW_CGROUP_SWITCHES:
		return true;
	default:
		return false;
	}
}

static int tell(const struct counter *counter, counter_note_fn note, const char *what)
{
	char *text;

	if (!note)
		return 0;
	if (asprintf(&text, "%s%s, as kernel.perf_event_paranoid does not let this user count the "
		     "kernel", counter->name, what) < 0)
		return -ENOMEM;
	note(counter, text);
	free(text);
	return 0;
}

/* "cycles" becomes "cycles:u", and "cycles:h" "cycles:hu". */
static int rename_it(struct counter *counter)
{
	const char *colon = strrchr(counter->name, ':');
	bool modified = colon && colon[1] && strspn(colon + 1, "ukhGHISD") == strlen(colon + 1);
	char *name;

	if (asprintf(&name, "%s%su", counter->name, modified ? "" : ":") < 0)
		return -ENOMEM;
	free(counter->name);
	counter->name = name;
	return 0;
}

int user_mode_degrade(struct counter_set *set, struct counter_group *group, struct pmcgrp *h,
		      const struct counter_target *target, counter_note_fn note)
{
	int changed = 0, ret = 0;
	unsigned int i;

	if (pmcgrp_backend(h) != PMCGRP_BACKEND_PERF ||
	    pmcgrp_error_why(h) != PMCGRP_WHY_PERMISSION || counter_target_is_cpus(target))
		return 0;
	for (i = group->first; i < group->first + group->nr && ret >= 0; i++) {
		struct counter *counter = &set->counters[i];

		if (!counter->supported || counter->attr->exclude_kernel ||
		    counter->attr->exclude_user)
			continue;
		changed = 1;
		if (of_kernel(counter->attr)) {
			counter->supported = false;
			ret = tell(counter, note, " happens in the kernel");
			continue;
		}
		counter->attr->exclude_kernel = 1;
		counter->attr->exclude_hv = 1;
		ret = rename_it(counter);
		if (!ret)
			ret = tell(counter, note, " is counted instead");
	}
	return ret < 0 ? ret : changed;
}
