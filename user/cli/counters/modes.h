/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* --all-user and --all-kernel. */
#ifndef MODES_H
#define MODES_H

#include <stdbool.h>

#include "counter_set.h"

/* modes_set - count user mode alone, or the kernel alone, whatever the events' modifiers say */
void modes_set(struct counter_set *set, bool all_user, bool all_kernel);

#endif
