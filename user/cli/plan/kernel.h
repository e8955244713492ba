/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Versions of kernels, as people write them. */
#ifndef PLAN_KERNEL_H
#define PLAN_KERNEL_H

#include <stdbool.h>

/*
 * plan_kernel - the version in a text, as PMCGRP_PLAN_KERNEL() has it
 *
 * "6.12", "4.7-rc7", "4.6.3" (its last number says nothing); "<4.7-rc7" is the one before it, and
 * "<=5.5" is 5.5. Returns false if it is none.
 */
bool plan_kernel(unsigned int *kernel, const char *text);

#endif
