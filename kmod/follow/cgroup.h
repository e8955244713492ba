/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_CGROUP_H
#define PMCGRP_CGROUP_H

#include <linux/list.h>
#include <linux/types.h>
#include "arbiter/cpu.h"
#include "set/follower.h"

struct cgroup;
struct task_struct;

extern const struct pmcgrp_follower pmcgrp_cgroup_follower;

struct cgroup *pmcgrp_cgroup_find(int fd);
extern unsigned long pmcgrp_cgroup_levels;

/* Whether contexts of cgroups may have to come in or go out at a switch. */
static inline bool pmcgrp_cgroups_concern(const struct pmcgrp_cpu *pcpu)
{
	return unlikely(READ_ONCE(pmcgrp_cgroup_levels) || !list_empty(&pcpu->cgroups));
}

bool pmcgrp_cgroups_differ(const struct pmcgrp_cpu *pcpu, struct task_struct *next);

/**
 * pmcgrp_cgroups_change - whether the contexts of other cgroups are to be in for the next task
 * @pcpu: this CPU's scheduler
 * @next: the next task
 *
 * Context: interrupts off.
 */
static __always_inline bool pmcgrp_cgroups_change(const struct pmcgrp_cpu *pcpu,
						  struct task_struct *next)
{
	return pmcgrp_cgroups_concern(pcpu) && pmcgrp_cgroups_differ(pcpu, next);
}

void pmcgrp_cgroups_out(struct pmcgrp_cpu *pcpu, struct task_struct *next, bool leaves,
			struct list_head *coming);
void pmcgrp_cgroups_in(struct pmcgrp_cpu *pcpu, struct list_head *coming,
		       const struct task_struct *prev);
int pmcgrp_cgroups_get(void);
void pmcgrp_cgroups_put(void);
void pmcgrp_cgroups_init(void);
void pmcgrp_cgroups_exit(void);

#endif /* PMCGRP_CGROUP_H */
