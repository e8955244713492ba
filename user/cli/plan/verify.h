/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef PLAN_VERIFY_H
#define PLAN_VERIFY_H

#include "problem.h"

#define PLAN_VERIFY_MS 1000 /* how long is counted, and predicted */

/*
 * plan_verify - count for a second, and put what was predicted beside what was seen
 *
 * Returns an exit status: 1 if something else was seen than predicted.
 */
int plan_verify(const struct plan_options *o, const struct plan_problem *problem);

#endif
