// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sections: what happens between two points of a kernel module's code (include/linux/pmcgrp.h), or
 * of a span (span.c).
 *
 * The values at the beginning are on the caller's stack, or where a span keeps them.  At the end
 * the differences are added to this CPU's sums, and to histograms by the power of 2.  Nothing is
 * added if the group has not had its counters all the time, or if it counts a CPU or several tasks
 * and the task was preempted or moved meanwhile: the section is counted as missed then.  A group of
 * one task is right in these cases as well, as it counts nothing while the task is out, and so are
 * spans whose tasks are followed (span_task.c); but the time of such a section goes on.
 *
 * A set advances @enabled and @running alike while it has its counters.  So they differ by the same
 * time at both ends if it has had them all the time.  While the group is disabled neither advances:
 * pmcgrp_group.stops shows.
 *
 * Context of begin and end: any, NMI included; interrupts are off for one reading of the counters.
 * A section that interrupts another one's reading, or a change of this CPU's sets, is missed.
 */
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <uapi/linux/pmcgrp.h>
#include "counter/counter.h"
#include "group/group.h"
#include "include/linux/pmcgrp.h"
#include "platform/recursion.h"
#include "set/evlist.h"
#include "set/evset.h"
#include "span/section.h"
#include "span/section_key.h"
#include "span/span_task.h"

static __always_inline void section_stat_add(struct pmcgrp_section_stat *stat, u64 value)
{
	stat->sum += value;
	if (unlikely(value < stat->min))
		stat->min = value;
	if (unlikely(value > stat->max))
		stat->max = value;
	stat->bucket[fls64(value)]++;
}

/*
 * What changes as the running task is switched from, which preemption does as well
 * (kernel/sched/core.c: __schedule()), and as the set goes out and comes in again.
 */
static __always_inline unsigned long section_switches_of(const struct pmcgrp_evset *set)
{
	unsigned long switches = current->nvcsw + current->nivcsw;

	return switches + ((unsigned long)set->nr_sched_in << (BITS_PER_LONG / 2));
}

