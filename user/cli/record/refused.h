/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Options of perf record that pmcgrp record knows, and cannot have. */
#ifndef RECORD_REFUSED_H
#define RECORD_REFUSED_H

#include "args/refused.h"

/* Their letters, with a colon where an argument follows, and two where one may. */
#define RECORD_REFUSED_LETTERS "bj:dI::k:nRS::W"

extern const struct refused record_refused;

#endif
