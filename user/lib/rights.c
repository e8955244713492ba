// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/*
 * Three things stand between a process and counters: the mode of the device file, a capability,
 * and, for perf_event_open(2), a sysctl.  The kernel says EACCES for each.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rights.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static bool has(const struct __user_cap_data_struct *data, unsigned int cap)
{
	return data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap);
}

bool rights_perfmon(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return false;
	return has(data, CAP_PERFMON) || has(data, CAP_SYS_ADMIN);
}

int rights_paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level;

	if (!file)
		return RIGHTS_PARANOID_UNKNOWN;
	if (fscanf(file, "%d", &level) != 1)
		level = RIGHTS_PARANOID_UNKNOWN;
	fclose(file);
	return level;
}

const char *rights_lockdown_file = "/sys/kernel/security/lockdown";

const char *rights_lockdown_of(char *text)
{
	char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;

	if (!to)
		return NULL;
	*to = '\0';
	return from + 1;
}

const char *rights_lockdown(void)
{
	static __thread char text[128];
	FILE *file = fopen(rights_lockdown_file, "re");
	const char *chosen;

	if (!file)
		return NULL;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	chosen = rights_lockdown_of(text);
	return chosen && strcmp(chosen, "none") ? chosen : NULL;
}

bool rights_locked(void)
{
	const char *lockdown = rights_lockdown();

	return lockdown && !strcmp(lockdown, "confidentiality");
}

void rights_say_lockdown(struct failure *f)
{
	if (rights_locked())
		say(f, "; kernel lockdown is on (%s in %s), which keeps root from it, too: boot with "
		       "lockdown=integrity, or without", rights_lockdown(), rights_lockdown_file);
}

void rights_say_device(struct failure *f, const char *path, bool perfmon)
{
	bool file = !faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS);

	say(f, "not permitted to open %s: ", path);
	if (!file)
		say(f, "the device file lets this user not read and write it (a udev rule with "
		       "GROUP=\"pmcgrp\", MODE=\"0660\" lets a group)");
	if (!perfmon)
		say(f, "%sthis process lacks CAP_PERFMON (\"setcap cap_perfmon+ep\" gives it to a "
		       "program)", file ? "" : ", and ");
	if (file && perfmon)
		say(f, "CAP_PERFMON of a container does not do, it has to be that of the "
		       "initial user namespace");
	say(f, "; or run as root");
}

void rights_say_perf(struct failure *f, int paranoid)
{
	say(f, "not permitted: run as root, or with CAP_PERFMON; without either, "
	       "/proc/sys/kernel/perf_event_paranoid ");
	if (paranoid == RIGHTS_PARANOID_UNKNOWN)
		say(f, "decides, which cannot be read here");
	else if (paranoid > 2)
		say(f, "is %d, which allows nothing", paranoid);
	else if (paranoid == 2)
		say(f, "is 2, which allows user mode of one's own tasks alone (exclude_kernel; "
		       "\":u\" after an event's name)");
	else if (paranoid == 1)
		say(f, "is 1, which allows one's own tasks, but no CPUs");
	else
		say(f, "is %d, which allows all of this but raw tracepoints: the target may be "
		       "somebody else's", paranoid);
}
