/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Groups as the module would tell of them, written by hand. */
#ifndef FAKE_INFO_H
#define FAKE_INFO_H

#include "pmcgrp.h"

/* One block, as the library makes it, with the head's other fields as they are given. */
static inline struct pmcgrp_info *fake_info(const struct pmcgrp_info *head,
					    const struct pmcgrp_info_member *members,
					    uint32_t nr_members,
					    const struct pmcgrp_info_cpu *cpus, uint32_t nr_cpus)
{
	size_t size = nr_members * sizeof(*members) + nr_cpus * sizeof(*cpus);
	struct pmcgrp_info *info = calloc(1, sizeof(*info) + size);
	struct pmcgrp_info_member *to = (struct pmcgrp_info_member *)(info + 1);

	assert_non_null(info);
	*info = *head;
	info->size = sizeof(*info);
	info->members = (uintptr_t)to;
	info->cpus = (uintptr_t)(to + nr_members);
	info->nr_members = nr_members;
	info->nr_cpus = nr_cpus;
	info->member_size = sizeof(*members);
	info->cpu_size = sizeof(*cpus);
	memcpy(to, members, nr_members * sizeof(*members));
	if (nr_cpus)
		memcpy(to + nr_members, cpus, nr_cpus * sizeof(*cpus));
	return info;
}

#endif
