/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef REPORT_GROW_H
#define REPORT_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Room for one more in an array that grows by doubling; false: out of memory. */
bool rep_grow(void *array, size_t *room, size_t nr, size_t size);

#endif
