/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* From an event's name to its code. */
#ifndef EVENT_NAME_H
#define EVENT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What of a perf_event_attr the name decides. Not the struct itself: libpfm4's
 * header and the kernel's both define it, and cannot be used in the same file.
 */
struct event_code {
	uint32_t type;
	uint64_t config;
	uint64_t config1;
	uint64_t config2;
	bool exclude_user;
	bool exclude_kernel;
	bool exclude_hv;
};

/*
 * event_name_encode - look up a name without modifiers
 * @name: as perf spells it; rNNN, a raw code in hexadecimal; or a name that
 *	libpfm4 knows for this machine
 * @text: on failure, why, as the end of a sentence that begins with the name
 *
 * Returns 0, or -ENOENT: no such name.
 */
int event_name_encode(const char *name, struct event_code *code, char *text, size_t size);

#endif
