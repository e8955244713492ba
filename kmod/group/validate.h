/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_VALIDATE_H
#define PMCGRP_VALIDATE_H

#include "counter/attr.h"

struct pmcgrp_evlist;

int pmcgrp_validate_evlist(struct pmcgrp_evlist *evlist, struct pmcgrp_failure *fail);

#endif /* PMCGRP_VALIDATE_H */
