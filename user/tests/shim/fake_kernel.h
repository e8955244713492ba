/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * A kernel for the system calls of user/lib/shim: descriptors are numbers of a table, each perf's, the
 * device's, or one of the module's.
 */
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

#include <fcntl.h>
#include <sys/syscall.h>

#include "shim/shim.h"

#define FAKE_FDS 64
#define FAKE_FIRST 3
#define FAKE_PROCESS 70
#define FAKE_THREAD 77
#define FAKE_IDS (1ULL << 40)

enum fake_kind {
	FAKE_FREE,
	FAKE_PERF,
	FAKE_DEVICE,
	FAKE_PMCGRP,
	FAKE_OTHER,
};

struct fake_fd {
	enum fake_kind kind;
	uint64_t id;
	uint64_t leader;	/* id, of the module's; descriptor, of perf's */
	bool cloexec;
	struct perf_event_attr attr;
	int pid, cpu;
};

static struct fake {
	struct fake_fd fd[FAKE_FDS];
	uint64_t next_id;
	int thread;
	bool no_device;
	bool is_old;		/* the module, without PMCGRP_ADD_AS_PERF */
	unsigned int nr_as_perf;	/* members by that */
	uint32_t refuse_create;	/* enum pmcgrp_why, of the next one */
	uint32_t refuse_add;
	int perf_error;		/* of the next event */
	bool counted;		/* what PMCGRP_IOC_INFO says */
	unsigned int nr_perf;	/* events of perf's that were made */
	char said[4096];	/* what was written */
} fake;

static inline long fake_new(enum fake_kind kind, int from)
{
	int fd;

	for (fd = from; fd < FAKE_FDS; fd++) {
		if (fake.fd[fd].kind)
			continue;
		fake.fd[fd] = (struct fake_fd){ .kind = kind };
		return fd;
	}
	return -EMFILE;
}

static inline bool fake_is(long fd, enum fake_kind kind)
{
	return fd >= 0 && fd < FAKE_FDS && fake.fd[fd].kind == kind;
}

static inline long fake_perf(const struct perf_event_attr *attr, int pid, int group,
			     unsigned long flags)
{
	long fd;

	if (!attr)
		return -EFAULT;
	if (attr->size && attr->size < PERF_ATTR_SIZE_VER0)
		return -E2BIG;
	if (flags & ~15UL)
		return -EINVAL;
	if (group != -1 && !fake_is(group, FAKE_PERF))
		return -EBADF;
	if (pid > 1000)
		return -ESRCH;
	if (fake.perf_error)
		return -fake.perf_error;
	fd = fake_new(FAKE_PERF, FAKE_FIRST);
	if (fd < 0)
		return fd;
	fake.nr_perf++;
	fake.fd[fd].id = 1 + fake.nr_perf;
	fake.fd[fd].leader = group;
	fake.fd[fd].cloexec = flags & PERF_FLAG_FD_CLOEXEC;
	memcpy(&fake.fd[fd].attr, attr, attr->size < sizeof(*attr) ? attr->size : sizeof(*attr));
	return fd;
}

static inline long fake_member(const struct perf_event_attr *attr, uint64_t leader, __u64 *id)
{
	long fd = fake_new(FAKE_PMCGRP, FAKE_FIRST);

	if (fd < 0)
		return fd;
	*id = FAKE_IDS + fake.next_id++;
	fake.fd[fd].id = *id;
	fake.fd[fd].leader = leader ? leader : *id;
	fake.fd[fd].cloexec = true;
	fake.fd[fd].attr = *attr;
	return fd;
}

static inline long fake_create(struct pmcgrp_create *create)
{
	struct pmcgrp_member *member = (void *)(uintptr_t)create->members;
	long fd;

	create->why = fake.refuse_create;
	if (create->why) {
		fake.refuse_create = 0;
		return create->why == PMCGRP_WHY_UNTIL_EXIT ? -EOPNOTSUPP : -EINVAL;
	}
	if (create->target_id > 1000) {
		create->why = PMCGRP_WHY_TASK_GONE;
		return -ESRCH;
	}
	fd = fake_member((void *)(uintptr_t)member->attr, 0, &member->id);
	if (fd < 0)
		return fd;
	fake.fd[fd].attr.disabled = create->flags & PMCGRP_CREATE_DISABLED ? 1 : 0;
	fake.fd[fd].attr.inherit = create->flags & PMCGRP_CREATE_INHERIT ? 1 : 0;
	fake.fd[fd].pid = create->target_type == PMCGRP_TARGET_TASK ? create->target_id : -1;
	fake.fd[fd].cpu = create->target_type == PMCGRP_TARGET_CPU ? create->target_id : -1;
	if (!fake.fd[fd].pid)
		fake.fd[fd].pid = fake.thread;
	return fd;
}

/* What the module takes of perf's arguments: a part of it. */
static inline bool fake_add_as_perf(const struct fake_fd *leader, const struct pmcgrp_add *add)
{
	const struct perf_event_attr *attr = (void *)(uintptr_t)add->attr;

	return !fake.is_old && attr && (add->pid ? add->pid : fake.thread) == leader->pid &&
	       add->cpu == leader->cpu && attr->type != PERF_TYPE_TRACEPOINT && !attr->sample_period &&
	       !attr->pinned && !attr->exclusive && attr->inherit == leader->attr.inherit;
}

