// SPDX-License-Identifier: LGPL-2.1-only OR MIT
#include "event/config3.h"
#include "stat_name.h"

size_t stat_event_name(const struct pmcgrp_section_stat *stat, char *buf, size_t size)
{
	const struct pmcgrp_info_member member = {
		.type = stat->type,
		.config = stat->config,
		.config1 = stat->config1,
		.config2 = stat->config2,
		.bits = stat->bits,
	};
	union attr_wide wide = { 0 };

	pmcgrp_info_attr(&member, &wide.attr);
	attr_config3_set(&wide, stat->config3);
	return pmcgrp_event_name(&wide.attr, buf, size);
}
