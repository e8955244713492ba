// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Whether a descriptor is of a group of the module, and whom that counts: the descriptor is asked. */
#include <errno.h>
#include <sys/syscall.h>

#include "shim.h"

/* What this process knows already costs one call. */
static bool ask_memory(struct shim_group *group)
{
	struct shim_known known;

	if (!shim_known_find(&known, group->id))
		return false;
	group->leads = known.leader == known.id;
	group->process = known.process;
	group->thread = known.thread;
	group->pid = known.pid;
	group->cpu = known.cpu;
	group->inherit = known.attr.attr.inherit;
	return true;
}

bool shim_group_info(int fd, struct pmcgrp_info *info, struct pmcgrp_info_member *members)
{
	*info = (struct pmcgrp_info){
		.size = sizeof(*info),
		.flags = PMCGRP_INFO_NO_CPUS,
		.members = (uintptr_t)members,
		.nr_members = PMCGRP_MEMBERS_MAX,
		.member_size = sizeof(*members),
		.cpu_size = sizeof(struct pmcgrp_info_cpu),
	};
	return SHIM_CALL(SYS_ioctl, fd, PMCGRP_IOC_INFO, info, 0, 0) >= 0;
}

/* Descriptors that came by execve(), or from another process. */
static bool ask_module(struct shim_group *group, int fd)
{
	struct pmcgrp_info_member members[PMCGRP_MEMBERS_MAX];
	struct pmcgrp_info info;

	if (!shim_group_info(fd, &info, members))
		return false;
	group->leads = info.id == group->id;
	group->process = info.owner;
	group->thread = 0;
	group->pid = info.target_type == PMCGRP_TARGET_TASK ? info.target_id : -1;
	group->cpu = info.target_type == PMCGRP_TARGET_CPU ? info.target_id : -1;
	group->inherit = info.create_flags & PMCGRP_CREATE_INHERIT;
	return true;
}

bool shim_group_ask(struct shim_group *group, int fd)
{
	if (SHIM_CALL(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &group->id, 0, 0) < 0)
		return false;
	return ask_memory(group) || ask_module(group, fd);
}
