// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Passes of a list of events, on this machine. */
#include <errno.h>
#include <stdio.h>

#include "internal.h"
#include "machine.h"

static int find(struct pmcgrp_plan_passes *passes, const struct plan_here *here,
		const struct pmcgrp_events *events, uint64_t limit_us)
{
	struct pmcgrp_events_error error = { 0 };
	struct plan_groups groups;
	int ret;

	ret = plan_groups_of(&groups, &here->pmu, events, &error);
	if (ret == -EINVAL)
		snprintf(passes->why, sizeof(passes->why), "%.*s", PMCGRP_PLAN_REASON - 1, error.text);
	if (ret)
		return ret;
	plan_machine_probe(&groups, events);
	ret = pmcgrp_plan_passes(passes, &here->pmu.pmu, groups.groups, groups.nr, &here->options,
				 limit_us);
	plan_groups_free(&groups);
	return ret;
}

int pmcgrp_plan_events(struct pmcgrp_plan_passes *passes, const struct pmcgrp *h,
		       const struct pmcgrp_events *events, uint64_t limit_us)
{
	struct failure failure = { 0 };
	struct plan_here here;
	int ret;

	if (!passes || !h || !events)
		return -EINVAL;
	*passes = (struct pmcgrp_plan_passes){ 0 };
	ret = plan_here_begin(&here, pmcgrp_backend(h), &failure);
	if (!ret)
		ret = find(passes, &here, events, limit_us);
	else
		snprintf(passes->why, sizeof(passes->why), "%.*s", PMCGRP_PLAN_REASON - 1, failure.text);
	plan_here_end(&here);
	return ret;
}
