/* SPDX-License-Identifier: GPL-2.0-only */
/* What must be true when all is over: nothing is left, and the module still works. */
#ifndef PMCGRP_AFTER_H
#define PMCGRP_AFTER_H

#include "pmcgrp_test.h"
#include <dirent.h>

static inline int nr_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static inline long module_refs(void)
{
	return file_number("/sys/module/pmcgrp/refcnt", "");
}

/*
 * Every group goes with its last descriptor, and takes its hold on the module along; its counters
 * within two seconds.
 */
static inline bool refs_return_to(long before)
{
	int tries = 150;
	long now;

	while ((now = module_refs()) > before && tries--)
		sleep_ns(20 * NSEC_PER_MSEC);
	if (now > before)
		printf("# the module is used %ld times, before it was %ld\n", now, before);
	return now <= before;
}

/* Whether a group of this event counts for its maker. */
static inline bool usable(int dev, struct perf_event_attr attr)
{
	int fd = group_of(dev, 1, &attr, 0);
	struct group_values v = {};
	bool good;

	spin_ns(10 * NSEC_PER_MSEC);
	good = fd >= 0 && group_values(fd, 1, &v) && v.m[0].value && v.running &&
	       v.running == v.enabled;
	if (!good)
		printf("# descriptor %d, value %llu, enabled %llu, running %llu\n", fd,
		       (unsigned long long)v.m[0].value, (unsigned long long)v.enabled,
		       (unsigned long long)v.running);
	close(fd);
	return good;
}

#endif /* PMCGRP_AFTER_H */
