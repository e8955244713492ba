// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event sets: the counts and times of a list's events for one task or CPU.
 *
 * A set is scheduled in on at most one CPU at a time.  Everything that changes it runs on that
 * CPU with interrupts off, so its seqcount has one writer and needs no lock.  The scheduler
 * orders a writer before the next CPU's writer when it migrates the task.  A set that rests has
 * its context's lock instead (context.c).
 *
 * Counts and times are updated in one write section of the seqcount.  A reader retries until it
 * has all of them from one instant.
 */
#include <linux/bitops.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "counter/placement.h"
#include "platform/recursion.h"
#include "set/evlist.h"
#include "set/evset.h"

/**
 * struct reading - the last reading on this CPU of a set that went off or was accounted
 * @value: one value for each counter
 * @at: local_clock() of it
 * @nr: number of counters, if the set that comes in may go on from this reading; otherwise 0
 * @counter: these counters
 * @in_switch: a context switch is under way, from a task with sets to another one
 * @other_cgroup: the switch is one between cgroups (pmcgrp_evset_note_switch())
 *
 * It is too large for the stack, which a kernel with CONFIG_INIT_STACK_ALL_ZERO clears at each
 * call.
 */
struct reading {
	u64 value[PMCGRP_MEMBERS_MAX];
	u64 at;
	unsigned int nr;
	bool in_switch;
	bool other_cgroup;
	struct pmcgrp_counter *counter[PMCGRP_MEMBERS_MAX];
};

static DEFINE_PER_CPU(struct reading, readings);

/**
 * pmcgrp_evset_switch_begin - begin a switch from a task with sets to another one
 *
 * Until pmcgrp_evset_switch_end(), a set that comes in goes on from the reading of the set that
 * went off last, if both have the same counters.  So nothing that is counted in between is lost.
 *
 * Context: interrupts off.
 */
void pmcgrp_evset_switch_begin(void)
{
	lockdep_assert_irqs_disabled();
	this_cpu_write(readings.in_switch, true);
}

/**
 * pmcgrp_evset_switch_end - undo pmcgrp_evset_switch_begin()
 *
 * Context: interrupts off.
 */
void pmcgrp_evset_switch_end(void)
{
	lockdep_assert_irqs_disabled();
	this_cpu_write(readings.in_switch, false);
	this_cpu_write(readings.nr, 0);
}

/* Keep the reading of a set that has just gone off, for one that comes in at the same switch. */
static __always_inline void reading_keep(struct reading *reading, const struct pmcgrp_evset *set,
					 u64 now)
{
	unsigned int i;

	reading->nr = 0;
	if (set->held)
		return;
	for (i = 0; i < set->nr; i++)
		reading->counter[i] = set->counter[i];
	reading->at = now;
	reading->nr = set->nr;
}

/* Take the last reading as the base of the counts, if it is of the same counters. */
static __always_inline bool reading_take(const struct reading *reading, struct pmcgrp_evset *set)
{
	u64 *base = set->base;
	unsigned int i;

	if (reading->nr != set->nr || READ_ONCE(set->evlist->is_interrupted))
		return false;
	for (i = 0; i < set->nr; i++) {
		if (reading->counter[i] != set->counter[i])
			return false;
		base[i] = reading->value[i];
	}
	set->held = false;
	return true;
}

/**
 * pmcgrp_evset_free - free a set that nothing else refers to
 * @set: the set; its list frees one of pmcgrp_evlist.cpu_sets
 */
void pmcgrp_evset_free(struct pmcgrp_evset *set)
{
	kfree(set->member_values);
	if (set->task || !set->evlist->cpu_sets)
		kfree(set);
}

/* Start the times of a set whose times have not started; return whether they start now. */
static __always_inline bool evset_starts_clock(struct pmcgrp_evset *set, u64 now)
{
	if (!set->not_started)
		return false;
	set->not_started = false;
	set->since = now;
	return true;
}

/* Advance the times of a set that has been @on the PMU, or off; inside the write section. */
static __always_inline void evset_advance(struct pmcgrp_evset *set, u64 now, bool on)
{
	u64 delta = pmcgrp_evset_since(set, now);

	set->since += delta;
	set->enabled += delta;
	if (on) {
		set->running += delta;
		set->vruntime += delta;
	}
}

/* Advance the counts up to the readings @value; inside the write section. */
static __always_inline void evset_add_counts(struct pmcgrp_evset *set, const u64 *value)
{
	u64 *sum = set->sum, *end = sum + set->nr;
	const u64 *base = set->base;

	while (sum < end)
		*sum++ += *value++ - *base++;
}

/**
 * pmcgrp_evset_sync_now - sync a set's counters, for pmcgrp_evset_sync()
 * @set: the set, on the PMU
 * @now: local_clock()
 *
 * Context: as for pmcgrp_counters_sync().
 */
