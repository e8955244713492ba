/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What causes samples: the arguments of --every and --on. */
#ifndef TRIGGER_H
#define TRIGGER_H

#include <stdbool.h>

#include "event/config3.h"
#include "pmcgrp.h"

struct trigger {
	char *name;			/* as shown */
	union {				/* may refer to @text */
		struct perf_event_attr attr;
		union attr_wide wide;
	};
	char *text;			/* a probe's symbol or file, or NULL */
	bool probe;			/* its attr means nothing on another machine */
};

/*
 * trigger_every - a time, or so many of an event
 * @text: "100us" (ns, us, ms, s), or "1000000:instructions"
 * @cpus: whether CPUs are recorded: then the time is that of the clock on the wall, else that
 *	for which the thread runs
 *
 * Returns 0, -EINVAL with @error filled in, or -ENOMEM.
 */
int trigger_every(struct trigger *trigger, const char *text, bool cpus,
		  struct pmcgrp_events_error *error);

/*
 * trigger_on - each time that something happens
 * @text: a tracepoint "sched:sched_switch"; "kprobe:SYMBOL[+OFFSET]", "kretprobe:SYMBOL",
 *	"uprobe:FILE:OFFSET", "uretprobe:FILE:OFFSET"; a software event
 *
 * Returns as trigger_every().
 */
int trigger_on(struct trigger *trigger, const char *text, struct pmcgrp_events_error *error);

void trigger_free(struct trigger *trigger);

#endif
