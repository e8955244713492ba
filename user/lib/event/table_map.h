/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which model of an architecture's tables a CPU is. */
#ifndef PMCGRP_EVENT_TABLE_MAP_H
#define PMCGRP_EVENT_TABLE_MAP_H

#include "failure.h"

/*
 * table_map_find - the model of the first line whose pattern is of this CPU
 * @text: lines of a pattern, a tab and a model; is written into
 * @path: for @failure
 *
 * Returns a model within @text; NULL: none, and @err is -ENODEV, or -EINVAL for a malformed line.
 */
char *table_map_find(char *text, const char *path, const char *cpuid, struct failure *failure,
		     int *err);

#endif