void pmcgrp_evset_sync_now(struct pmcgrp_evset *set, u64 now)
{
	pmcgrp_assert_here(set->cpu);
	set->synced_at = now;
	pmcgrp_counters_sync(set->counter, set->nr_hw);
}

static __always_inline u64 evset_read(const struct pmcgrp_evset *set, u64 *value)
{
	return pmcgrp_evset_read(set->counter, set->nr_hw, set->nr, value, set->held);
}

/* Take the first reading of a placement as the base of the counts. */
static __always_inline u64 evset_begin(struct pmcgrp_evset *set)
{
	set->held = READ_ONCE(set->evlist->is_interrupted);
	return pmcgrp_evset_read_first(set->counter, set->nr_hw, set->nr, set->base, &set->held);
}

static __always_inline void report_counters_on(const struct pmcgrp_evset *set)
{
	const struct pmcgrp_evlist_hooks *hooks = READ_ONCE(set->evlist->hooks);

	if (unlikely(hooks))
		hooks->counters_on(set);
}

/**
 * pmcgrp_evset_accounted - report that a set's sums are up to date, or that it is not in any more
 * @set: the set
 *
 * Context: interrupts off, where the set may be changed.
 */
void pmcgrp_evset_accounted(const struct pmcgrp_evset *set)
{
	const struct pmcgrp_evlist_hooks *hooks = READ_ONCE(set->evlist->hooks);

	if (unlikely(hooks && hooks->accounted))
		hooks->accounted(set);
}

/**
 * pmcgrp_evset_add - put all counters of a set on the PMU, or none
 * @set: the set, off the PMU, with counters on this CPU
 *
 * Context: this CPU, interrupts off, in a section of pmcgrp_recursion_enter().
 * Return: 0 if the set counts now; otherwise the error of pmcgrp_counters_place(), and the set is
 * as before.
 */
int pmcgrp_evset_add(struct pmcgrp_evset *set)
{
	const struct reading *reading = this_cpu_ptr(&readings);
	u64 now;
	int err;

	pmcgrp_assert_here(set->cpu);
	pmcgrp_assert_recursion();
	err = pmcgrp_counters_place(set->counter, set->nr_hw);
	if (err)
		return err;

	now = reading_take(reading, set) ? reading->at : evset_begin(set);
	if (!evset_starts_clock(set, now)) {
		write_seqcount_begin(&set->seq);
		evset_advance(set, now, false);
		write_seqcount_end(&set->seq);
	}
	set->on = true;
	report_counters_on(set);
	return 0;
}

/**
 * pmcgrp_evset_del - account a set, and release its hardware counters
 * @set: the set, on the PMU
 *
 * The caller reports it by pmcgrp_evset_accounted(), once it is clear whether the set goes out.
 *
 * Context: this CPU, interrupts off, in a section of pmcgrp_recursion_enter().
 */
void pmcgrp_evset_del(struct pmcgrp_evset *set)
{
	const struct pmcgrp_evlist_hooks *hooks = READ_ONCE(set->evlist->hooks);
	struct reading *reading = this_cpu_ptr(&readings);
	u64 now;

	pmcgrp_assert_here(set->cpu);
	pmcgrp_assert_recursion();
	if (unlikely(hooks && hooks->counters_off))
		hooks->counters_off(set->evlist);
	now = evset_read(set, reading->value);
	write_seqcount_begin(&set->seq);
	evset_advance(set, now, true);
	evset_add_counts(set, reading->value);
	set->on = false;
	write_seqcount_end(&set->seq);
	if (reading->in_switch)
		reading_keep(reading, set, now);
	pmcgrp_evset_sync(set, now);
	pmcgrp_counters_release(set->counter, set->nr_hw, now);
}

/**
 * pmcgrp_evset_hand_over - account a set, and let another one go on counting by its counters
 * @from: the set, on the PMU; it is off afterwards
 * @to: the other set, off
 *
 * Both have the same counters, which stay in use.  One reading ends one set and begins the other.
 *
 * Context: this CPU, interrupts off, in a section of pmcgrp_recursion_enter().
 * Return: local_clock() at the end of the reading.
 */
u64 pmcgrp_evset_hand_over(struct pmcgrp_evset *from, struct pmcgrp_evset *to)
{
	u64 now;

	pmcgrp_assert_here(from->cpu);
	pmcgrp_assert_here(to->cpu);
	pmcgrp_assert_recursion();
	now = evset_read(from, to->base);
	write_seqcount_begin(&from->seq);
	evset_advance(from, now, true);
	evset_add_counts(from, to->base);
	from->on = false;
	write_seqcount_end(&from->seq);
	pmcgrp_evset_sync(from, now);
	to->held = from->held;
	to->since = now;
	to->on = true;
	return now;
}

/*
 * Switch a set to readings with a held PMU: a trigger of its list is now a hardware counter.
 * Events between the last reading in the old state and the first one in the new state are not
 * counted.
 */
static noinline void evset_begin_again(struct pmcgrp_evset *set)
{
	evset_begin(set);
	report_counters_on(set);
}

