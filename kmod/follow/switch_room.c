// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many lists a context switch may have to schedule in and out at most: PMCGRP_SWITCH_MAX.
 *
 * Those that a switch visits one by one, with interrupts off, are the lists of the task's binding
 * (binding.c) and those of its cgroup and of the cgroups above that (cgroup.c).  Lists of one task
 * are not: context.c takes some of them at a time.  Lists of other cgroups are looked at, at a
 * switch between cgroups, and are not scheduled: those have a limit of their own (cgroup.c).
 *
 * The most lists that any binding has and the most that any cgroup is in are together not more than
 * the limit.  So it holds for each task, whichever cgroup it is moved to.  What a task creates has
 * its parent's binding or a part of it (task_table.c): no fork() can go above the limit, and none
 * fails.  The price is that a list is refused where there would be room for it: the task with most
 * lists need not be in the cgroup with most.
 */
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/attr.h"
#include "follow/cgroup.h"
#include "follow/switch_room.h"
#include "set/evlist.h"

static atomic_t nr_bindings[PMCGRP_SWITCH_MAX + 1]; /* those with so many lists */
static LIST_HEAD(cgroup_lists);			    /* pmcgrp_groups_mutex */
static unsigned int most_of_cgroup;		    /* pmcgrp_groups_mutex */

static unsigned int most_of_binding(void)
{
	unsigned int nr = PMCGRP_SWITCH_MAX;

	while (nr && !atomic_read(&nr_bindings[nr]))
		nr--;
	return nr;
}

/**
 * pmcgrp_switch_has_room - tell whether a binding may have so many lists
 * @bound: how many
 *
 * Context: pmcgrp_groups_mutex held, until pmcgrp_switch_binding_made().
 */
bool pmcgrp_switch_has_room(unsigned int bound)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	return bound + most_of_cgroup <= PMCGRP_SWITCH_MAX;
}

/**
 * pmcgrp_switch_binding_made - note a binding
 * @nr: number of its lists, for which there is room
 *
 * Context: any.
 */
void pmcgrp_switch_binding_made(unsigned int nr)
{
	atomic_inc(&nr_bindings[nr]);
}

/**
 * pmcgrp_switch_binding_freed - undo pmcgrp_switch_binding_made()
 * @nr: number of its lists
 *
 * Context: any.
 */
void pmcgrp_switch_binding_freed(unsigned int nr)
{
	atomic_dec(&nr_bindings[nr]);
}

/* How many lists count the tasks of a list's cgroup. */
static unsigned int nr_around(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_evlist *around;
	unsigned int nr = 0;

	list_for_each_entry(around, &cgroup_lists, cgroup_node)
		nr += pmcgrp_cgroup_is_counted(around, evlist->cgroup);
	return nr;
}

static void find_most(void)
{
	const struct pmcgrp_evlist *evlist;

	most_of_cgroup = 0;
	list_for_each_entry(evlist, &cgroup_lists, cgroup_node)
		most_of_cgroup = max(most_of_cgroup, nr_around(evlist));
}

/**
 * pmcgrp_switch_add_cgroup - note a list of a cgroup
 * @evlist: the list
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 * Return: 0, then pmcgrp_switch_remove_cgroup() undoes this; -PMCGRP_ESWITCH: there is no room.
 */
int pmcgrp_switch_add_cgroup(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_add(&evlist->cgroup_node, &cgroup_lists);
	find_most();
	if (most_of_binding() + most_of_cgroup <= PMCGRP_SWITCH_MAX)
		return 0;
	pmcgrp_switch_remove_cgroup(evlist);
	return -PMCGRP_ESWITCH;
}

/**
 * pmcgrp_switch_remove_cgroup - undo pmcgrp_switch_add_cgroup()
 * @evlist: the list
 *
 * Context: may sleep; pmcgrp_groups_mutex held.
 */
void pmcgrp_switch_remove_cgroup(struct pmcgrp_evlist *evlist)
{
	lockdep_assert_held(&pmcgrp_groups_mutex);
	list_del(&evlist->cgroup_node);
	find_most();
}
