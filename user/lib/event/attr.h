/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* From a code and modifiers to what perf_event_open(2) takes. */
#ifndef PMCGRP_EVENT_ATTR_H
#define PMCGRP_EVENT_ATTR_H

#include <linux/perf_event.h>

#include "event_code.h"

/*
 * event_attr_new - make an attr
 * @flags: PMCGRP_EVENTS_*; without PMCGRP_EVENTS_ANY what belongs to the group is not in the attr
 *
 * Return: the attr, to be freed; NULL: no memory.
 */
struct perf_event_attr *event_attr_new(const struct event_code *code,
				       const struct event_modifiers *modifiers, unsigned int flags);

#endif
