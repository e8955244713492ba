/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What of a recording was lost, by which cause, and what helps against it. */
#ifndef RECORD_LOSSES_H
#define RECORD_LOSSES_H

#include "drain.h"

/* @what: "samples" or "records" */
void record_losses_say(const struct record_counts *counts, const char *what);

#endif
