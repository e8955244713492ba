/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Sizes and times as perf record takes them: 100M, 30s. */
#ifndef RECORD_AMOUNT_H
#define RECORD_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* amount_size - a number from 1 on and B, K, M or G, in bytes; false: it is none, or too large */
bool amount_size(uint64_t *bytes, const char *text);

/* amount_time - a number from 1 on and s, m, h or d, in ns; false: it is none, or too long */
bool amount_time(int64_t *ns, const char *text);

#endif
