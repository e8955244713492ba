// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* Members added to a group that the module has made with a leader. */
#include <errno.h>
#include <sys/ioctl.h>

#include "internal.h"

/* What the module has flags and fields of its own for. */
static void take_out(struct perf_event_attr *attr, struct pmcgrp_add *add)
{
	add->attr = (uintptr_t)attr;
	add->flags = attr->disabled ? PMCGRP_ADD_DISABLED : 0;
	add->read_format = attr->read_format;
	attr->disabled = 0;
	attr->read_format = 0;
}

int pmcgrp_group_add_sized(struct pmcgrp *h, struct pmcgrp_group *group,
			   const struct perf_event_attr *attr, size_t attr_size, const char *name)
{
	struct pmcgrp_add add = { .size = sizeof(add) };
	struct pmcgrp_spec *spec;
	int fd;

	if (!h || !group)
		return -EINVAL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "a group of perf_event_open takes no members later: open them "
				     "yourself, with a group_fd");
	fd = pmcgrp_spec_new(&spec);
	if (fd < 0)
		return failure_plain(&h->failure, ENOMEM, PMCGRP_WHY_NOMEM, "out of memory");
	fd = pmcgrp_spec_add_sized(spec, attr, attr_size, name);
	if (fd < 0) {
		failure_plain(&h->failure, -fd, PMCGRP_WHY_ATTR_SIZE,
			      "there is no attr, or its size makes no sense");
	} else {
		take_out(spec->members[0].attr, &add);
		fd = ioctl(group->fd, PMCGRP_IOC_ADD, &add);
		if (fd < 0)
			fd = failure_add(&h->failure, spec, &add, errno);
	}
	pmcgrp_spec_free(spec);
	return fd;
}
