/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The cgroups of -G and --for-each-cgroup, a line each. */
#ifndef STAT_CGROUP_LINES_H
#define STAT_CGROUP_LINES_H

#include "counters/counter_set.h"

struct cgroup_line {
	char *name;		/* as it is shown */
	uint64_t id;
	bool all;		/* whatever runs: no cgroup, or the root */
};

struct cgroup_lines {
	struct cgroup_line *at;
	unsigned int nr;
	unsigned int *of_event;		/* of -G: line of each event that has one */
	unsigned int nr_events;
	unsigned int *line_of;		/* of each counter; or NULL: all */
	uint64_t *ids;			/* of those lines that are not @all, for the kernel */
	unsigned int nr_ids;
	bool *below;			/* [i * nr + k]: line k is in line i, or is it */
	const char **names;
};

/*
 * cgroup_lines_each - what --for-each-cgroup names, perf's regular expressions included
 * cgroup_lines_events - what -G names: a cgroup for each event, or one for all
 *
 * Each returns 0, or the exit status after a failure that was reported.
 */
int cgroup_lines_each(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
		      const char *const *lists, unsigned int nr);
int cgroup_lines_events(struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups,
			const char *const *lists, unsigned int nr);

/* cgroup_lines_counters - which of -G's lines each counter has; as the above */
int cgroup_lines_counters(struct cgroup_lines *lines, unsigned int nr_counters);

/* cgroup_lines_add - add what a table has to the lines */
void cgroup_lines_add(const struct cgroup_lines *lines, struct counter_set *set,
		      unsigned int group, const struct pmcgrp_key_table *table);

/*
 * cgroup_lines_say_changed - of each line whose cgroup was removed, that there is another one by its
 * name, or none: the kernel was given the first one's id
 */
void cgroup_lines_say_changed(const struct cgroup_lines *lines, const struct pmcgrp_cgroups *cgroups);

void cgroup_lines_free(struct cgroup_lines *lines);

#endif
