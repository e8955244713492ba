// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sections: what happens between two points of a kernel module's code (include/linux/pmcgrp.h).
 *
 * The values at the beginning are on the caller's stack.  At the end the differences are added to
 * this CPU's sums, and to histograms by the power of 2.  Nothing is added if the group has not had
 * its counters all the time, or if a group that counts a CPU was preempted or moved meanwhile: the
 * section is counted as missed then.  A group of one task is right in these cases as well, as it
 * counts nothing while the task is out.
 *
 * A set advances @enabled and @running alike while it has its counters.  So they differ by the same
 * time at both ends if it has had them all the time.
 *
 * Context of begin and end: any, NMI included; interrupts are off for one reading of the counters.
 * A section that interrupts another one's reading, or a change of this CPU's sets, is missed.
 */
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
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "include/linux/pmcgrp.h"
#include "counter.h"
#include "evlist.h"
#include "evset.h"
#include "group.h"
#include "kernel_group.h"
#include "recursion.h"
#include "section.h"
#include "uapi_copy.h"

static_assert(sizeof(struct pmcgrp_section_info) == PMCGRP_SECTION_INFO_SIZE_VER0);

/**
 * struct section_cpu - what sections on one CPU have counted; that CPU, in a recursion section
 * @count: number of sections
 * @missed: number of those that were not counted, by reason; this_cpu_inc() in any context
 * @row: the list's row of the CPU.  Constant.
 * @end: scratch: counts at the end of a section
 * @stat: nanoseconds, and each event of the group's list
 */
struct section_cpu {
	const struct pmcgrp_row *row;
	u64 count;
	u64 end[PMCGRP_SECTION_MEMBERS_MAX];
	u64 missed[PMCGRP_MISSED_REASONS];
	struct pmcgrp_section_stat stat[PMCGRP_SECTION_MEMBERS_MAX + 1];
};

/**
 * struct pmcgrp_section - a section
 * @node: node in the list of all sections; sections_mutex
 * @group_node: node in pmcgrp_kernel_group.sections; sections_mutex
 * @group: group that counts.  Constant.
 * @id: increasing.  Constant.
 * @follows_task: the group counts one task, wherever it runs.  Constant.
 * @cpu: what has been counted on each CPU
 * @name: name.  Constant.
 */
struct pmcgrp_section {
	struct list_head node;
	struct list_head group_node;
	const struct pmcgrp_group *group;
	u64 id;
	bool follows_task;
	struct section_cpu __percpu *cpu;
	char name[PMCGRP_SECTION_NAME_MAX];
};

static DEFINE_MUTEX(sections_mutex);
static LIST_HEAD(sections); /* in the order of their ids; sections_mutex */

static void stat_init(struct pmcgrp_section_stat *stat)
{
	stat->min = U64_MAX;
}

static __always_inline void stat_add(struct pmcgrp_section_stat *stat, u64 value)
{
	stat->sum += value;
	if (unlikely(value < stat->min))
		stat->min = value;
	if (unlikely(value > stat->max))
		stat->max = value;
	stat->bucket[fls64(value)]++;
}

static void stat_merge(struct pmcgrp_section_stat *to, const struct pmcgrp_section_stat *from)
{
	unsigned int i;

	to->sum += from->sum;
	to->min = min(to->min, from->min);
	to->max = max(to->max, from->max);
	for (i = 0; i < PMCGRP_SECTION_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

/**
 * pmcgrp_section_create - make a section
 * @group: group that counts, with at most PMCGRP_SECTION_MEMBERS_MAX members
 * @name: name, cut after PMCGRP_SECTION_NAME_MAX - 1 characters
 *
 * Context: may sleep.
 * Return: the section, for pmcgrp_section_destroy(); or an ERR_PTR: -EINVAL, with a warning; -ENOMEM.
 */
struct pmcgrp_section *pmcgrp_section_create(struct pmcgrp_kernel_group *group, const char *name)
{
	static u64 last_id; /* sections_mutex */
	struct pmcgrp_section *section;
	unsigned int i;
	int cpu;

	might_sleep();
	if (WARN_ONCE(IS_ERR_OR_NULL(group) || !name ||
			      group->group->nr > PMCGRP_SECTION_MEMBERS_MAX,
		      "pmcgrp: no section for such a group"))
		return ERR_PTR(-EINVAL);
	section = kzalloc(sizeof(*section), GFP_KERNEL);
	if (!section)
		return ERR_PTR(-ENOMEM);
	section->cpu = alloc_percpu(struct section_cpu);
	if (!section->cpu) {
		kfree(section);
		return ERR_PTR(-ENOMEM);
	}
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(section->cpu, cpu)->row = pmcgrp_row_of(group->group->list, cpu);
		for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++)
			stat_init(&per_cpu_ptr(section->cpu, cpu)->stat[i]);
	}
	section->group = group->group;
	section->follows_task = pmcgrp_evlist_has_one_set(group->group->list) &&
				!pmcgrp_evlist_counts_cpus(group->group->list);
	strscpy_pad(section->name, name, sizeof(section->name));
	mutex_lock(&sections_mutex);
	section->id = ++last_id;
	list_add_tail(&section->node, &sections);
	list_add_tail(&section->group_node, &group->sections);
	mutex_unlock(&sections_mutex);
	return section;
}
EXPORT_SYMBOL_GPL(pmcgrp_section_create);

