// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* perf_event_attr: the modes of a CPU that are counted, and fields that this header may lack. */
#include <stdlib.h>
#include <string.h>

#include "attr.h"

/* The attr of Linux 6.3 has config3 at its end. */
#define ATTR_SIZE_VER8	136
#define CONFIG3_OFFSET	128

static void modes_set(struct perf_event_attr *attr, unsigned int bits)
{
	/* As perf: one of them given leaves out the others. */
	if (bits & EVENT_MODES) {
		attr->exclude_user |= !(bits & EVENT_USER);
		attr->exclude_kernel |= !(bits & EVENT_KERNEL);
		attr->exclude_hv |= !(bits & EVENT_HV);
	}
	if (bits & EVENT_SIDES) {
		attr->exclude_guest = !(bits & EVENT_GUEST);
		attr->exclude_host = !(bits & EVENT_HOST);
	}
	attr->exclude_idle = !!(bits & EVENT_NO_IDLE);
}

struct perf_event_attr *event_attr_new(const struct event_code *code,
				       const struct event_modifiers *modifiers, unsigned int flags)
{
	size_t size = sizeof(struct perf_event_attr);
	struct perf_event_attr *attr;

	attr = calloc(1, size < ATTR_SIZE_VER8 ? ATTR_SIZE_VER8 : size);
	if (!attr)
		return NULL;
	attr->size = sizeof(*attr);
	attr->type = code->type;
	attr->config = code->config[PMU_CONFIG];
	attr->config1 = code->config[PMU_CONFIG1];
	attr->config2 = code->config[PMU_CONFIG2];
	if (code->config[PMU_CONFIG3]) {
		if (attr->size < ATTR_SIZE_VER8)
			attr->size = ATTR_SIZE_VER8;
		memcpy((char *)attr + CONFIG3_OFFSET, &code->config[PMU_CONFIG3],
		       sizeof(code->config[PMU_CONFIG3]));
	}
	attr->exclude_user = code->exclude_user;
	attr->exclude_kernel = code->exclude_kernel;
	attr->exclude_hv = code->exclude_hv;
	modes_set(attr, modifiers->bits);
	if (flags & PMCGRP_EVENTS_ANY) {
		attr->pinned = !!(modifiers->bits & EVENT_PINNED);
		attr->exclusive = !!(modifiers->bits & EVENT_EXCLUSIVE);
	}
	/* Precise samples are of the host alone (perf does so, too). */
	attr->precise_ip = modifiers->bits & EVENT_PRECISE ? 3 : modifiers->precise & 3;
	if (attr->precise_ip && !(modifiers->bits & EVENT_SIDES))
		attr->exclude_guest = 1;
	return attr;
}
