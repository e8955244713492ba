/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A list of events as the library keeps it. */
#ifndef PMCGRP_EVENT_EVENTS_H
#define PMCGRP_EVENT_EVENTS_H

#include "machine.h"
#include "pmcgrp.h"

/**
 * struct pmcgrp_events - events and their groups
 * @machine: where names are looked up
 * @at: the events; what they point to is theirs, but for @pmu and @cpus, which are of @machine
 */
struct pmcgrp_events {
	struct event_machine machine;
	struct pmcgrp_event *at;
	unsigned int nr;
	struct pmcgrp_event_group *groups;
	unsigned int nr_groups;
};

#endif