static inline long fake_add(long fd, struct pmcgrp_add *add)
{
	bool as_perf = add->flags & PMCGRP_ADD_AS_PERF;

	if (as_perf && !fake_add_as_perf(&fake.fd[fd], add))
		return -EINVAL;
	add->why = fake.refuse_add;
	fake.refuse_add = as_perf ? fake.refuse_add : 0;
	if (add->why || fake.fd[fd].id != fake.fd[fd].leader)
		return -EINVAL;
	add->leader = fake.fd[fd].id;
	add->process = FAKE_PROCESS;
	add->thread = fake.thread;
	fake.nr_as_perf += as_perf;
	fd = fake_member((void *)(uintptr_t)add->attr, fake.fd[fd].id, &add->id);
	if (fd >= 0)
		fake.fd[fd].cloexec = !(add->flags & PMCGRP_ADD_NO_CLOEXEC);
	return fd;
}

static inline long fake_info(long fd, struct pmcgrp_info *info)
{
	struct pmcgrp_info_member *member = (void *)(uintptr_t)info->members;
	uint64_t leader = fake.fd[fd].leader;
	int i;

	if (info->member_size < sizeof(*member) || info->cpu_size < sizeof(struct pmcgrp_info_cpu))
		return -EINVAL;
	/* Who asks for members on CPUs has no room for them. */
	if (info->flags != PMCGRP_INFO_NO_CPUS || info->nr_members < PMCGRP_MEMBERS_MAX)
		return -ENOSPC;
	info->nr_members = 0;
	for (i = 0; i < FAKE_FDS; i++) {
		if (!fake_is(i, FAKE_PMCGRP) || fake.fd[i].leader != leader)
			continue;
		if (fake.fd[i].id == leader) {
			info->id = leader;
			info->target_type = fake.fd[i].pid == -1 ? PMCGRP_TARGET_CPU : 0;
			info->target_id = fake.fd[i].pid == -1 ? fake.fd[i].cpu : fake.fd[i].pid;
			info->enabled = !fake.fd[i].attr.disabled;
			info->create_flags = fake.fd[i].attr.inherit ? PMCGRP_CREATE_INHERIT : 0;
		}
		if (member) {
			member[info->nr_members].id = fake.fd[i].id;
			member[info->nr_members].count = 1;
		}
		info->nr_members++;
	}
	info->time_enabled = fake.counted ? 1000000 : 1000;
	return 0;
}

static inline long fake_ioctl(long fd, unsigned long request, void *arg)
{
	if (fd < 0 || fd >= FAKE_FDS || !fake.fd[fd].kind)
		return -EBADF;
	if (fake_is(fd, FAKE_DEVICE) && request == PMCGRP_IOC_CREATE)
		return fake_create(arg);
	if (request == PERF_EVENT_IOC_ID && (fake_is(fd, FAKE_PMCGRP) || fake_is(fd, FAKE_PERF))) {
		*(uint64_t *)arg = fake.fd[fd].id;
		return 0;
	}
	if (fake_is(fd, FAKE_PMCGRP) && request == PMCGRP_IOC_ADD)
		return fake_add(fd, arg);
	return fake_is(fd, FAKE_PMCGRP) && request == PMCGRP_IOC_INFO ? fake_info(fd, arg) : -ENOTTY;
}

static inline long fake_dup(long fd, long to, bool cloexec)
{
	fake.fd[to] = fake.fd[fd];
	fake.fd[to].cloexec = cloexec;
	return to;
}

static inline long fake_fcntl(long fd, long command, long arg)
{
	long to;

	if (command == F_GETFD)
		return fake.fd[fd].cloexec ? FD_CLOEXEC : 0;
	if (command == F_SETFD) {
		fake.fd[fd].cloexec = arg & FD_CLOEXEC;
		return 0;
	}
	to = fake_new(FAKE_OTHER, FAKE_FIRST);
	return to < 0 ? to : fake_dup(fd, to, command == F_DUPFD_CLOEXEC);
}

static inline long fake_openat(const char *path)
{
	if (!strcmp(path, "/dev/pmcgrp"))
		return fake.no_device ? -EACCES : fake_new(FAKE_DEVICE, FAKE_FIRST);
	return fake_new(FAKE_OTHER, FAKE_FIRST);
}

static inline long fake_call(long nr, long a, long b, long c, long d, long e, long f)
{
	size_t room = sizeof(fake.said) - strlen(fake.said) - 1;

	(void)f;
	switch (nr) {
	case SYS_perf_event_open:
		return fake_perf((void *)a, (int)b, (int)d, (unsigned long)e);
	case SYS_openat:
		return fake_openat((const char *)b);
	case SYS_ioctl:
		return fake_ioctl(a, (unsigned long)b, (void *)c);
	case SYS_close:
		fake.fd[a].kind = FAKE_FREE;
		return 0;
	case SYS_dup3:
		return fake_dup(a, b, c & O_CLOEXEC);
	case SYS_fcntl:
		return fake_fcntl(a, b, c);
	case SYS_write:
		strncat(fake.said, (const char *)b, (size_t)c < room ? (size_t)c : room);
		return c;
	case SYS_getpid:
		return FAKE_PROCESS;
	case SYS_gettid:
		return fake.thread;
	default:
		return -ENOSYS;
	}
}

static inline void fake_begin(void)
{
	uint64_t next_id = fake.next_id;

	fake = (struct fake){ .next_id = next_id, .thread = FAKE_THREAD };
	shim_call = fake_call;
}

/* Descriptors of a kind. */
static inline unsigned int fake_count(enum fake_kind kind)
{
	unsigned int nr = 0;
	int fd;

	for (fd = 0; fd < FAKE_FDS; fd++)
		nr += fake.fd[fd].kind == kind;
	return nr;
}

#endif
