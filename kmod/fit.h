/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_FIT_H
#define PMCGRP_FIT_H

#include "attr.h"

struct pmcgrp_group;

int pmcgrp_group_try(struct pmcgrp_group *group, struct pmcgrp_failure *fail);

#endif /* PMCGRP_FIT_H */
