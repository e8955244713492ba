// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What to count, from an event's code and modifiers. */
#include <string.h>

#include "common/counter.h"
#include "event_name.h"

void counter_attr_set(struct perf_event_attr *attr, const struct event_code *code,
		      unsigned int modifiers)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = code->type;
	attr->config = code->config;
	attr->config1 = code->config1;
	attr->config2 = code->config2;
	attr->exclude_user = code->exclude_user;
	attr->exclude_kernel = code->exclude_kernel;
	attr->exclude_hv = code->exclude_hv;
	/* As perf: one of them given leaves out the others. */
	if (modifiers & (EVENT_USER | EVENT_KERNEL | EVENT_HV)) {
		attr->exclude_user |= !(modifiers & EVENT_USER);
		attr->exclude_kernel |= !(modifiers & EVENT_KERNEL);
		attr->exclude_hv |= !(modifiers & EVENT_HV);
	}
}
