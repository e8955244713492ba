/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * Rows by cgroup, or by what cgroups are of. Counts come by the id of a cgroup, which the kernel
 * gives no other one. Its path is looked up later, for all new ones at once; a cgroup that has gone
 * by then has no row, and is in "other".
 */
#ifndef BY_CGROUP_H
#define BY_CGROUP_H

#include "export_config.h"
#include "pmcgrp.h"
#include "rows.h"

/* A cgroup that has counted. */
struct member_cgroup {
	uint64_t id;
	uint64_t removed;	   /* ms since 1970; 0: it is there */
	struct row *row;	   /* NULL: its path is not known yet */
	struct row_counts pending; /* what it has counted meanwhile */
	uint64_t values[];
};

struct by_cgroup {
	enum export_kind kind;
	bool by_id;
	uint64_t linger; /* ms */
	uint64_t since;	 /* ms since 1970: when counts were taken last */
	struct rows rows;
	struct member_cgroup **at; /* in rising order of their ids */
	size_t nr;
	size_t max;
	size_t nr_pending; /* whose path is not known */
};

void by_cgroup_init(struct by_cgroup *b, const struct export_group *group, unsigned int nr_members,
		    unsigned int linger);
void by_cgroup_free(struct by_cgroup *b);

/*
 * by_cgroup_count - what a key has counted more
 *
 * Returns 0 or -ENOMEM: it is in no row.
 */
int by_cgroup_count(struct by_cgroup *b, const struct pmcgrp_key *key,
		    const struct row_counts *more);

/*
 * by_cgroup_settle - give cgroups their rows, and see which are no more
 * @cgroups: those that there are, just listed
 *
 * Returns 0 or -ENOMEM: the next call goes on.
 */
int by_cgroup_settle(struct by_cgroup *b, const struct pmcgrp_cgroups *cgroups, uint64_t now);

#endif
