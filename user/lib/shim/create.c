// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* A group of the module with a leader, and members of it, each with a descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "shim.h"

#define DEVICE "/dev/pmcgrp"

static long close_fd(long fd)
{
	return SHIM_CALL(SYS_close, fd, 0, 0, 0, 0);
}

/* What attr asks for is a property of the group. */
static uint64_t create_flags(const struct perf_event_attr *attr, const struct shim_request *r)
{
	uint64_t flags = PMCGRP_CREATE_LEADER | PMCGRP_CREATE_AS_PERF;

	if (attr->disabled)
		flags |= PMCGRP_CREATE_DISABLED;
	if (attr->pinned)
		flags |= PMCGRP_CREATE_PINNED;
	/* To an event of a CPU perf's own has these bits, too, and they mean nothing. */
	if (r->pid == -1)
		return flags;
	if (attr->inherit)
		flags |= PMCGRP_CREATE_INHERIT;
	if (attr->disabled && attr->enable_on_exec)
		flags |= PMCGRP_CREATE_ENABLE_ON_EXEC;
	return flags | PMCGRP_CREATE_UNTIL_EXIT;
}

static long create_on(long dev, struct pmcgrp_create *create)
{
	long fd = SHIM_CALL(SYS_ioctl, dev, PMCGRP_IOC_CREATE, create, 0, 0);

	/* A kernel where nothing says when perf's own events end. */
	if (fd >= 0 || create->why != PMCGRP_WHY_UNTIL_EXIT)
		return fd;
	create->flags &= ~PMCGRP_CREATE_UNTIL_EXIT;
	return SHIM_CALL(SYS_ioctl, dev, PMCGRP_IOC_CREATE, create, 0, 0);
}

static void remember_member(const struct shim_request *r, const union shim_attr *asked,
			    const struct pmcgrp_add *add, int fd)
{
	const struct shim_known known = {
		.id = add->id,
		.leader = add->leader,
		.fd = fd,
		.thread = add->thread,
		.process = add->process,
		.pid = r->pid ? r->pid : add->thread,
		.cpu = r->cpu,
		.flags = r->flags,
		.attr = *asked,
	};

	shim_known_add(&known);
}

static void remember_leader(const struct shim_request *r, const union shim_attr *asked, uint64_t id,
			    int fd)
{
	const struct pmcgrp_add like = {
		.id = id,
		.leader = id,
		.thread = (pid_t)SHIM_CALL(SYS_gettid, 0, 0, 0, 0, 0),
		.process = (pid_t)SHIM_CALL(SYS_getpid, 0, 0, 0, 0, 0),
	};

	remember_member(r, asked, &like, fd);
}

long shim_create(const struct shim_request *r, const union shim_attr *asked, uint32_t *why,
		 bool *no_device)
{
	union shim_attr attr = *asked;
	struct pmcgrp_member member = { .attr = (uintptr_t)&attr };
	struct pmcgrp_create create = {
		.size = sizeof(create),
		.target_type = r->pid == -1 ? PMCGRP_TARGET_CPU : PMCGRP_TARGET_TASK,
		.target_id = r->pid == -1 ? r->cpu : r->pid,
		.nr_members = 1,
		.flags = create_flags(&asked->attr, r),
		.read_format = asked->attr.read_format,
		.members = (uintptr_t)&member,
		.member_size = sizeof(member),
	};
	long dev, fd;

	shim_attr_reduce(&attr);
	dev = SHIM_CALL(SYS_openat, AT_FDCWD, DEVICE, O_RDWR | O_CLOEXEC, 0, 0);
	*no_device = dev < 0;
	if (dev < 0)
		return dev;
	fd = create_on(dev, &create);
	*why = create.why;
	if (fd < 0) {
		close_fd(dev);
		return fd;
	}
	/* The lowest number, as perf_event_open(2) gives, which the device has had. */
	SHIM_CALL(SYS_dup3, fd, dev, r->flags & PERF_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0, 0, 0);
	close_fd(fd);
	remember_leader(r, asked, member.id, (int)dev);
	return dev;
}

long shim_add(const struct shim_request *r, const union shim_attr *asked, uint32_t *why)
{
	union shim_attr attr = *asked;
	struct pmcgrp_add add = {
		.size = sizeof(add),
		.flags = (asked->attr.disabled ? PMCGRP_ADD_DISABLED : 0) |
			 (r->flags & PERF_FLAG_FD_CLOEXEC ? 0 : PMCGRP_ADD_NO_CLOEXEC),
		.attr = (uintptr_t)&attr,
		.read_format = asked->attr.read_format,
	};
	long fd;

	shim_attr_reduce(&attr);
	fd = SHIM_CALL(SYS_ioctl, r->group_fd, PMCGRP_IOC_ADD, &add, 0, 0);
	*why = add.why;
	if (fd >= 0)
		remember_member(r, asked, &add, (int)fd);
	return fd;
}

long shim_add_as_perf(const struct shim_request *r, union shim_attr *asked)
{
	struct pmcgrp_add add = {
		.size = sizeof(add),
		.flags = PMCGRP_ADD_AS_PERF |
			 (r->flags & PERF_FLAG_FD_CLOEXEC ? 0 : PMCGRP_ADD_NO_CLOEXEC),
		.attr = (uintptr_t)r->attr,
		.pid = r->pid,
		.cpu = r->cpu,
	};
	long fd = SHIM_CALL(SYS_ioctl, r->group_fd, PMCGRP_IOC_ADD, &add, 0, 0);

	if (fd < 0)
		return fd;
	/* The module has read it by now. */
	shim_attr_take(asked, r->attr);
	remember_member(r, asked, &add, (int)fd);
	return fd;
}
