// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Groups of the module: how they are made and read. */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

int device_create(struct pmcgrp *h, const struct pmcgrp_spec *spec, struct pmcgrp_group *group)
{
	struct pmcgrp_member members[PMCGRP_MEMBERS_MAX] = { 0 };
	struct pmcgrp_create create = {
		.size = sizeof(create),
		.target_type = spec->target_type,
		.target_id = spec->target_id,
		.nr_members = spec->nr,
		.flags = spec->flags,
		.read_format = spec->read_format,
		.members = (uintptr_t)members,
		.member_size = sizeof(members[0]),
	};
	unsigned int i;
	int fd;

	if (spec->target_type == PMCGRP_TARGET_CPUS) {
		create.cpus = (uintptr_t)spec->cpus.bits;
		create.cpus_size = sizeof(spec->cpus.bits);
	}
	for (i = 0; i < spec->nr; i++)
		members[i].attr = (uintptr_t)spec->members[i].attr;
	fd = ioctl(h->dev, PMCGRP_IOC_CREATE, &create);
	if (fd < 0)
		return failure_create(&h->failure, spec, &create, errno);
	group->fd = fd;
	for (i = 0; i < spec->nr; i++)
		group->ids[i] = members[i].id;
	return 0;
}

ssize_t device_read(struct pmcgrp_group *group, void *buf, size_t len)
{
	ssize_t ret = read(group->fd, buf, len);

	return ret < 0 ? -errno : ret;
}
