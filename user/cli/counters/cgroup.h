/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Cgroups as options name them. */
#ifndef CGROUP_H
#define CGROUP_H

#include "pmcgrp.h"

/* cgroup_say_missing - there is no such cgroup; these are close. Returns EXIT_TOOL */
int cgroup_say_missing(const struct pmcgrp_cgroups *cgroups, const char *option, const char *name);

/* The cgroups that an option names, of version 2: targets of groups. All zero at first. */
struct cgroup_dirs {
	int *fds;		/* of their directories */
	char **names;		/* as they were given */
	unsigned int nr;
};

/*
 * cgroup_dirs_open - open the directories of a list
 * @list: names separated by commas; "" stands for the root, as does "/"
 *
 * Returns 0, or EXIT_TOOL after an error that was reported; cgroup_dirs_close() in any case.
 */
int cgroup_dirs_open(struct cgroup_dirs *dirs, const char *option, const char *list);

void cgroup_dirs_close(struct cgroup_dirs *dirs);

#endif
