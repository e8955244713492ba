/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What of a perf_event_attr is a member's: what to count. All else is the group's, or sampling. */
#ifndef PMCGRP_ATTR_CHECK_H
#define PMCGRP_ATTR_CHECK_H

#include "internal.h"

/* attr_why - why the module refuses an attr for its fields; PMCGRP_WHY_NONE: it takes them */
enum pmcgrp_why attr_why(const struct perf_event_attr *attr);

/* attr_fields - the names of fields that are set and are no member's, of those that are known */
const char *attr_fields(const struct perf_event_attr *attr, char *text, size_t size);

#endif
