/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * PMUs and CPUs of another machine, for a program that a stand-in is preloaded to: $FAKE_SYS/devices
 * in place of /sys/bus/event_source/devices, $FAKE_SYS/cpu of /sys/devices/system/cpu, and
 * $FAKE_SYS/mountinfo of /proc/self/mountinfo.
 */
#ifndef FAKE_SYSFS_H
#define FAKE_SYSFS_H

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where it is; @buf has room for it. */
static inline const char *fake_path(const char *path, char *buf, size_t size)
{
	static const struct {
		const char *from;
		const char *to;
	} folders[] = {
		{ "/sys/bus/event_source/devices", "devices" },
		{ "/sys/devices/system/cpu", "cpu" },
		{ "/proc/self/mountinfo", "mountinfo" },
	};
	const char *root = getenv("FAKE_SYS");
	size_t i, len;

	for (i = 0; root && i < sizeof(folders) / sizeof(folders[0]); i++) {
		len = strlen(folders[i].from);
		if (strncmp(path, folders[i].from, len) || (path[len] && path[len] != '/'))
			continue;
		snprintf(buf, size, "%s/%s%s", root, folders[i].to, path + len);
		return buf;
	}
	return path;
}

/* The C library's own function of that name. */
static inline void *fake_next(const char *name)
{
	void *next = dlsym(RTLD_NEXT, name);

	if (!next)
		abort();
	return next;
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*next)(const char *path, const char *mode);
	char buf[512];

	*(void **)&next = fake_next("fopen");
	return next(fake_path(path, buf, sizeof(buf)), mode);
}

DIR *opendir(const char *path)
{
	DIR *(*next)(const char *path);
	char buf[512];

	*(void **)&next = fake_next("opendir");
	return next(fake_path(path, buf, sizeof(buf)));
}

int access(const char *path, int mode)
{
	int (*next)(const char *path, int mode);
	char buf[512];

	*(void **)&next = fake_next("access");
	return next(fake_path(path, buf, sizeof(buf)), mode);
}

int scandir(const char *path, struct dirent ***entries, int (*filter)(const struct dirent *),
	    int (*compare)(const struct dirent **, const struct dirent **))
{
	int (*next)(const char *path, struct dirent ***entries,
		    int (*filter)(const struct dirent *),
		    int (*compare)(const struct dirent **, const struct dirent **));
	char buf[512];

	*(void **)&next = fake_next("scandir");
	return next(fake_path(path, buf, sizeof(buf)), entries, filter, compare);
}

#endif
