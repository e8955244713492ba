/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What info prints. */
#ifndef INFO_PRINT_H
#define INFO_PRINT_H

#include "groups/info_uses.h"

/* The table for people. @only: this group alone; NULL: all. Returns 0 or -ENOMEM. */
int info_table(FILE *file, const struct info_set *set, const struct info_uses *uses,
	       const struct info_group *only);

/* One JSON object with everything. Returns 0 or -ENOMEM. */
int info_json(FILE *file, const struct info_set *set, const struct info_uses *uses,
	      const struct info_group *only);

#endif
