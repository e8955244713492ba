// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "modes.h"

void modes_set(struct counter_set *set, bool all_user, bool all_kernel)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		struct perf_event_attr *attr = set->counters[i].attr;

		if (all_user) {
			attr->exclude_user = 0;
			attr->exclude_kernel = 1;
			attr->exclude_hv = 1;
		} else if (all_kernel) {
			attr->exclude_user = 1;
			attr->exclude_kernel = 0;
		}
	}
}
