/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Which two events have a ratio that means something: those that perf stat knows. */
#ifndef RATIO_H
#define RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 100 * event / of, in percent, called @unit; without @percent, event / of. */
struct ratio {
	uint32_t type;
	uint64_t config;
	uint32_t of_type;
	uint64_t of_config;
	bool percent;
	const char *unit;
};

extern const struct ratio ratios[];
extern const size_t nr_ratios;

#endif
