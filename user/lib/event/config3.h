/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* config3 of perf_event_attr, from Linux 6.3 on: the header at hand may be older than the kernel. */
#ifndef PMCGRP_EVENT_CONFIG3_H
#define PMCGRP_EVENT_CONFIG3_H

#include <stdint.h>
#include <string.h>

#include <linux/perf_event.h>

#ifndef PERF_ATTR_SIZE_VER8
#define PERF_ATTR_SIZE_VER8 136
#endif

#define CONFIG3_OFFSET 128

/* An attr with room for it. It is there if attr.size says so. */
union attr_wide {
	struct perf_event_attr attr;
	unsigned char bytes[PERF_ATTR_SIZE_VER8];
};

/* @attr: of attr->size bytes */
static inline uint64_t attr_config3(const struct perf_event_attr *attr)
{
	uint64_t value = 0;

	if (attr->size >= PERF_ATTR_SIZE_VER8)
		memcpy(&value, (const char *)attr + CONFIG3_OFFSET, sizeof(value));
	return value;
}

/* 0 needs no room: the attr stays as small as it is, for kernels that know no config3. */
static inline void attr_config3_set(union attr_wide *wide, uint64_t value)
{
	if (value && wide->attr.size < PERF_ATTR_SIZE_VER8)
		wide->attr.size = PERF_ATTR_SIZE_VER8;
	memcpy(wide->bytes + CONFIG3_OFFSET, &value, sizeof(value));
}

/* @attr: of attr->size bytes; what is beyond the room is left out */
static inline void attr_widen(union attr_wide *wide, const struct perf_event_attr *attr)
{
	size_t size = attr->size < sizeof(*wide) ? attr->size : sizeof(*wide);

	memset(wide, 0, sizeof(*wide));
	memcpy(wide->bytes, attr, size);
	wide->attr.size = (uint32_t)size;
}

#endif
