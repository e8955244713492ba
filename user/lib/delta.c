// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* From one sample of a ring to the next: what was counted in between. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* Whether the samples are of the same members. */
static bool same(const struct pmcgrp_delta *d, const struct pmcgrp_view *view, size_t nr)
{
	size_t i;

	if (nr != d->nr)
		return false;
	for (i = 0; i < nr; i++) {
		if (pmcgrp_view_id(view, i) != d->ids[i])
			return false;
	}
	return true;
}

/* Something that was to be sample was not, or did not count. */
static void missed(struct pmcgrp_delta *d, const struct pmcgrp_record *record)
{
	switch (record->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		d->pending_lost += record->lost;
		break;
	case PERF_RECORD_THROTTLE:
		d->pending_throttled = true;
		break;
	}
}

bool pmcgrp_delta_update(struct pmcgrp_delta *d, const struct pmcgrp_record *record)
{
	const struct pmcgrp_view *view = &record->read;
	uint64_t enabled = 0, running = 0, value;
	size_t i, nr = pmcgrp_view_nr(view);

	if (!(record->has & PERF_SAMPLE_READ)) {
		missed(d, record);
		return false;
	}
	if (nr > PMCGRP_MEMBERS_MAX)
		nr = PMCGRP_MEMBERS_MAX;
	d->valid = d->begun ? same(d, view, nr) : d->from_zero;
	pmcgrp_view_time_enabled(view, &enabled);
	pmcgrp_view_time_running(view, &running);
	d->nr = nr;
	d->time = d->valid ? record->time - (d->begun ? d->last_time : record->time - enabled) : 0;
	d->enabled = d->valid ? enabled - d->last_enabled : 0;
	d->running = d->valid ? running - d->last_running : 0;
	d->waited = (record->flags & PMCGRP_COMPACT_GAP) ||
		    ((view->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) &&
		     (view->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING) &&
		     d->enabled != d->running);
	d->throttled = d->pending_throttled;
	d->lost = d->pending_lost;
	for (i = 0; i < nr; i++) {
		value = pmcgrp_view_value(view, i);
		d->value[i] = d->valid ? value - d->last[i] : 0;
		d->last[i] = value;
		d->ids[i] = pmcgrp_view_id(view, i);
	}
	d->last_time = record->time;
	d->last_enabled = enabled;
	d->last_running = running;
	d->pending_throttled = false;
	d->pending_lost = 0;
	d->begun = true;
	return d->valid;
}
