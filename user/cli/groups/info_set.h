/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* The groups of the machine, as info, list and doctor see them. */
#ifndef INFO_SET_H
#define INFO_SET_H

#include <stdbool.h>
#include <stdio.h>

#include "say/name.h"
#include "pmcgrp.h"

struct info_group {
	struct pmcgrp_info *info;
	char comm[NAME_COMM_SIZE];	/* the owner's name, as text */
	char **names;			/* of the members' events */
};

struct info_set {
	struct info_group *groups;	/* by id */
	unsigned int nr;
	struct pmcgrp_cgroups *cgroups;	/* NULL: no group is of one, or none are mounted */
};

/*
 * info_set_take - all groups of the machine
 *
 * Returns 0, or a negative errno, for which pmcgrp_strerror(h) has the sentence; the set
 * is to be freed in any case.
 */
int info_set_take(struct info_set *set, struct pmcgrp *h);

/*
 * info_set_add - one group more, with a greater id than those before
 * @info: is the set's from now on, also on failure
 *
 * Returns 0 or -ENOMEM.
 */
int info_set_add(struct info_set *set, struct pmcgrp_info *info);

/* The group that has a member with this id; NULL: none. */
const struct info_group *info_set_find(const struct info_set *set, uint64_t id);

/* Whose groups they are: "stat (PID 12), and others"; "" without any. */
void info_set_owners(const struct info_set *set, char *text, size_t size);

void info_set_free(struct info_set *set);

/*
 * info_cgroup_name - the path of the cgroup that a group counts
 * @name: "/a/b"; "(removed, id 123)" if there is none of this id, or none are mounted
 */
void info_cgroup_name(const struct info_set *set, const struct pmcgrp_info *info, char *name,
		      size_t size);

#endif