static void section_free(struct pmcgrp_section *section)
{
	lockdep_assert_held(&sections_mutex);
	list_del(&section->node);
	list_del(&section->group_node);
	free_percpu(section->cpu);
	kfree(section);
}

static __always_inline bool is_section(const struct pmcgrp_section *section)
{
	return likely(!IS_ERR_OR_NULL(section)) || !WARN_ONCE(true, "pmcgrp: no section");
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
	mutex_lock(&sections_mutex);
	section_free(section);
	mutex_unlock(&sections_mutex);
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

	mutex_lock(&sections_mutex);
	list_for_each_entry_safe(section, next, &group->sections, group_node)
		section_free(section);
	mutex_unlock(&sections_mutex);
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

	mutex_lock(&sections_mutex);
	exist = !list_empty(&group->sections);
	mutex_unlock(&sections_mutex);
	return exist;
}

/* Switches of the running task: preemption changes them (kernel/sched/core.c: __schedule()). */
static unsigned long switches_of(const struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/* The set that has its counters here, and can be read now; or NULL. */
static __always_inline struct pmcgrp_evset *set_here(const struct section_cpu *cpu)
{
	struct pmcgrp_evset *set = cpu->row->in;

	if (!set || !set->on || pmcgrp_counters_may_move(set->counter, set->nr_hw))
		return NULL;
	return set;
}

/* Read the counts of a set, without its times: in the state that the PMU has. */
static __always_inline u64 read_counts(struct pmcgrp_evset *set, u64 *count)
{
	const u64 *sum = set->sum, *base = set->base, *end = count + set->nr;
	u64 now;

	if (likely(pmcgrp_counters_try_read(set->counter, set->nr, count)))
		now = local_clock();
	else
		now = pmcgrp_counters_read(set->counter, set->nr, count);
	do {
		*count++ += *sum++ - *base++;
	} while (count < end);
	return now;
}

static void miss(const struct pmcgrp_section *section, enum pmcgrp_missed why)
{
	this_cpu_inc(section->cpu->missed[why]);
}

static __always_inline int begin_here(const struct pmcgrp_section *section,
				      struct pmcgrp_section_mark *mark)
{
	struct pmcgrp_evset *set = set_here(this_cpu_ptr(section->cpu));

	if (!set) {
		miss(section, PMCGRP_MISSED_OFF);
		return -ENODATA;
	}
	mark->set = set;
	mark->task = current;
	mark->switches = switches_of(current);
	mark->waited = set->enabled - set->running;
	mark->now = read_counts(set, mark->count);
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
 * Return: 0; -ENODATA if the group does not have its counters here, -EBUSY if this has interrupted a
 * change of them: then the section is counted as missed, and its end does nothing; -EINVAL, with a
 * warning, for no section.
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
		miss(section, PMCGRP_MISSED_BUSY);
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
	if (mark->task != current ||
	    (!section->follows_task && mark->switches != switches_of(current)))
		return PMCGRP_MISSED_MOVED;
	if (!set)
		return PMCGRP_MISSED_OFF;
	if (set != mark->set)
		return PMCGRP_MISSED_MOVED;
	if (set->enabled - set->running != mark->waited)
		return PMCGRP_MISSED_OFF;
	return PMCGRP_MISSED_REASONS;
}

static __always_inline int end_here(const struct pmcgrp_section *section,
				    const struct pmcgrp_section_mark *mark)
{
	struct section_cpu *cpu = this_cpu_ptr(section->cpu);
	struct pmcgrp_evset *set = set_here(cpu);
	const u64 *begin = mark->count, *end = cpu->end;
	struct pmcgrp_section_stat *stat = cpu->stat;
	enum pmcgrp_missed why;
	unsigned int i;
	u64 now;

	why = why_missed(section, mark, set);
	if (unlikely(why != PMCGRP_MISSED_REASONS)) {
		miss(section, why);
		return -ENODATA;
	}
	now = read_counts(set, cpu->end);
	pmcgrp_evset_sync(set, now);
	cpu->count++;
	stat_add(stat, now > mark->now ? now - mark->now : 0);
	i = set->nr;
	do {
		stat_add(++stat, *end++ - *begin++);
	} while (--i);
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
		miss(section, PMCGRP_MISSED_BUSY);
	}
	local_irq_restore(flags);
	return err;
}
EXPORT_SYMBOL_GPL(pmcgrp_section_end);

