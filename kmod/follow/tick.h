/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TICK_H
#define PMCGRP_TICK_H

void pmcgrp_tick_init(void);

#endif /* PMCGRP_TICK_H */
