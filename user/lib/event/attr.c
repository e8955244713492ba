// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* perf_event_attr: the modes of a CPU that are counted, and fields that this header may lack. */
#include <stdlib.h>

#include "attr.h"
#include "config3.h"

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
	union attr_wide *wide = calloc(1, sizeof(*wide));
	struct perf_event_attr *attr;

	if (!wide)
		return NULL;
	attr = &wide->attr;
	attr->size = sizeof(*attr);
	attr->type = code->type;
	attr->config = code->config[PMU_CONFIG];
	attr->config1 = code->config[PMU_CONFIG1];
	attr->config2 = code->config[PMU_CONFIG2];
	attr_config3_set(wide, code->config[PMU_CONFIG3]);
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
