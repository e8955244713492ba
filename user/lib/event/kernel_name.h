/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The names of the events that the kernel has on each machine. */
#ifndef PMCGRP_KERNEL_NAME_H
#define PMCGRP_KERNEL_NAME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * kernel_name_encode - look up a hardware, software or cache event
 * @name: as perf spells it, capitals or not; without modifiers
 * @type, @config: of perf_event_attr; written if the name is one
 *
 * Cache events are CACHE[-OP][-RESULT], as L1-dcache-load-misses; without them it is a read and
 * an access.  An operation that a cache does not have is none, as the kernel refuses it.
 *
 * Return: whether it is one.
 */
bool kernel_name_encode(const char *name, uint32_t *type, uint64_t *config);

/*
 * kernel_name_each - call a function with each hardware, software or cache event
 * @type: PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE or PERF_TYPE_HW_CACHE
 * @each: called with the name and another one, or NULL; not 0 ends it
 *
 * Of cache events only those whose operation the cache has.
 *
 * Return: what @each returned last.
 */
int kernel_name_each(uint32_t type, int (*each)(void *ctx, const char *name, const char *alias),
		     void *ctx);

/*
 * kernel_name_raw - parse rNNN, a raw code in hexadecimal
 *
 * Return: 0; -ENOENT: it is another kind of name; -ERANGE: it has too many digits.
 */
int kernel_name_raw(const char *name, uint64_t *config);

#endif
