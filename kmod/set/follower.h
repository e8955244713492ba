/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Followers: what is known of each kind of target, and what schedules the sets of its lists in and
 * out.  One file of follow/ has one kind; target.c has the table of all.
 */
#ifndef PMCGRP_FOLLOWER_H
#define PMCGRP_FOLLOWER_H

#include <linux/types.h>

struct cpumask;
struct task_struct;

/**
 * struct pmcgrp_follower - what follows the target of event lists
 * @counts_cpus: the target is CPUs, or a cgroup on them, not tasks
 * @has_cpu_list: user space has listed the CPUs, so that all must succeed
 * @has_one_set: a list has a single set, for all of its life
 * @has_binding: new threads or children of the target are counted, too.  Then a list has a set for
 *	each CPU, which is in while any of its tasks runs there (binding.c).
 * @has_probes: probes of follow.c schedule the sets in and out
 * @whose: what stands for the target, the same for all lists that count it; NULL: groups of such
 *	targets share no list
 */
struct pmcgrp_follower {
	bool counts_cpus;
	bool has_cpu_list;
	bool has_one_set;
	bool has_binding;
	bool has_probes;
	unsigned long (*whose)(const struct task_struct *task, const struct cpumask *cpus);
};

#endif /* PMCGRP_FOLLOWER_H */
