/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of spans in the rings of their group. */
#ifndef PMCGRP_SPAN_RECORD_H
#define PMCGRP_SPAN_RECORD_H

#include <linux/types.h>

struct pmcgrp_evset;
struct pmcgrp_group;
struct pmcgrp_section;
struct pmcgrp_span_recorder;

bool pmcgrp_span_record_is_possible(const struct pmcgrp_group *group);
struct pmcgrp_span_recorder *pmcgrp_span_recorder_create(struct pmcgrp_group *group);
u64 pmcgrp_span_recorder_id(const struct pmcgrp_span_recorder *recorder);
void pmcgrp_span_recorder_free(struct pmcgrp_span_recorder *recorder);
void pmcgrp_span_record(const struct pmcgrp_section *section, struct pmcgrp_evset *set, u64 begin,
			u64 time, const u64 *value);

#endif /* PMCGRP_SPAN_RECORD_H */
