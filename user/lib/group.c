// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* A group's life, for both backends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

/* The event's own name where it was given none. */
char *member_name(const struct spec_member *m)
{
	char name[128];

	if (m->name)
		return strdup(m->name);
	pmcgrp_event_name(m->attr, name, sizeof(name));
	return strdup(name);
}

static void group_free(struct pmcgrp_group *group)
{
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		free(group->names[i]);
	for (i = 0; i < group->nr_triggers; i++)
		free(group->triggers[i].name);
	free(group);
}

/* What is kept of the spec. */
static struct pmcgrp_group *group_new(const struct pmcgrp *h, const struct pmcgrp_spec *spec)
{
	struct pmcgrp_group *group = calloc(1, sizeof(*group));
	unsigned int i;

	if (!group)
		return NULL;
	group->fd = -1;
	group->backend = h->backend;
	group->target_type = spec->target_type;
	group->flags = spec->flags;
	group->nr = spec->nr;
	group->read_user = pmcgrp_group_read;
	group->user_read_why = PMCGRP_WHY_USER_READ_UNSUPPORTED;
	group->read_format = spec->read_format;
	if (spec->target_type == PMCGRP_TARGET_CPU)
		pmcgrp_cpus_set(&group->cpus, spec->target_id);
	else
		group->cpus = spec->cpus;
	for (i = 0; i < spec->nr; i++) {
		group->names[i] = member_name(&spec->members[i]);
		if (!group->names[i]) {
			group_free(group);
			return NULL;
		}
	}
	return group;
}

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
	group = group_new(h, spec);
	if (!group)
		return failure_plain(&h->failure, ENOMEM, PMCGRP_WHY_NOMEM, "out of memory");
	if (h->backend == PMCGRP_BACKEND_DEVICE)
		ret = device_create(h, spec, group);
	else
		ret = perf_create(h, spec, group);
	if (ret < 0) {
		group_free(group);
		return ret;
	}
	if (h->backend == PMCGRP_BACKEND_DEVICE)
		user_read_map(group);
	*out = group;
	return 0;
}

static bool by_perf(const struct pmcgrp_group *group)
{
	return group->backend == PMCGRP_BACKEND_PERF;
}

void pmcgrp_group_close(struct pmcgrp_group *group)
{
	if (!group)
		return;
	user_read_unmap(group);
	if (by_perf(group))
		perf_close(group);
	else
		close(group->fd);
	group_free(group);
}

int pmcgrp_group_reader(struct pmcgrp *h, const struct pmcgrp_group *group)
{
	int fd;

	if (!h || !group)
		return -EINVAL;
	if (group->backend == PMCGRP_BACKEND_PERF)
		return failure_plain(&h->failure, EOPNOTSUPP, PMCGRP_WHY_NONE,
				     "perf_event_open has no descriptors for reading only: load the "
				     "module");
	fd = ioctl(group->fd, PMCGRP_IOC_READER, 0UL);
	if (fd < 0)
		return failure_plain(&h->failure, errno, PMCGRP_WHY_NONE,
				     errno == ENOTTY ?
					     "the loaded module has no descriptors for reading only: "
					     "use a module and a library of the same release" :
					     "cannot make a descriptor for reading only");
	return fd;
}

int pmcgrp_group_fd(const struct pmcgrp_group *group)
{
	return by_perf(group) ? group->parts[0].fds[0] : group->fd;
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

static int control(struct pmcgrp_group *group, unsigned long request, unsigned long flags)
{
	return ioctl(group->fd, request, PERF_IOC_FLAG_GROUP | flags) < 0 ? -errno : 0;
}

int pmcgrp_group_enable(struct pmcgrp_group *group)
{
	if (by_perf(group))
		return perf_control(group, PERF_EVENT_IOC_ENABLE);
	return control(group, PERF_EVENT_IOC_ENABLE, 0);
}

int pmcgrp_group_disable(struct pmcgrp_group *group)
{
	if (by_perf(group))
		return perf_control(group, PERF_EVENT_IOC_DISABLE);
	return control(group, PERF_EVENT_IOC_DISABLE, 0);
}

int pmcgrp_group_reset(struct pmcgrp_group *group)
{
	if (by_perf(group))
		return perf_reset(group, false);
	return control(group, PERF_EVENT_IOC_RESET, 0);
}

int pmcgrp_group_reset_times(struct pmcgrp_group *group)
{
	if (by_perf(group))
		return perf_reset(group, true);
	return control(group, PERF_EVENT_IOC_RESET, PMCGRP_IOC_FLAG_TIMES);
}

ssize_t pmcgrp_group_read(struct pmcgrp_group *group, void *buf, size_t len)
{
	return by_perf(group) ? perf_read(group, buf, len) : device_read(group, buf, len);
}

/* By a read of each: no record is in part. */
static ssize_t read_one_by_one(struct pmcgrp_group *const *groups, unsigned int nr, char *buf,
			       size_t len)
{
	size_t used = 0;
	int64_t size;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (len - used < sizeof(size))
			return -ENOSPC;
		size = pmcgrp_group_read(groups[i], buf + used + sizeof(size),
					 len - used - sizeof(size));
		if (size == -ENOSPC)
			return -ENOSPC;
		memcpy(buf + used, &size, sizeof(size));
		used += sizeof(size) + (size > 0 ? (size_t)size : 0);
	}
	return (ssize_t)used;
}

/* The number of bytes of records that there are. */
static ssize_t records_size(const char *buf, unsigned int nr)
{
	size_t used = 0;
	int64_t size;

	while (nr--) {
		memcpy(&size, buf + used, sizeof(size));
		used += sizeof(size) + (size > 0 ? (size_t)size : 0);
	}
	return (ssize_t)used;
}

ssize_t pmcgrp_groups_read(struct pmcgrp *h, struct pmcgrp_group *const *groups, unsigned int nr,
			   void *buf, size_t len)
{
	struct pmcgrp_read_many arg = {
		.size = sizeof(arg),
		.nr = nr,
		.buf = (uintptr_t)buf,
		.buf_size = len,
	};
	unsigned int i;
	int32_t *fds;
	int ret;

	if ((uintptr_t)buf % sizeof(int64_t))
		return -EINVAL;
	if (h->backend == PMCGRP_BACKEND_PERF)
		return read_one_by_one(groups, nr, buf, len);
	fds = malloc((nr ? nr : 1) * sizeof(*fds));
	if (!fds)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		fds[i] = groups[i]->fd;
	arg.fds = (uintptr_t)fds;
	ret = ioctl(h->dev, PMCGRP_IOC_READ_MANY, &arg) < 0 ? -errno : 0;
	free(fds);
	return ret ? ret : records_size(buf, nr);
}

ssize_t pmcgrp_group_read_cpus(struct pmcgrp_group *group, void *buf, size_t len)
{
	struct pmcgrp_read_cpus arg = {
		.size = sizeof(arg),
		.buf = (uintptr_t)buf,
		.buf_size = len,
	};
	ssize_t ret = 0;

	if (by_perf(group))
		return perf_read_cpus(group, buf, len);
	if (ioctl(group->fd, PMCGRP_IOC_READ_CPUS, &arg) < 0)
		ret = -errno;
	if (ret && (ret != -ENOSPC || len))
		return ret;
	return (ssize_t)arg.nr_cpus * arg.record_size;
}
