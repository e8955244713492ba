/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_UNCORE_H
#define PMCGRP_UNCORE_H

void pmcgrp_uncore_follow(void);

#endif /* PMCGRP_UNCORE_H */