/**
 * pmcgrp_evset_note_switch - note between which tasks this CPU switches
 * @prev: task that leaves
 * @next: task that comes
 *
 * Context: before pmcgrp_evset_leaves() for @prev, if pmcgrp_switch_events is not 0.
 */
void pmcgrp_evset_note_switch(struct task_struct *prev, struct task_struct *next)
{
	lockdep_assert_irqs_disabled();
	this_cpu_write(readings.other_cgroup, pmcgrp_tasks_differ_in_cgroup(prev, next));
}

/* The events of a set that perf core counts at the switch that is under way. */
static u64 counted_switches(const struct pmcgrp_evset *set)
{
	return this_cpu_read(readings.other_cgroup) ? set->switches :
						      set->switches & ~set->cgroup_switches;
}

/**
 * pmcgrp_evset_count_leave - do pmcgrp_evset_leaves() for a set that counts context switches
 * @set: the set
 *
 * Context: as pmcgrp_evset_leaves().
 */
void pmcgrp_evset_count_leave(struct pmcgrp_evset *set)
{
	u64 switches;

	pmcgrp_assert_here(set->cpu);
	if (!set->on)
		return;
	pmcgrp_recursion_enter();
	write_seqcount_begin(&set->seq);
	for (switches = counted_switches(set); switches; switches &= switches - 1)
		set->sum[__ffs64(switches)]++;
	write_seqcount_end(&set->seq);
	pmcgrp_recursion_leave();
}

/**
 * pmcgrp_evset_add_switch - add the switch that is under way to the counts of a set that stays
 * @set: the set, which is on this CPU and counts both tasks
 * @count: counts of the leaving task, in which perf core's count of its switch is missing
 *
 * Context: as pmcgrp_evset_leaves().
 */
void pmcgrp_evset_add_switch(const struct pmcgrp_evset *set, u64 *count)
{
	u64 switches;

	pmcgrp_assert_here(set->cpu);
	if (!set->on)
		return;
	for (switches = counted_switches(set); switches; switches &= switches - 1)
		count[__ffs64(switches)]++;
}

/**
 * pmcgrp_evset_uncount_enter - do pmcgrp_evset_enters() for a set that counts context switches
 * @set: the set
 *
 * Context: as pmcgrp_evset_leaves().
 */
void pmcgrp_evset_uncount_enter(struct pmcgrp_evset *set)
{
	u64 switches;

	if (!set->on)
		return;
	pmcgrp_assert_here(set->cpu);
	for (switches = counted_switches(set); switches; switches &= switches - 1)
		set->base[__ffs64(switches)]++;
}

/**
 * pmcgrp_evset_account - update a set's counts and times up to now
 * @set: the set, which @is_in on this CPU
 *
 * Context: this CPU, interrupts off.
 */
void pmcgrp_evset_account(struct pmcgrp_evset *set)
{
	struct reading *reading = this_cpu_ptr(&readings);
	u64 *value = reading->value, now;

	pmcgrp_assert_here(set->cpu);
	pmcgrp_recursion_enter();
	reading->nr = 0;
	now = set->on ? evset_read(set, value) : local_clock();

	write_seqcount_begin(&set->seq);
	if (!evset_starts_clock(set, now))
		evset_advance(set, now, set->on);
	if (set->on) {
		evset_add_counts(set, value);
		memcpy(set->base, value, set->nr * sizeof(*value));
	}
	write_seqcount_end(&set->seq);
	if (set->on) {
		if (unlikely(READ_ONCE(set->evlist->is_interrupted) && !set->held) &&
		    pmcgrp_evset_can_be_held(set->counter, set->nr_hw))
			evset_begin_again(set);
		pmcgrp_evset_sync(set, now);
	}
	pmcgrp_evset_accounted(set);
	pmcgrp_recursion_leave();
}

/**
 * pmcgrp_evset_copy - copy a set's accounted counts and times consistently
 * @set: the set, on any CPU or none
 * @total: out
 *
 * Context: any but NMI, which could wait for ever for a writer that it has interrupted.
 */
void pmcgrp_evset_copy(const struct pmcgrp_evset *set, struct pmcgrp_values *total)
{
	unsigned int i, seq;

	do {
		seq = read_seqcount_begin(&set->seq);
		total->enabled = set->enabled;
		total->running = set->running;
		for (i = 0; i < set->nr; i++)
			total->count[i] = set->sum[i];
	} while (read_seqcount_retry(&set->seq, seq));
}

/**
 * pmcgrp_values_add - add counts and times to others
 * @sum: sum to add to
 * @part: values to add
 * @nr: number of events of both
 */
void pmcgrp_values_add(struct pmcgrp_values *sum, const struct pmcgrp_values *part,
		       unsigned int nr)
{
	unsigned int i;

	sum->enabled += part->enabled;
	sum->running += part->running;
	for (i = 0; i < nr; i++)
		sum->count[i] += part->count[i];
}
