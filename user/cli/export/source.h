/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* A group of the configuration that counts: its events, its descriptor, its rows. */
#ifndef EXPORT_SOURCE_H
#define EXPORT_SOURCE_H

#include "by_cgroup.h"
#include "exposition.h"
#include "export_config.h"
#include "pmcgrp.h"
#include "spans.h"

/* What an event is called: its family is pmcgrp_<group>_<event>. */
#define METRIC_NAME_SIZE 192

struct export_metric {
	char name[METRIC_NAME_SIZE];
	char *help;
	char *event; /* as it was written */
};

struct export_source {
	const struct export_group *config;
	struct export_metric *metrics;
	unsigned int nr;	    /* metrics */
	unsigned int nr_members;    /* of the group */
	unsigned int *metric_of;    /* of each member */
	uint64_t created;	    /* ms since 1970 */
	struct pmcgrp_group *group; /* NULL: it cannot be counted, or sections count */
	struct pmcgrp_key_table *table;
	void *buf; /* for reads */
	size_t size;
	struct by_cgroup by;	/* its rows; only those by cgroup need the rest of it */
	struct span_rows spans; /* of spans and sections, which have no others */
	struct pmcgrp *h;
	bool up; /* it has counted when it was asked last */
};

/*
 * source_init - the names of a group's events
 *
 * Returns 0, or EXIT_TOOL after an error that was reported.
 */
int source_init(struct export_source *s, const struct export_group *group, unsigned int linger);

/*
 * source_open - begin to count
 *
 * Returns 0, or EXIT_TOOL after an error that was reported: the rest can be exported without it.
 */
int source_open(struct export_source *s, struct pmcgrp *h, uint64_t now);

/* source_stop - count no more: what is collected then is exact */
void source_stop(struct export_source *s);

/* source_collect - take what was counted; returns 0 or a negative errno */
int source_collect(struct export_source *s, uint64_t now);

/* source_note - with -v: what the kernel says itself of a table by cgroup */
void source_note(const struct export_source *s);

void source_free(struct export_source *s);

/* source_write - the group's families */
void source_write(const struct export_source *s, struct exposition *e);

#endif
