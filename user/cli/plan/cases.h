/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef PLAN_CASES_H
#define PLAN_CASES_H

/* Read cases, one or a list; print what becomes of them. Returns an exit status. */
int plan_cases(const char *file);

#endif
