// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * A stand-in for the module, to be preloaded: /dev/pmcgrp whose groups are perf's, of one
 * thread, with one trigger, a clock. The clock leads the group from its beginning, with a
 * period that does not pass, and gets its own as PMCGRP_IOC_TRIGGER has it; so what is read
 * has its count before the members'. All else is perf's own work. With FAKE_BACKWARD in the
 * environment its ring is written backward, as PMCGRP_RING_BACKWARD would have it later; with
 * FAKE_RING stderr has when it wakes its reader; with FAKE_KERNEL members count the kernel as
 * they say, not user mode alone; FAKE_ABI is its version of the ABI.
 *
 * There are FAKE_SECTIONS sections of a kernel module, of which each look shows more; they are gone
 * after FAKE_SECTIONS_END looks. Their group is told of with FAKE_OWNER, its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmcgrp.h"
#include "fake_cpus.h"
#include "fake_sections.h"
#include "perfdata/sink.h"

#define LONG_NS 1000000000000

static int target;
static bool on_exec;

int open(const char *path, int flags, ...)
{
	char buf[512];
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (!strcmp(path, "/dev/pmcgrp"))
		path = "/dev/null";
	return (int)syscall(SYS_openat, AT_FDCWD, fake_path(path, buf, sizeof(buf)), flags, mode);
}

static int perf_ioctl(int fd, unsigned long request, void *arg)
{
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

static int event_open(struct perf_event_attr *attr, int leader)
{
	attr->size = sizeof(*attr);
	attr->sample_type = RECORD_SAMPLE_TYPE | PERF_SAMPLE_IP;
	attr->read_format = RECORD_READ_FORMAT;
	attr->sample_id_all = 1;
	attr->exclude_kernel |= !getenv("FAKE_KERNEL");
	attr->write_backward = !!getenv("FAKE_BACKWARD");
	attr->disabled = leader < 0;
	attr->enable_on_exec = leader < 0 && on_exec;
	return (int)syscall(SYS_perf_event_open, attr, target, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* The members' descriptors stay open until the end. */
static int create(struct pmcgrp_create *create)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .sample_period = LONG_NS,
					.config = PERF_COUNT_SW_TASK_CLOCK };
	struct pmcgrp_member *members = (void *)(uintptr_t)create->members;
	unsigned int i;
	int leader, fd;

	if (getenv("FAKE_SYS"))
		return fake_create(create);
	if (create->target_type != PMCGRP_TARGET_TASK) {
		create->why = PMCGRP_WHY_TARGET;
		create->fail_member = PMCGRP_NO_MEMBER;
		errno = EINVAL;
		return -1;
	}
	target = create->target_id;
	on_exec = create->flags & PMCGRP_CREATE_ENABLE_ON_EXEC;
	leader = event_open(&attr, -1);
	for (i = 0; i < create->nr_members && leader >= 0; i++) {
		memcpy(&attr, (void *)(uintptr_t)members[i].attr, sizeof(attr));
		fd = event_open(&attr, leader);
		if (fd < 0 || perf_ioctl(fd, PERF_EVENT_IOC_ID, &members[i].id) < 0) {
			create->why = errno == ENOENT ? PMCGRP_WHY_EVENT_UNKNOWN :
							PMCGRP_WHY_PERMISSION;
			create->fail_member = i;
			return -1;
		}
	}
	return leader;
}

static int trigger(int group, struct pmcgrp_trigger_add *add)
{
	struct perf_event_attr attr;
	__u64 period;

	memcpy(&attr, (void *)(uintptr_t)add->attr, sizeof(attr));
	period = attr.sample_period;
	add->index = 1;
	if (perf_ioctl(group, PERF_EVENT_IOC_ID, &add->id) < 0)
		return -1;
	return perf_ioctl(group, PERF_EVENT_IOC_PERIOD, &period);
}

static int ring(struct pmcgrp_ring_setup *setup)
{
	if (getenv("FAKE_RING"))
		dprintf(2, "ring: wakeup %u %s\n", setup->wakeup,
			setup->flags & PMCGRP_RING_WATERMARK ? "bytes" : "samples");
	if (setup->sample_type == (RECORD_SAMPLE_TYPE | PERF_SAMPLE_IP))
		return 0;
	setup->why = PMCGRP_WHY_SAMPLE_TYPE;
	errno = EINVAL;
	return -1;
}

static unsigned int number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? (unsigned int)strtoul(text, NULL, 10) : 0;
}

static int section_next(struct pmcgrp_section_info *info)
{
	static unsigned int looks;
	unsigned int nr = number_of("FAKE_SECTIONS"), end = number_of("FAKE_SECTIONS_END");

	if (!info->id)
		looks++;
	if (end && looks > end)
		nr = 0;
	return fake_section_next(info, nr, looks - 1);
}

int ioctl(int fd, unsigned long request, ...)
{
	struct pmcgrp_query *query;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (fake_group_of(fd))
		return fake_ioctl(fake_group_of(fd), request, arg);
	switch (request) {
	case PMCGRP_IOC_QUERY:
		query = arg;
		query->abi_version = getenv("FAKE_ABI") ? (__u32)atoi(getenv("FAKE_ABI")) :
							  PMCGRP_ABI_VERSION;
		strcpy(query->release, "fake");
		return 0;
	case PMCGRP_IOC_CREATE:
		return create(arg);
	case PMCGRP_IOC_SECTION_NEXT:
		return section_next(arg);
	case PMCGRP_IOC_INFO_NEXT:
		if (getenv("FAKE_SECTIONS"))
			return fake_section_group(arg, getenv("FAKE_OWNER"));
		return perf_ioctl(fd, request, arg);
	case PMCGRP_IOC_RING:
		return ring(arg);
	case PMCGRP_IOC_TRIGGER:
		return trigger(fd, arg);
	default:
		return perf_ioctl(fd, request, arg);
	}
}