/* The set that has its counters here, and can be read now; or NULL. */
static __always_inline struct pmcgrp_evset *set_here(const struct pmcgrp_section_cpu *cpu)
{
	struct pmcgrp_evset *set = cpu->evcpu->in;

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

/* @tasks: the tasks that are in the section, a constant where a module's has none. */
static __always_inline int begin_here(const struct pmcgrp_section *section,
				      const struct pmcgrp_span_tasks *tasks,
				      struct pmcgrp_section_mark *mark)
{
	struct pmcgrp_evset *set = set_here(this_cpu_ptr(section->cpu));
	u64 *count = mark->count;
	const u64 *sum, *base;
	size_t i;

	/* As in pmcgrp_control_set_enabled(): after a stop the group is seen disabled. */
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
		mark->switches = section_switches_of(set) & (tasks ? ~PMCGRP_SPAN_VISIT : ~0UL);
	mark->waited = set->enabled - set->running;
	mark->now = read_counters(set, count);
	/* Downwards by index: two instructions less for each than by pointers. */
	i = set->nr;
	do {
		i--;
		count[i] += sum[i] - base[i];
	} while (i);
	if (tasks && READ_ONCE(tasks->follows))
		pmcgrp_span_task_begin(tasks, set, mark);
	return 0;
}

static __always_inline int section_begin(struct pmcgrp_section *section,
					 const struct pmcgrp_span_tasks *tasks,
					 struct pmcgrp_section_mark *mark)
{
	unsigned long flags;
	int err = -EBUSY;

	mark->section = section;
	mark->set = NULL;
	local_irq_save(flags);
	if (likely(pmcgrp_recursion_try())) {
		err = begin_here(section, tasks, mark);
		pmcgrp_recursion_end();
	} else {
		pmcgrp_section_miss(section, PMCGRP_MISSED_BUSY);
	}
	local_irq_restore(flags);
	return err;
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
	return pmcgrp_is_section(section) ? section_begin(section, NULL, mark) : -EINVAL;
}
EXPORT_SYMBOL_GPL(pmcgrp_section_begin);

/*
 * Begin the section of a span, with what it has of its tasks: as pmcgrp_section_begin().  Its end
 * has the same context.
 */
int pmcgrp_span_section_begin(struct pmcgrp_section *section, struct pmcgrp_section_mark *mark)
{
	return section_begin(section, section->tasks, mark);
}

/*
 * Why the difference of two readings is not what the section has done; or PMCGRP_MISSED_REASONS.
 * @in: the set that is in here; @set: the same if it can be read
 */
static __always_inline enum pmcgrp_missed why_missed(const struct pmcgrp_section *section,
						     const struct pmcgrp_span_tasks *tasks,
						     struct pmcgrp_section_mark *mark,
						     const struct pmcgrp_evset *in,
						     const struct pmcgrp_evset *set)
{
	if (mark->task != current && !section->is_of_cpu)
		return PMCGRP_MISSED_MOVED;
	if (tasks && mark->switches & PMCGRP_SPAN_VISIT) {
		if (unlikely(!in || !pmcgrp_span_task_end(tasks, in, mark)))
			return in ? PMCGRP_MISSED_MOVED : PMCGRP_MISSED_OFF;
		if (unlikely(!set))
			return PMCGRP_MISSED_OFF;
	} else if (unlikely(set != mark->set)) {
		return set ? PMCGRP_MISSED_MOVED : PMCGRP_MISSED_OFF;
	} else if (section->minds_switches &&
		   mark->switches !=
			   (section_switches_of(set) & (tasks ? ~PMCGRP_SPAN_VISIT : ~0UL))) {
		return PMCGRP_MISSED_MOVED;
	}
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
static noinline void section_report(struct pmcgrp_section *section, struct pmcgrp_evset *set,
				    u64 begin, u64 time, const u64 *value)
{
	if (section->table)
		pmcgrp_section_table_add(section->table, time, value);
	if (section->source.group)
		pmcgrp_span_record(section, set, begin, time, value);
}

static __always_inline int end_here(struct pmcgrp_section *section,
				    const struct pmcgrp_span_tasks *tasks,
				    struct pmcgrp_section_mark *mark)
{
	struct pmcgrp_section_cpu *cpu = this_cpu_ptr(section->cpu);
	struct pmcgrp_evset *set = set_here(cpu);
	struct pmcgrp_section_stat *stat = cpu->stat;
	u64 *end = cpu->end, wrong = 0, now;
	const u64 *begin = mark->count, *sum, *base;
	enum pmcgrp_missed why;
	size_t i;

	why = why_missed(section, tasks, mark, cpu->evcpu->in, set);
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
	section_stat_add(stat, now);
	i = set->nr;
	do {
		section_stat_add(++stat, *end++);
	} while (--i);
	if (unlikely(section->reports))
		section_report(section, set, mark->now, now, cpu->end);
	/* The last thing: it leaves the recursion section meanwhile. */
	if (pmcgrp_section_is_traced())
		pmcgrp_section_trace(section, cpu->end, now);
	return 0;
}

static __always_inline int end(struct pmcgrp_section *section,
			       const struct pmcgrp_span_tasks *tasks,
			       struct pmcgrp_section_mark *mark)
{
	unsigned long flags;
	int err = -EBUSY;

	mark->section = NULL;
	if (unlikely(!mark->set))
		return -EALREADY;
	local_irq_save(flags);
	if (likely(pmcgrp_recursion_try())) {
		err = end_here(section, tasks, mark);
		pmcgrp_recursion_end();
	} else {
		pmcgrp_section_miss(section, PMCGRP_MISSED_BUSY);
	}
	local_irq_restore(flags);
	return err;
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
	if (!pmcgrp_is_section(section) ||
	    WARN_ONCE(mark->section != section, "pmcgrp: a section ends that has not begun"))
		return -EINVAL;
	return end(section, NULL, mark);
}
EXPORT_SYMBOL_GPL(pmcgrp_section_end);

void pmcgrp_span_section_end(struct pmcgrp_section *section, struct pmcgrp_section_mark *mark)
{
	end(section, section->tasks, mark);
}

/*
 * End the section of a span of the running task, which is missed.  Else the task would be followed
 * as if it were still in it.
 */
void pmcgrp_span_section_drop(const struct pmcgrp_section *section,
			      struct pmcgrp_section_mark *mark)
{
	const struct pmcgrp_evset *in;
	unsigned long flags;

	if (!section->tasks)
		return;
	local_irq_save(flags);
	if (pmcgrp_recursion_try()) {
		in = this_cpu_ptr(section->cpu)->evcpu->in;
		if (in && mark->switches & PMCGRP_SPAN_VISIT)
			pmcgrp_span_task_end(section->tasks, in, mark);
		pmcgrp_recursion_end();
	}
	local_irq_restore(flags);
}
