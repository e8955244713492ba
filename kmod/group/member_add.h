/* SPDX-License-Identifier: GPL-2.0-only */
/* Adding and removing members of a group with a leader. */
#ifndef PMCGRP_MEMBER_ADD_H
#define PMCGRP_MEMBER_ADD_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include "counter/attr.h"

struct pmcgrp_member_fd;

int pmcgrp_member_fd_add(struct pmcgrp_member_fd *mfd, const struct perf_event_attr *attr, bool on,
			 bool as_perf, struct pmcgrp_failure *fail);
void pmcgrp_member_fd_close(struct pmcgrp_member_fd *mfd);

#endif /* PMCGRP_MEMBER_ADD_H */
