/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SUSPEND_H
#define PMCGRP_SUSPEND_H

void pmcgrp_suspend_init(void);
void pmcgrp_suspend_exit(void);

#endif /* PMCGRP_SUSPEND_H */
