/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What stat counts where no events are named. */
#ifndef DEFAULT_EVENTS_H
#define DEFAULT_EVENTS_H

/* How often -d adds more. */
#define STAT_DETAILS 3

/* Of tasks. */
extern const char stat_default_events[];

/* What each further -d adds. */
extern const char *const stat_detailed_events[STAT_DETAILS];

#endif
