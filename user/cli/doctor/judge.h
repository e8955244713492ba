/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What the counts of known work say: nothing in it depends on how busy the machine is. */
#ifndef JUDGE_H
#define JUDGE_H

#include "findings.h"
#include "work.h"

/* work_judge - adds a finding for each event that was to be counted */
void work_judge(struct findings *f, const struct work *work);

#endif
