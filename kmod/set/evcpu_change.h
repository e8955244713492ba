/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EVCPU_CHANGE_H
#define PMCGRP_EVCPU_CHANGE_H

struct perf_event_attr;
struct pmcgrp_evlist;
struct pmcgrp_failure;

int pmcgrp_evcpus_extend(struct pmcgrp_evlist *evlist, const struct perf_event_attr *attr,
			 struct pmcgrp_failure *fail);
void pmcgrp_evcpus_trim(struct pmcgrp_evlist *evlist);
unsigned int pmcgrp_evcpus_insert(struct pmcgrp_evlist *evlist);
void pmcgrp_evcpus_take_out(struct pmcgrp_evlist *evlist, unsigned int at);

#endif /* PMCGRP_EVCPU_CHANGE_H */
