/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Lists of CPUs, of the library and of the tool. */
#ifndef PMCGRP_CPUS_H
#define PMCGRP_CPUS_H

#include "pmcgrp.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

/* A list of CPUs in a file of /sys. Returns 0 or a negative errno. */
int cpus_read(struct pmcgrp_cpus *cpus, const char *path);

/*
 * cpus_present - the CPUs that are there, online or not; without the list in @folder, those that
 * this process may run on
 *
 * Not which are online: containers see a list of those that is made up of their quota (lxcfs), and
 * a CPU that comes online later wants what the others have from its first instruction on. Opening
 * something on an offline one gives ENODEV or EINVAL.
 */
int cpus_present(struct pmcgrp_cpus *cpus, const char *folder);

#endif
