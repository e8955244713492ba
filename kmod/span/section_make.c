// SPDX-License-Identifier: GPL-2.0-only
/* Sections are made and end, for modules and for spans; section.c says what they are. */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "group/group.h"
#include "include/linux/pmcgrp.h"
#include "platform/account.h"
#include "platform/charge.h"
#include "set/evlist.h"
#include "span/kernel_group.h"
#include "span/section.h"
#include "span/section_key.h"
#include "span/span_task.h"

DEFINE_MUTEX(pmcgrp_sections_mutex);
LIST_HEAD(pmcgrp_sections); /* in the order of their ids; pmcgrp_sections_mutex */

/*
 * Whether a group that has started can have sections.  What an uncore PMU counts has no beginning
 * and end in a CPU's code; members of a leader come and go.
 */
bool pmcgrp_section_is_possible(const struct pmcgrp_group *group)
{
	return group->nr <= PMCGRP_SECTION_MEMBERS_MAX && !group->evlist->is_uncore &&
	       !group->member_values;
}

/* Before it counts: its records have it. */
static u64 next_id(void)
{
	static atomic64_t last;

	return atomic64_inc_return(&last);
}

/**
 * pmcgrp_section_alloc - make a section that nobody sees yet
 * @group: the group that counts, for which pmcgrp_section_is_possible()
 * @name: name, cut after PMCGRP_SECTION_NAME_MAX - 1 characters
 * @charge: what its memory is to be charged to, begun; taken over, also after an error
 *
 * Context: may sleep.
 * Return: the section, for pmcgrp_section_discard(); or an ERR_PTR as of pmcgrp_charge_alloc().
 */
struct pmcgrp_section *pmcgrp_section_alloc(const struct pmcgrp_group *group, const char *name,
					    struct pmcgrp_charge *charge)
{
	struct pmcgrp_section *section = kzalloc(sizeof(*section), GFP_KERNEL_ACCOUNT);
	unsigned int i;
	int cpu, err;

	if (!section) {
		pmcgrp_charge_end(charge);
		return ERR_PTR(-ENOMEM);
	}
	section->charge = *charge;
	section->cpu = pmcgrp_charge_percpu(&section->charge, struct pmcgrp_section_cpu, &err);
	if (err) {
		pmcgrp_charge_end(&section->charge);
		kfree(section);
		return ERR_PTR(err);
	}
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(section->cpu, cpu)->evcpu = pmcgrp_evcpu_of(group->evlist, cpu);
		for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++)
			pmcgrp_section_stat_init(&per_cpu_ptr(section->cpu, cpu)->stat[i]);
	}
	section->id = next_id();
	section->group = group;
	section->minds_switches = !group->evlist->follower->has_one_set ||
				  group->evlist->follower->counts_cpus;
	section->is_shared = READ_ONCE(group->evlist->is_shareable);
	strscpy_pad(section->name, name, sizeof(section->name));
	return section;
}

/* Show a section to user space, until list_del() of its node; pmcgrp_sections_mutex held. */
void pmcgrp_section_list(struct pmcgrp_section *section)
{
	struct pmcgrp_section *before;

	lockdep_assert_held(&pmcgrp_sections_mutex);
	list_for_each_entry_reverse(before, &pmcgrp_sections, node)
		if (before->id < section->id)
			break;
	list_add(&section->node, &before->node);
}

/* Free a section that is not listed, and nobody is in.  May sleep. */
void pmcgrp_section_discard(struct pmcgrp_section *section)
{
	pmcgrp_span_tasks_free(section->tasks);
	pmcgrp_section_table_free(section->table);
	free_percpu(section->cpu);
	pmcgrp_charge_end(&section->charge);
	kfree(section);
}

/**
 * pmcgrp_section_create - make a section
 * @group: group that counts, with at most PMCGRP_SECTION_MEMBERS_MAX members, none of an uncore
 *	PMU: what that counts has no beginning and end in a CPU's code
 * @name: name, cut after PMCGRP_SECTION_NAME_MAX - 1 characters
 *
 * Context: may sleep.
 * Return: the section, for pmcgrp_section_destroy(); or an ERR_PTR: -EINVAL, with a warning;
 * -ENOMEM; -ENOSPC above module parameter rings_max_mb for all modules.
 */
struct pmcgrp_section *pmcgrp_section_create(struct pmcgrp_kernel_group *group, const char *name)
{
	struct pmcgrp_section *section;
	struct pmcgrp_charge charge;

	might_sleep();
	if (WARN_ONCE(IS_ERR_OR_NULL(group) || !pmcgrp_section_is_possible(group->group) || !name,
		      "pmcgrp: no section for such a group"))
		return ERR_PTR(-EINVAL);
	pmcgrp_charge_begin_unlocked(&charge, &pmcgrp_account_of_modules);
	section = pmcgrp_section_alloc(group->group, name, &charge);
	if (IS_ERR(section))
		return section;
	mutex_lock(&pmcgrp_sections_mutex);
	pmcgrp_section_list(section);
	mutex_unlock(&pmcgrp_sections_mutex);
	return section;
}
EXPORT_SYMBOL_GPL(pmcgrp_section_create);

static void section_end(struct pmcgrp_section *section)
{
	lockdep_assert_held(&pmcgrp_sections_mutex);
	list_del(&section->node);
	pmcgrp_section_discard(section);
}

/**
 * pmcgrp_section_destroy - end a section
 * @section: the section; nobody begins it any more
 *
 * Waits for those who are in it with preemption or interrupts off.
 *
 * Context: may sleep.
 * Return: 0; -EINVAL, with a warning, for no section.
 */
int pmcgrp_section_destroy(struct pmcgrp_section *section)
{
	might_sleep();
	if (!pmcgrp_is_section(section))
		return -EINVAL;
	synchronize_rcu();
	mutex_lock(&pmcgrp_sections_mutex);
	section_end(section);
	mutex_unlock(&pmcgrp_sections_mutex);
	return 0;
}
EXPORT_SYMBOL_GPL(pmcgrp_section_destroy);

/* Free the sections of a group that a module has left behind.  May sleep. */
void pmcgrp_sections_free(const struct pmcgrp_group *group)
{
	struct pmcgrp_section *section, *next;

	mutex_lock(&pmcgrp_sections_mutex);
	list_for_each_entry_safe(section, next, &pmcgrp_sections, node)
		if (section->group == group)
			section_end(section);
	mutex_unlock(&pmcgrp_sections_mutex);
}

/* Whether a group has sections.  May sleep. */
bool pmcgrp_sections_exist(const struct pmcgrp_group *group)
{
	const struct pmcgrp_section *section;
	bool exist = false;

	mutex_lock(&pmcgrp_sections_mutex);
	list_for_each_entry(section, &pmcgrp_sections, node)
		exist |= section->group == group;
	mutex_unlock(&pmcgrp_sections_mutex);
	return exist;
}
