/* SPDX-License-Identifier: GPL-2.0-only */
/* What a caller may see of others. */
#ifndef PMCGRP_VIEW_H
#define PMCGRP_VIEW_H

#include "group/group.h"

struct file;

/**
 * struct pmcgrp_group_view - the groups that a caller may see, with their sections and spans
 * @only: those made by this open of the device; NULL: all
 */
struct pmcgrp_group_view {
	const struct pmcgrp_opener *only;
};

int pmcgrp_view_of(struct pmcgrp_group_view *view, const struct file *device);

/* Whether a group is one of them. */
static inline bool pmcgrp_view_has(const struct pmcgrp_group_view *view,
				   const struct pmcgrp_group *group)
{
	return !view->only || group->opener == view->only;
}

#endif /* PMCGRP_VIEW_H */
