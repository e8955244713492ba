/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* All groups of a configuration, and the text that is made of them. */
#ifndef EXPORTER_H
#define EXPORTER_H

#include "source.h"

struct exporter {
	struct export_config config;
	struct export_source *sources;
	unsigned int nr;
	struct pmcgrp *h;
	struct pmcgrp_cgroups *cgroups; /* NULL: no group is by cgroup */
	uint64_t look;			/* ms since 1970: when they are listed next at the latest */
	uint64_t not_before;		/* ms since 1970: when they are listed next at the earliest */
	int failed;			/* what exporter_collect() returned last */
	struct exposition text;
};

/* exporter_now - ms since 1970 */
uint64_t exporter_now(void);

/*
 * exporter_init - find the events of @x->config
 *
 * Returns 0, or EXIT_TOOL after an error that was reported.
 */
int exporter_init(struct exporter *x);

/*
 * exporter_open - count them
 *
 * Returns 0, or EXIT_TOOL after an error that was reported. A group that cannot be counted is an
 * error if none can.
 */
int exporter_open(struct exporter *x);

/*
 * exporter_collect - take what was counted of all groups
 * exporter_drain - the same of groups by cgroup: it makes room in their tables
 *
 * Return 0 or a negative errno.
 */
int exporter_collect(struct exporter *x, uint64_t now);
int exporter_drain(struct exporter *x, uint64_t now);

/*
 * exporter_write - what is known by now, to @x->text
 *
 * Returns 0 or -ENOMEM.
 */
int exporter_write(struct exporter *x, enum exposition_format format);

void exporter_stop(struct exporter *x);
void exporter_close(struct exporter *x);

#endif
