/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef PLAN_SHOW_H
#define PLAN_SHOW_H

#include "problem.h"

/* Print the plans as the command line wants them. Returns 0, or EXIT_TOOL after an error. */
int plan_show(const struct plan_options *o, const struct plan_problem *problem,
	      const struct plan_answer *answer);

#endif
