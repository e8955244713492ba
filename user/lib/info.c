// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * What groups are and do. Head, members and members on CPUs lie in one block, which the
 * head begins: it is the owner of the others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "internal.h"

/* Enough for most groups at the first try. */
#define MEMBERS_GUESS 8
#define CPUS_GUESS 64
#define HOLDERS_GUESS 16

static struct pmcgrp_info *info_new(uint32_t nr_members, uint32_t nr_cpus)
{
	size_t members = nr_members * sizeof(struct pmcgrp_info_member);
	size_t cpus = nr_cpus * sizeof(struct pmcgrp_info_cpu);
	struct pmcgrp_info *info = calloc(1, sizeof(*info) + members + cpus);

	if (!info)
		return NULL;
	info->size = sizeof(*info);
	info->members = (uintptr_t)(info + 1);
	info->cpus = info->members + members;
	info->nr_members = nr_members;
	info->nr_cpus = nr_cpus;
	info->member_size = sizeof(struct pmcgrp_info_member);
	info->cpu_size = sizeof(struct pmcgrp_info_cpu);
	return info;
}

/*
 * A group may have come to more CPUs, or another group be the next, since the kernel
 * has said how many there are.
 */
static int info_fetch(int fd, unsigned long request, uint64_t id, struct pmcgrp_info **out)
{
	uint32_t members = MEMBERS_GUESS, cpus = CPUS_GUESS;
	struct pmcgrp_info *info;
	int ret;

	for (;;) {
		info = info_new(members, cpus);
		if (!info)
			return -ENOMEM;
		info->id = id;
		ret = ioctl(fd, request, info) < 0 ? -errno : 0;
		/* More than there is room for makes no sense without ENOSPC, and less with it. */
		if (info->nr_members <= members && info->nr_cpus <= cpus) {
			if (ret == -ENOSPC)
				ret = -EPROTO;
		} else if (!ret) {
			ret = -EPROTO;
		}
		if (ret != -ENOSPC)
			break;
		if (info->nr_members > members)
			members = info->nr_members;
		if (info->nr_cpus > cpus)
			cpus = info->nr_cpus;
		free(info);
	}
	if (ret)
		free(info);
	else
		*out = info;
	return ret;
}

int pmcgrp_info_fd(int fd, struct pmcgrp_info **out)
{
	if (!out)
		return -EINVAL;
	*out = NULL;
	return info_fetch(fd, PMCGRP_IOC_INFO, 0, out);
}

int pmcgrp_group_info(const struct pmcgrp_group *group, struct pmcgrp_info **out)
{
	if (!group || !out)
		return -EINVAL;
	*out = NULL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return -EOPNOTSUPP;
	return pmcgrp_info_fd(group->fd, out);
}

int pmcgrp_info_next(struct pmcgrp *h, uint64_t id, struct pmcgrp_info **out)
{
	int ret;

	if (!h)
		return -EINVAL;
	if (!out)
		return failure_plain(&h->failure, EINVAL, PMCGRP_WHY_NONE,
				     "pmcgrp_info_next() was given no place for the info");
	*out = NULL;
	if (h->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "perf_event_open cannot list what others count");
	ret = info_fetch(h->dev, PMCGRP_IOC_INFO_NEXT, id, out);
	return ret && ret != -ENOENT ? failure_next(&h->failure, -ret) : ret;
}

void pmcgrp_info_free(struct pmcgrp_info *info)
{
	free(info);
}

/* A counter more may be perf's since the kernel has said how many there are. */
int pmcgrp_holders(struct pmcgrp *h, const struct perf_event_attr *attr, int cpu,
		   struct pmcgrp_holder **out)
{
	struct pmcgrp_holders ask = {
		.size = sizeof(ask), .attr = (uintptr_t)attr, .cpu = cpu,
		.nr_holders = HOLDERS_GUESS, .holder_size = sizeof(struct pmcgrp_holder),
	};
	struct pmcgrp_holder *holders = NULL, *more;
	uint32_t room;
	int ret;

	if (!h || !attr || !out)
		return -EINVAL;
	*out = NULL;
	if (h->backend == PMCGRP_BACKEND_PERF)
		return -EOPNOTSUPP;
	do {
		room = ask.nr_holders;
		more = reallocarray(holders, room, sizeof(*holders));
		if (!more) {
			free(holders);
			return -ENOMEM;
		}
		holders = more;
		ask.holders = (uintptr_t)holders;
		ret = ioctl(h->dev, PMCGRP_IOC_HOLDERS, &ask) < 0 ? -errno : 0;
	} while (ret == -ENOSPC && ask.nr_holders > room);
	if (!ret && ask.nr_holders > room)
		ret = -EPROTO;
	if (ret) {
		free(holders);
		return ret;
	}
	*out = holders;
	return (int)ask.nr_holders;
}

/*
 * Of the first form with config2, which every kernel and header since Linux 2.6.39 has.
 * The bits stand behind read_format and have no name of their own.
 */
void pmcgrp_info_attr(const struct pmcgrp_info_member *member, struct perf_event_attr *attr)
{
	size_t bits = offsetof(struct perf_event_attr, read_format) + sizeof(attr->read_format);

	memset(attr, 0, PERF_ATTR_SIZE_VER1);
	attr->size = PERF_ATTR_SIZE_VER1;
	attr->type = member->type;
	attr->config = member->config;
	attr->config1 = member->config1;
	attr->config2 = member->config2;
	memcpy((char *)attr + bits, &member->bits, sizeof(member->bits));
}
