// SPDX-License-Identifier: LGPL-2.1-only OR MIT
/* What several sections ask of the machine. */
#include <string.h>

#include "sysfile.h"
#include "sections.h"

unsigned int doctor_kernel(const struct doctor *d)
{
	unsigned int major, minor;

	if (sscanf(d->release, "%3u.%3u", &major, &minor) != 2)
		return 0;
	return major * 1000 + minor;
}

bool doctor_cpu_has(const struct doctor *d, const char *flag)
{
	char flags[8192], *at = flags, *word;

	sysfile_value(d->root, "/proc/cpuinfo", "flags", flags, sizeof(flags));
	while ((word = strsep(&at, " "))) {
		if (!strcmp(word, flag))
			return true;
	}
	return false;
}

bool doctor_is_rt(const struct doctor *d)
{
	long long realtime;

	return strstr(d->kernel_version, "PREEMPT_RT") ||
	       (!sysfile_number(d->root, "/sys/kernel/realtime", &realtime) && realtime);
}

void doctor_core_pmus(struct doctor *d)
{
	d->nr_pmus = core_pmus_find(d->pmus, d->root);
}
