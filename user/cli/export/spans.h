/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* Spans of functions, and sections of kernel modules, as histograms. */
#ifndef EXPORT_SPANS_H
#define EXPORT_SPANS_H

#include "exposition.h"
#include "export_config.h"
#include "pmcgrp.h"

/* A family: time, or an event. */
struct span_metric {
	char *name;
	char *help;
	bool is_time;
	unsigned int buckets; /* so many are shown of all rows: the highest that was ever in use */
};

/* What a row has of a metric. */
struct span_value {
	unsigned int metric;
	uint64_t sum;
	uint64_t bucket[PMCGRP_SECTION_BUCKETS];
};

struct span_row {
	uint64_t id;
	char *labels;	  /* with a comma at their end */
	uint64_t created; /* ms since 1970 */
	bool seen;
	unsigned int nr;
	struct span_value *values;
	uint64_t missed[PMCGRP_MISSED_ROOM];
};

struct span_rows {
	const struct export_group *group;
	struct span_metric *metrics;
	unsigned int nr_metrics;
	struct span_row *at;
	unsigned int nr;
};

void spans_init(struct span_rows *spans, const struct export_group *group);
void spans_free(struct span_rows *spans);

/*
 * spans_add - count the functions of a group
 *
 * Returns 0, or a negative errno for which pmcgrp_strerror() has the sentence.
 */
int spans_add(struct span_rows *spans, struct pmcgrp *h, struct pmcgrp_group *group, uint64_t now);

/* spans_collect - take what was counted; returns 0 or a negative errno */
int spans_collect(struct span_rows *spans, struct pmcgrp *h, uint64_t now);

/* spans_take - the same of one; @since: ms since 1970, of a row that is new */
int spans_take(struct span_rows *spans, const struct pmcgrp_section_info *info, uint64_t since);

/* spans_write - a histogram for each row and metric, and what was missed */
void spans_write(const struct span_rows *spans, struct exposition *e);

#endif