/**
 * struct collect - the sum over CPUs of what a section has counted
 * @section: the section
 * @sum: the sum
 */
struct collect {
	const struct pmcgrp_section *section;
	struct section_cpu *sum;
};

static void collect_from(struct collect *collect, const struct section_cpu *cpu)
{
	struct section_cpu *sum = collect->sum;
	unsigned int i;

	sum->count += cpu->count;
	for (i = 0; i < PMCGRP_MISSED_REASONS; i++)
		sum->missed[i] += cpu->missed[i];
	for (i = 0; i <= collect->section->group->list->nr_events; i++)
		stat_merge(&sum->stat[i], &cpu->stat[i]);
}

static void collect_here(void *info)
{
	struct collect *collect = info;

	pmcgrp_recursion_enter();
	collect_from(collect, this_cpu_ptr(collect->section->cpu));
	pmcgrp_recursion_leave();
}

/* Sum up, one CPU after the other.  One that goes offline meanwhile counts nothing any more. */
static void section_collect(const struct pmcgrp_section *section, struct section_cpu *sum)
{
	struct collect collect = { .section = section, .sum = sum };
	unsigned int i;
	int cpu;

	for (i = 0; i <= PMCGRP_SECTION_MEMBERS_MAX; i++)
		stat_init(&sum->stat[i]);
	for_each_possible_cpu(cpu)
		if (smp_call_function_single(cpu, collect_here, &collect, 1))
			collect_from(&collect, per_cpu_ptr(section->cpu, cpu));
}

/* The section with the lowest id from @id on, or NULL. */
static const struct pmcgrp_section *section_from(u64 id)
{
	const struct pmcgrp_section *section;

	lockdep_assert_held(&sections_mutex);
	list_for_each_entry(section, &sections, node)
		if (section->id >= id)
			return section;
	return NULL;
}

static void section_fill(struct pmcgrp_section_info *info, const struct pmcgrp_section *section,
			 struct section_cpu *sum)
{
	const struct pmcgrp_group *group = section->group;

	section_collect(section, sum);
	info->id = section->id;
	info->group = group->member[0].id;
	info->nr_members = group->nr;
	info->count = sum->count;
	memcpy(info->missed, sum->missed, sizeof(sum->missed));
	memcpy(info->name, section->name, sizeof(info->name));
}

/* Copy time and members, as many as there is room for. */
static int put_stats(const struct pmcgrp_section_info *info, const struct pmcgrp_group *group,
		     struct section_cpu *sum)
{
	struct pmcgrp_section_stat __user *out = u64_to_user_ptr(info->stats);
	struct pmcgrp_section_stat *stat = &sum->stat[0];
	unsigned int i;

	for (i = 0; i < info->nr_stats && i <= group->nr; i++) {
		if (i) {
			stat = &sum->stat[group->member[i - 1].event + 1];
			stat->type = group->member[i - 1].attr.type;
			stat->config = group->member[i - 1].attr.config;
			stat->config1 = group->member[i - 1].attr.config1;
		}
		if (!info->count)
			stat->min = 0;
		if (copy_to_user(&out[i], stat, sizeof(*stat)))
			return -EFAULT;
	}
	return 0;
}

/**
 * pmcgrp_section_next - tell what a section has counted (PMCGRP_IOC_SECTION_NEXT)
 * @uarg: user pointer to a struct pmcgrp_section_info
 *
 * Context: may sleep.
 * Return: 0, or the errno that the uapi header gives.
 */
long pmcgrp_section_next(void __user *uarg)
{
	const struct pmcgrp_section *section;
	struct pmcgrp_section_info info;
	struct section_cpu *sum;
	u32 size;
	int err;

	err = pmcgrp_copy_sized(&info, sizeof(info), PMCGRP_SECTION_INFO_SIZE_VER0, uarg);
	if (err)
		return err;
	if (info.flags)
		return -EINVAL;
	size = min_t(u32, info.size, sizeof(info));
	sum = kzalloc(sizeof(*sum), GFP_KERNEL_ACCOUNT);
	if (!sum)
		return -ENOMEM;
	mutex_lock(&sections_mutex);
	section = section_from(info.id);
	if (section) {
		section_fill(&info, section, sum);
		err = put_stats(&info, section->group, sum);
	} else {
		err = -ENOENT;
	}
	mutex_unlock(&sections_mutex);
	kfree(sum);
	info.size = sizeof(info);
	return err ? err : copy_to_user(uarg, &info, size) ? -EFAULT : 0;
}
