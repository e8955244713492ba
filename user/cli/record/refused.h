/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Options of perf record that pmcgrp record knows, and cannot have. */
#ifndef RECORD_REFUSED_H
#define RECORD_REFUSED_H

#include "args/refused.h"

extern const struct refused record_refused;

#endif
