/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The name of an event that a section or a span counts. */
#ifndef STAT_NAME_H
#define STAT_NAME_H

#include <stddef.h>

#include "pmcgrp.h"

/* As pmcgrp_event_name(). */
size_t stat_event_name(const struct pmcgrp_section_stat *stat, char *buf, size_t size);

#endif
