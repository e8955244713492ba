/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ROW_CHANGE_H
#define PMCGRP_ROW_CHANGE_H

struct perf_event_attr;
struct pmcgrp_evlist;
struct pmcgrp_failure;

int pmcgrp_rows_extend(struct pmcgrp_evlist *list, const struct perf_event_attr *attr,
		       struct pmcgrp_failure *fail);
void pmcgrp_rows_trim(struct pmcgrp_evlist *list);
unsigned int pmcgrp_rows_insert(struct pmcgrp_evlist *list);
void pmcgrp_rows_take_out(struct pmcgrp_evlist *list, unsigned int at);

#endif /* PMCGRP_ROW_CHANGE_H */
