/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Followers: what is known of each kind of target, and what schedules the sets of its lists in and
 * out.  One file of follow/ has one kind; target.c has the table of all.  A context switch calls
 * none of these.
 */
#ifndef PMCGRP_FOLLOWER_H
#define PMCGRP_FOLLOWER_H

#include <linux/types.h>

struct pmcgrp_end_watch;
struct pmcgrp_evlist;
struct pmcgrp_failure;
struct pmcgrp_target;

/**
 * struct pmcgrp_follower - what follows the target of event lists
 * @counts_cpus: the target is CPUs, or a cgroup on them, not tasks
 * @has_cpu_list: user space has listed the CPUs, so that all must succeed
 * @has_one_set: a list has a single set, for all of its life
 * @has_binding: new threads or children of the target are counted, too.  Then a list may have a
 *	set for each CPU, which is in while any of its tasks runs there (contexts.c).
 * @has_probes: probes of follow.c schedule the sets in and out
 * @whose: a number of the target, the same for all lists that count it; NULL: groups of such
 *	targets share no list
 * @suits: whether a list with the same number counts what a new one would; NULL: it does
 * @get: get ready to follow such targets, before a list has counters; NULL: nothing to do.  Return:
 *	0 or an errno.
 * @put: undo @get
 * @make: let a list that has its evcpus follow its target; @like: another one that counts the same
 *	now, or NULL.  If it is active, it counts from now on.  Return: 0 or an errno; then @drop
 *	cleans up.
 * @drop: undo @make, done or not: when it returns, no set of the list is in
 * @cpu_online: as @make, on a CPU that has come online; NULL: nothing to do
 * @cpu_drop: let a list not count on a CPU any more, where it keeps its sums; as @cpu_online
 * @enable: have the sets scheduled in with the target from now on, or no more; NULL: they always
 *	are
 * @ended: whether the task has; NULL: the target is not one task
 * @call: call a function where the only set may be accessed.  Return: false: it is in nowhere, and
 *	its counts are complete.  NULL: there is more than one set.
 * @watch: notify somebody when the last task ends; NULL: CPUs do not end.  Return: 0 or an errno.
 * @unwatch: undo @watch; the watch is not queued any more after an RCU grace period
 *
 * Context: may sleep; pmcgrp_groups_mutex held, and but for @suits, @get and @put the list's mutex.
 * @enable, @ended, @call and @unwatch: the list's mutex alone.
 */
struct pmcgrp_follower {
	bool counts_cpus;
	bool has_cpu_list;
	bool has_one_set;
	bool has_binding;
	bool has_probes;
	u64 (*whose)(const struct pmcgrp_target *target);
	bool (*suits)(const struct pmcgrp_evlist *evlist, const struct pmcgrp_target *target);
	int (*get)(void);
	void (*put)(void);
	int (*make)(struct pmcgrp_evlist *evlist, const struct pmcgrp_evlist *like,
		    struct pmcgrp_failure *fail);
	void (*drop)(struct pmcgrp_evlist *evlist);
	int (*cpu_online)(struct pmcgrp_evlist *evlist, int cpu);
	void (*cpu_drop)(struct pmcgrp_evlist *evlist, int cpu);
	void (*enable)(struct pmcgrp_evlist *evlist, bool on);
	bool (*ended)(const struct pmcgrp_evlist *evlist);
	bool (*call)(struct pmcgrp_evlist *evlist, void (*func)(void *arg), void *arg);
	int (*watch)(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch);
	void (*unwatch)(struct pmcgrp_evlist *evlist, struct pmcgrp_end_watch *watch);
};

#endif /* PMCGRP_FOLLOWER_H */
