/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef REPORT_REFUSED_H
#define REPORT_REFUSED_H

#include "args/refused.h"

/* Options of perf report that have nothing to act on here, or are called otherwise. */
extern const struct refused rep_refused;

#endif
