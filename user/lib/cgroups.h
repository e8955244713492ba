/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
#ifndef PMCGRP_CGROUPS_H
#define PMCGRP_CGROUPS_H

#include "internal.h"

#define CGROUPS_MOUNTINFO "/proc/self/mountinfo"

/* pmcgrp_cgroups_new() or _new_unified() with the list of mounts elsewhere, for tests. */
int cgroups_open(struct pmcgrp_cgroups **out, const char *mountinfo, bool unified);

#endif
