// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * PR_TASK_PERF_EVENTS_ENABLE and _DISABLE of prctl(2): all events that the calling thread has opened.
 *
 * They are found among this process's descriptors by what /proc says of each.  Who has opened one is
 * known of the newest; of others the process is known, by the module.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "shim.h"

/* A record of getdents64(2). */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

static int number_of(const char *name)
{
	int number = 0;

	if (!*name)
		return -1;
	for (; *name; name++) {
		if (*name < '0' || *name > '9')
			return -1;
		number = number * 10 + (*name - '0');
	}
	return number;
}

static bool is_of_module(long folder, const char *name)
{
	char text[64];
	long size = SHIM_CALL(SYS_readlinkat, folder, name, text, sizeof(text) - 1, 0);

	if (size < 0)
		return false;
	text[size] = '\0';
	return !strcmp(text, "anon_inode:[pmcgrp]") || !strcmp(text, "anon_inode:[pmcgrp-member]");
}

static bool is_own(int fd)
{
	struct shim_group group;

	if (!shim_group_ask(&group, fd) ||
	    group.process != (pid_t)SHIM_CALL(SYS_getpid, 0, 0, 0, 0, 0))
		return false;
	return !group.thread || group.thread == (pid_t)SHIM_CALL(SYS_gettid, 0, 0, 0, 0, 0);
}

void shim_own_control(unsigned long request)
{
	long folder = SHIM_CALL(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				0, 0);
	_Alignas(struct entry) char entries[1024];
	const struct entry *entry;
	long size, at;
	int fd;

	if (folder < 0)
		return;
	while ((size = SHIM_CALL(SYS_getdents64, folder, entries, sizeof(entries), 0, 0)) > 0) {
		for (at = 0; at < size; at += entry->size) {
			entry = (const struct entry *)(entries + at);
			fd = number_of(entry->name);
			if (fd >= 0 && is_of_module(folder, entry->name) && is_own(fd))
				SHIM_CALL(SYS_ioctl, fd, request, 0, 0, 0);
		}
	}
	SHIM_CALL(SYS_close, folder, 0, 0, 0, 0);
}
