/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CGROUP_H
#define PMCGRP_CGROUP_H

#include <linux/list.h>
#include <linux/types.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "set/evlist.h"

struct pmcgrp_evset;
struct task_struct;

struct cgroup *pmcgrp_cgroup_find(int fd);
void pmcgrp_cgroups_add(struct pmcgrp_cpu *pcpu, struct pmcgrp_evset *set);
void pmcgrp_cgroups_out(struct pmcgrp_cpu *pcpu, struct task_struct *next, bool leaves);
void pmcgrp_cgroups_in(struct pmcgrp_cpu *pcpu, struct task_struct *next,
		       const struct task_struct *prev);
void pmcgrp_cgroups_entered(struct pmcgrp_cpu *pcpu);
int pmcgrp_cgroups_get(void);
void pmcgrp_cgroups_put(void);
int pmcgrp_cgroups_reserve(struct pmcgrp_evlist *evlist);
void pmcgrp_cgroups_unreserve(struct pmcgrp_evlist *evlist);
void pmcgrp_cgroups_init(void);
void pmcgrp_cgroups_exit(void);

/* Whether the next task is in another cgroup than the sets of @pcpu->cgroups go by. */
static inline bool pmcgrp_cgroups_change(const struct pmcgrp_cpu *pcpu, struct task_struct *next)
{
	return unlikely(!list_empty(&pcpu->cgroups)) &&
	       pmcgrp_cgroup_id(pmcgrp_task_dfl_cgroup(next)) != pcpu->cgroup_id;
}

/* Whether a list counts the tasks of a cgroup: it is the list's, or below. */
static inline bool pmcgrp_cgroup_is_counted(const struct pmcgrp_evlist *evlist,
					    struct cgroup *cgroup)
{
	return pmcgrp_cgroup_level(cgroup) >= evlist->cgroup_level &&
	       pmcgrp_cgroup_id(pmcgrp_cgroup_ancestor(cgroup, evlist->cgroup_level)) ==
		       evlist->cgroup_id;
}

#endif /* PMCGRP_CGROUP_H */
