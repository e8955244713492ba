/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_VALIDATE_H
#define PMCGRP_VALIDATE_H

#include "attr.h"

struct pmcgrp_group;

int pmcgrp_validate_group(struct pmcgrp_group *group, struct pmcgrp_failure *fail);

#endif /* PMCGRP_VALIDATE_H */
