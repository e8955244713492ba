// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sections: what happens between two points of a kernel module's code (include/linux/pmcgrp.h), or
 * of a span (span.c).
 *
 * The values at the beginning are on the caller's stack, or where a span keeps them.  At the end
 * the differences are added to this CPU's sums, and to histograms by the power of 2.  Nothing is
 * added if the group has not had its counters all the time, or if it counts a CPU or several tasks
 * and the task was preempted or moved meanwhile: the section is counted as missed then.  A group of
 * one task is right in these cases as well, as it counts nothing while the task is out; but the
 * time of such a section goes on.
 *
 * A set advances @enabled and @running alike while it has its counters.  So they differ by the same
 * time at both ends if it has had them all the time.  While the group is disabled neither advances:
 * pmcgrp_group.stops tells.
 *
 * Context of begin and end: any, NMI included; interrupts are off for one reading of the counters.
 * A section that interrupts another one's reading, or a change of this CPU's sets, is missed.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "include/linux/pmcgrp.h"
#include "counter.h"
#include "evlist.h"
#include "evset.h"
#include "group.h"
#include "kernel_group.h"
#include "recursion.h"
#include "section.h"
#include "section_key.h"
#include "section_trace.h"
#include "span_record.h"

DEFINE_MUTEX(pmcgrp_sections_mutex);
LIST_HEAD(pmcgrp_sections); /* in the order of their ids; pmcgrp_sections_mutex */

static __always_inline void stat_add(struct pmcgrp_section_stat *stat, u64 value)
{
	stat->sum += value;
	if (unlikely(value < stat->min))
		stat->min = value;
	if (unlikely(value > stat->max))
		stat->max = value;
	stat->bucket[fls64(value)]++;
}

/**
 * pmcgrp_section_is_possible - tell whether a group can have sections
 * @group: the group, started.  What an uncore PMU counts has no beginning and end in a CPU's code;
 *	members of a leader come and go.
 */
bool pmcgrp_section_is_possible(const struct pmcgrp_group *group)
{
	return group->nr <= PMCGRP_SECTION_MEMBERS_MAX && !group->list->is_uncore &&
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
 *
 * Context: may sleep.
 * Return: the section, for pmcgrp_section_free(); or NULL without memory.
 */
struct pmcgrp_section *pmcgrp_section_alloc(const struct pmcgrp_group *group, const char *name)
{
	struct pmcgrp_section *section = kzalloc(sizeof(*section), GFP_KERNEL_ACCOUNT);
	unsigned int i;
	int cpu;

	if (!section)
		return NULL;
	section->cpu = alloc_percpu_gfp(struct pmcgrp_section_cpu, GFP_KERNEL_ACCOUNT);
	if (!section->cpu) {
		kfree(section);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(section->cpu, cpu)->row = pmcgrp_row_of(group->list, cpu);
		for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++)
			pmcgrp_section_stat_init(&per_cpu_ptr(section->cpu, cpu)->stat[i]);
	}
	section->id = next_id();
	section->group = group;
	section->minds_switches = !pmcgrp_evlist_has_one_set(group->list) ||
				  pmcgrp_evlist_counts_cpus(group->list);
	section->is_shared = pmcgrp_evlist_may_be_shared(group->list);
	strscpy_pad(section->name, name, sizeof(section->name));
	INIT_LIST_HEAD(&section->group_node);
	return section;
}

/**
 * pmcgrp_section_list - show a section to user space
 * @section: the section
 *
 * Context: may sleep; pmcgrp_sections_mutex held.
 */
void pmcgrp_section_list(struct pmcgrp_section *section)
{
	struct pmcgrp_section *before;

	lockdep_assert_held(&pmcgrp_sections_mutex);
	list_for_each_entry_reverse(before, &pmcgrp_sections, node)
		if (before->id < section->id)
			break;
	list_add(&section->node, &before->node);
}

/**
 * pmcgrp_section_unlist - undo pmcgrp_section_list()
 * @section: the section
 *
 * Context: may sleep; pmcgrp_sections_mutex held.
 */
void pmcgrp_section_unlist(struct pmcgrp_section *section)
{
	lockdep_assert_held(&pmcgrp_sections_mutex);
	list_del(&section->node);
}

/**
 * pmcgrp_section_free - free a section that is not listed, and nobody is in
 * @section: the section
 *
 * Context: may sleep.
 */
void pmcgrp_section_free(struct pmcgrp_section *section)
{
	pmcgrp_section_table_free(section->table);
	pmcgrp_span_recorder_free(section->recorder);
	free_percpu(section->cpu);
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
 * -ENOMEM.
 */
struct pmcgrp_section *pmcgrp_section_create(struct pmcgrp_kernel_group *group, const char *name)
{
	struct pmcgrp_section *section;

	might_sleep();
	if (WARN_ONCE(IS_ERR_OR_NULL(group) || !pmcgrp_section_is_possible(group->group) || !name,
		      "pmcgrp: no section for such a group"))
		return ERR_PTR(-EINVAL);
	section = pmcgrp_section_alloc(group->group, name);
	if (!section)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&pmcgrp_sections_mutex);
	pmcgrp_section_list(section);
	list_add_tail(&section->group_node, &group->sections);
	mutex_unlock(&pmcgrp_sections_mutex);
	return section;
}
EXPORT_SYMBOL_GPL(pmcgrp_section_create);

