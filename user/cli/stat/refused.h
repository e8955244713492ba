/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Options of perf stat that pmcgrp stat knows, and cannot have. */
#ifndef STAT_REFUSED_H
#define STAT_REFUSED_H

#include "args/refused.h"

extern const struct refused stat_refused;

#endif
