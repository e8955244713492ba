/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Whether two events have a ratio: one that perf stat knows, or one that --ratio asks for. */
#ifndef REPORT_MATCH_H
#define REPORT_MATCH_H

#include <linux/perf_event.h>

#include "counters/ratio.h"

bool rep_match_ratio(const struct ratio *ratio, const struct perf_event_attr *event,
		     const struct perf_event_attr *of);

/* Whether any of perf stat's is theirs. */
bool rep_match_known(const struct perf_event_attr *event, const struct perf_event_attr *of);

/* Whether "EVENT/EVENT" or "NAME=EVENT/EVENT" means these two. */
bool rep_match_text(const char *text, const char *event, const char *of);

#endif
