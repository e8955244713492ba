// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Groups made of perf events, for machines without the module. The first member
 * leads; the group's flags and read_format become its attr's, and the others
 * simply follow it onto the PMU. What the module would refuse in flags and
 * targets is refused here too, so that programs behave alike on both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

#define FLAGS_KNOWN (PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC | PMCGRP_CREATE_PINNED)

static int spec_check(struct failure *f, const struct pmcgrp_spec *spec)
{
	struct pmcgrp_create create = { .fail_member = PMCGRP_NO_MEMBER, .fail_cpu = -1 };

	if (spec->flags & ~FLAGS_KNOWN)
		create.why = PMCGRP_WHY_FLAGS;
	else if ((spec->flags & PMCGRP_CREATE_ENABLE_ON_EXEC) &&
		 spec->target_type != PMCGRP_TARGET_TASK)
		create.why = PMCGRP_WHY_FLAGS;
	else if (!pmcgrp_read_size(spec->read_format, 1))
		create.why = PMCGRP_WHY_READ_FORMAT;
	else if (!spec->nr)
		create.why = PMCGRP_WHY_NR_MEMBERS;
	return create.why ? failure_create(f, spec, &create, EINVAL) : 0;
}

static int event_open(const struct pmcgrp_spec *spec, unsigned int i, int leader)
{
	const struct spec_member *m = &spec->members[i];
	bool task = spec->target_type == PMCGRP_TARGET_TASK;
	struct perf_event_attr *attr;
	int fd, err;

	attr = malloc(m->attr->size < sizeof(*attr) ? sizeof(*attr) : m->attr->size);
	if (!attr)
		return -ENOMEM;
	memcpy(attr, m->attr, m->attr->size);
	attr->read_format = spec->read_format;
	attr->disabled = !i && (spec->flags & PMCGRP_CREATE_DISABLED);
	attr->enable_on_exec = !i && (spec->flags & PMCGRP_CREATE_ENABLE_ON_EXEC);
	attr->pinned = !i && (spec->flags & PMCGRP_CREATE_PINNED);
	fd = syscall(SYS_perf_event_open, attr, task ? spec->target_id : -1,
		     task ? -1 : spec->target_id, leader, PERF_FLAG_FD_CLOEXEC);
	err = errno;
	free(attr);
	return fd < 0 ? -err : fd;
}

int perf_create(struct pmcgrp *h, const struct pmcgrp_spec *spec, struct pmcgrp_group *group)
{
	unsigned int i;
	int fd, ret;

	ret = spec_check(&h->failure, spec);
	if (ret < 0)
		return ret;
	for (i = 0; i < spec->nr; i++) {
		fd = event_open(spec, i, i ? group->fds[0] : -1);
		if (fd < 0) {
			ret = fd;
			goto err_close;
		}
		group->fds[group->nr_fds++] = fd;
		if (ioctl(fd, PERF_EVENT_IOC_ID, &group->ids[i]) < 0) {
			ret = -errno;
			goto err_close;
		}
	}
	return 0;

err_close:
	ret = failure_perf(&h->failure, spec, i, -ret);
	while (group->nr_fds)
		close(group->fds[--group->nr_fds]);
	return ret;
}