static void section_end(struct pmcgrp_section *section)
{
	pmcgrp_section_unlist(section);
	list_del(&section->group_node);
	pmcgrp_section_free(section);
}

static __always_inline bool is_section(const struct pmcgrp_section *section)
{
	return !IS_ERR_OR_NULL(section) || !WARN_ONCE(true, "pmcgrp: no section");
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
	if (!is_section(section))
		return -EINVAL;
	synchronize_rcu();
	mutex_lock(&pmcgrp_sections_mutex);
	section_end(section);
	mutex_unlock(&pmcgrp_sections_mutex);
	return 0;
}
EXPORT_SYMBOL_GPL(pmcgrp_section_destroy);

/**
 * pmcgrp_sections_free - free the sections of a group that a module has left behind
 * @group: the group
 *
 * Context: may sleep.
 */
void pmcgrp_sections_free(struct pmcgrp_kernel_group *group)
{
	struct pmcgrp_section *section, *next;

	mutex_lock(&pmcgrp_sections_mutex);
	list_for_each_entry_safe(section, next, &group->sections, group_node)
		section_end(section);
	mutex_unlock(&pmcgrp_sections_mutex);
}

/**
 * pmcgrp_sections_exist - tell whether a group has sections
 * @group: the group
 *
 * Context: may sleep.
 */
bool pmcgrp_sections_exist(struct pmcgrp_kernel_group *group)
{
	bool exist;

	mutex_lock(&pmcgrp_sections_mutex);
	exist = !list_empty(&group->sections);
	mutex_unlock(&pmcgrp_sections_mutex);
	return exist;
}

/*
 * What changes as the running task is switched from, which preemption does as well
 * (kernel/sched/core.c: __schedule()), and as the set goes out and comes in again.
 */
static __always_inline unsigned long switches_of(const struct pmcgrp_evset *set)
{
	unsigned long switches = current->nvcsw + current->nivcsw;

	return switches + ((unsigned long)set->nr_sched_in << (BITS_PER_LONG / 2));
}

/* The set that has its counters here, and can be read now; or NULL. */
static __always_inline struct pmcgrp_evset *set_here(const struct pmcgrp_section_cpu *cpu)
{
	struct pmcgrp_evset *set = cpu->row->in;

	if (!set || !set->on || pmcgrp_counters_may_move(set->counter, set->nr_hw))
		return NULL;
	return set;
}

/* Read the counters of a set, in the state that the PMU has. */
static __always_inline u64 read_counters(struct pmcgrp_evset *set, u64 *count)
{
	if (likely(pmcgrp_counters_try_read(set->counter, set->nr, count)))
		return local_clock();
	return pmcgrp_counters_read(set->counter, set->nr, count);
}

/* The set has its counters, but for other groups that share the list. */
static __always_inline bool is_disabled(const struct pmcgrp_section *section)
{
	return section->is_shared && !READ_ONCE(section->group->enabled);
}

static __always_inline int begin_here(const struct pmcgrp_section *section,
				      struct pmcgrp_section_mark *mark)
{
	struct pmcgrp_evset *set = set_here(this_cpu_ptr(section->cpu));
	u64 *count = mark->count;
	const u64 *sum, *base;
	size_t i;

	/* With the number after a stop the group is seen disabled (pmcgrp_group_set_enabled()). */
	mark->stops = smp_load_acquire(&section->group->stops);
	if (!set || is_disabled(section)) {
		pmcgrp_section_miss(section, PMCGRP_MISSED_OFF);
		return -ENODATA;
	}
	sum = set->sum;
	base = set->base;
	mark->set = set;
	mark->task = current;
	if (section->minds_switches)
		mark->switches = switches_of(set);
	mark->waited = set->enabled - set->running;
	mark->now = read_counters(set, count);
	/* Downwards by index: two instructions less for each than by pointers. */
	i = set->nr;
	do {
		i--;
		count[i] += sum[i] - base[i];
	} while (i);
	return 0;
}

/**
 * pmcgrp_section_begin - begin a section
 * @section: the section
 * @mark: out: where it begins, for pmcgrp_section_end()
 *
 * Sections nest, also those of different groups.
 *
 * Context: any, NMI included.
 * Return: 0; -ENODATA if the group does not have its counters here, -EBUSY if this has interrupted
 * a change of them: then the section is counted as missed, and its end does nothing; -EINVAL, with
 * a warning, for no section.
 */
