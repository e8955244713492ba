/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentries: who reads registers in user space learns that they may have moved. */
#ifndef PMCGRP_SENTRY_H
#define PMCGRP_SENTRY_H

struct pmcgrp_evset;
struct pmcgrp_group;

int pmcgrp_sentry_create(struct pmcgrp_group *group);
void pmcgrp_sentry_release(struct pmcgrp_group *group);
void pmcgrp_sentry_report(const struct pmcgrp_evset *but);
void pmcgrp_sentry_init(void);

#endif /* PMCGRP_SENTRY_H */
