/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The names of the events that the kernel has on each machine. */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include "event_name.h"

/*
 * kernel_name_encode - look up a hardware, software or cache event
 * @name: as perf spells it, capitals or not; without modifiers
 * @code: zero before; written if the name is one
 *
 * Cache events are CACHE[-OP][-RESULT], as L1-dcache-load-misses; without them it is a read and
 * an access.  An operation that a cache does not have is none, as the kernel refuses it.
 *
 * Return: whether it is one.
 */
bool kernel_name_encode(const char *name, struct event_code *code);

#endif
