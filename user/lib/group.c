// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* A group's life, for both backends. */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

int pmcgrp_group_create(struct pmcgrp *h, const struct pmcgrp_spec *spec,
			struct pmcgrp_group **out)
{
	struct pmcgrp_group *group;
	int ret;

	if (!h)
		return -EINVAL;
	if (!out)
		return failure_plain(&h->failure, EINVAL, PMCGRP_WHY_NONE,
				     "pmcgrp_group_create() was given no place for the group");
	*out = NULL;
	if (!spec)
		return failure_plain(&h->failure, EINVAL, PMCGRP_WHY_NONE,
				     "pmcgrp_group_create() was given no spec");
	group = calloc(1, sizeof(*group));
	if (!group)
		return failure_plain(&h->failure, ENOMEM, PMCGRP_WHY_NOMEM, "out of memory");
	group->nr = spec->nr;
	group->read_format = spec->read_format;
	if (h->backend == PMCGRP_BACKEND_DEVICE)
		ret = device_create(h, spec, group);
	else
		ret = perf_create(h, spec, group);
	if (ret < 0) {
		free(group);
		return ret;
	}
	*out = group;
	return 0;
}

/* The leader last: a sibling that outlives its leader becomes an event of its own. */
void pmcgrp_group_close(struct pmcgrp_group *group)
{
	unsigned int i;

	if (!group)
		return;
	for (i = group->nr_fds; i-- > 0;)
		close(group->fds[i]);
	free(group);
}

int pmcgrp_group_fd(const struct pmcgrp_group *group)
{
	return group->fds[0];
}

unsigned int pmcgrp_group_nr(const struct pmcgrp_group *group)
{
	return group->nr;
}

uint64_t pmcgrp_group_id(const struct pmcgrp_group *group, unsigned int i)
{
	return i < group->nr ? group->ids[i] : 0;
}

uint64_t pmcgrp_group_read_format(const struct pmcgrp_group *group)
{
	return group->read_format;
}

static int steer(struct pmcgrp_group *group, unsigned long request)
{
	return ioctl(group->fds[0], request, PERF_IOC_FLAG_GROUP) < 0 ? -errno : 0;
}

int pmcgrp_group_enable(struct pmcgrp_group *group)
{
	return steer(group, PERF_EVENT_IOC_ENABLE);
}

int pmcgrp_group_disable(struct pmcgrp_group *group)
{
	return steer(group, PERF_EVENT_IOC_DISABLE);
}

int pmcgrp_group_reset(struct pmcgrp_group *group)
{
	return steer(group, PERF_EVENT_IOC_RESET);
}

ssize_t pmcgrp_group_read(struct pmcgrp_group *group, void *buf, size_t len)
{
	ssize_t ret = read(group->fds[0], buf, len);

	return ret < 0 ? -errno : ret;
}