int pmcgrp_section_begin(struct pmcgrp_section *section, struct pmcgrp_section_mark *mark)
{
	unsigned long flags;
	int err = -EBUSY;

	if (!is_section(section))
		return -EINVAL;
	mark->section = section;
	mark->set = NULL;
	local_irq_save(flags);
	if (likely(pmcgrp_recursion_try())) {
		err = begin_here(section, mark);
		pmcgrp_recursion_end();
	} else {
		pmcgrp_section_miss(section, PMCGRP_MISSED_BUSY);
	}
	local_irq_restore(flags);
	return err;
}
EXPORT_SYMBOL_GPL(pmcgrp_section_begin);

/* Why the difference of two readings is not what the section has done; or PMCGRP_MISSED_REASONS. */
static __always_inline enum pmcgrp_missed why_missed(const struct pmcgrp_section *section,
						     const struct pmcgrp_section_mark *mark,
						     const struct pmcgrp_evset *set)
{
	if (mark->task != current && !section->is_of_cpu)
		return PMCGRP_MISSED_MOVED;
	if (unlikely(set != mark->set))
		return set ? PMCGRP_MISSED_MOVED : PMCGRP_MISSED_OFF;
	if (section->minds_switches && mark->switches != switches_of(set))
		return PMCGRP_MISSED_MOVED;
	if (set->enabled - set->running != mark->waited)
		return PMCGRP_MISSED_OFF;
	/*
	 * Pairs with the barrier in pmcgrp_group_stops(): the set has come back after a stop.  It
	 * was enabled at the beginning, so without a stop it is.
	 */
	smp_rmb();
	if (READ_ONCE(section->group->stops) != mark->stops)
		return PMCGRP_MISSED_OFF;
	return PMCGRP_MISSED_REASONS;
}

/* More than the sums of this CPU.  @value: what each event of the list has counted. */
static noinline void tell(const struct pmcgrp_section *section, struct pmcgrp_evset *set, u64 begin,
			  u64 time, const u64 *value)
{
	if (section->table)
		pmcgrp_section_table_add(section->table, time, value);
	if (section->recorder)
		pmcgrp_span_record(section, set, begin, time, value);
}

static __always_inline int end_here(const struct pmcgrp_section *section,
				    const struct pmcgrp_section_mark *mark)
{
	struct pmcgrp_section_cpu *cpu = this_cpu_ptr(section->cpu);
	struct pmcgrp_evset *set = set_here(cpu);
	struct pmcgrp_section_stat *stat = cpu->stat;
	u64 *end = cpu->end, wrong = 0, now;
	const u64 *begin = mark->count, *sum, *base;
	enum pmcgrp_missed why;
	size_t i;

	why = why_missed(section, mark, set);
	if (unlikely(why != PMCGRP_MISSED_REASONS)) {
		pmcgrp_section_miss(section, why);
		return -ENODATA;
	}
	now = read_counters(set, end);
	pmcgrp_evset_sync(set, now);
	sum = set->sum;
	base = set->base;
	i = set->nr;
	do {
		i--;
		end[i] += sum[i] - base[i] - begin[i];
		wrong |= end[i];
	} while (i);
	/* A driver was at the counters at one of both ends (pmcgrp_counters_read()). */
	if (unlikely((s64)wrong < 0)) {
		pmcgrp_section_miss(section, PMCGRP_MISSED_BUSY);
		return -EBUSY;
	}
	cpu->count++;
	now = now > mark->now ? now - mark->now : 0;
	stat_add(stat, now);
	i = set->nr;
	do {
		stat_add(++stat, *end++);
	} while (--i);
	if (unlikely(section->tells))
		tell(section, set, mark->now, now, cpu->end);
	/* The last thing: it leaves the recursion section meanwhile. */
	if (pmcgrp_section_is_traced())
		pmcgrp_section_trace(section, cpu->end, now);
	return 0;
}

/**
 * pmcgrp_section_end - end a section, and count it
 * @section: the section
 * @mark: where it began
 *
 * Context: any, NMI included.
 * Return: 0; -ENODATA if it cannot be counted, -EBUSY if this has interrupted a change of counters:
 * then it is counted as missed; -EALREADY if its beginning was missed; -EINVAL, with a warning, if
 * @mark is of another section or of none.
 */
int pmcgrp_section_end(struct pmcgrp_section *section, struct pmcgrp_section_mark *mark)
{
	unsigned long flags;
	int err = -EBUSY;

	if (!is_section(section) ||
	    WARN_ONCE(mark->section != section, "pmcgrp: a section ends that has not begun"))
		return -EINVAL;
	mark->section = NULL;
	if (unlikely(!mark->set))
		return -EALREADY;
	local_irq_save(flags);
	if (likely(pmcgrp_recursion_try())) {
		err = end_here(section, mark);
		pmcgrp_recursion_end();
	} else {
		pmcgrp_section_miss(section, PMCGRP_MISSED_BUSY);
	}
	local_irq_restore(flags);
	return err;
}
EXPORT_SYMBOL_GPL(pmcgrp_section_end);
