// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count pages: what mmap() gives of a member of a group with a leader is what it gives of a
 * counting event of perf's (struct perf_event_mmap_page).
 *
 * Only lists with one set have them: those of one task or CPU.  The page shows what read() would.
 * It is written when the set gets or loses its counters, is brought up to date or goes out, and
 * when members change.  So it is right whenever the member counts nothing, but for the time of a
 * set that rests: that stands until the set comes back, is read or disabled.  While it counts,
 * @offset is what it has counted up to then, less the register where user space can read that:
 * @index says which.  Else @index is 0, as of perf's software events.
 *
 * User space reads registers on x86 only (user_read.h).  On arm64 the driver restarts a counter
 * every 2^32 events, without notice.  On x86 that is every 2^47 events: such a page is written
 * again, and the counter reloaded, long before (count_page_map.c).  Where Intel's driver uses 31
 * bits of a counter, there is no register.  As drivers move counters
 * there, a sentry reports that (sentry.c).  An interrupt of this CPU then writes the page again,
 * before user space goes on.
 *
 * count_page_map.c makes them.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/seqlock.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/counter.h"
#include "group/group.h"
#include "platform/counter_reg.h"
#include "sample/count_page.h"
#include "sample/sentry.h"
#include "sample/user_read.h"
#include "set/evlist.h"
#include "set/evset.h"

/* A counter with fewer events left before its overflow is reloaded (pmcgrp_counters_reload()). */
#define LEFT_LEAST (BIT_ULL(PMCGRP_REG_BITS - 2) - 1)

/**
 * struct shown - what a page is to show
 * @v: count, less the register's value with @index, and times
 * @index: perf_event_mmap_page.index
 * @goes_on: @v.enabled goes on
 */
struct shown {
	struct pmcgrp_member_values v;
	u32 index;
	bool goes_on;
};

static u64 clock_ns(const struct pmcgrp_user_clock *clock, u64 ticks)
{
	u64 rest = ticks & (BIT_ULL(clock->shift) - 1);

	return (ticks >> clock->shift) * clock->mult + (rest * clock->mult >> clock->shift);
}

/* Under pmcgrp_group.values_lock.  Readers are on any CPU. */
static void page_write(struct perf_event_mmap_page *page, const struct pmcgrp_group *group,
		       const struct shown *shown)
{
	const struct pmcgrp_user_clock *clock = &group->user_read.count_pages->clock;
	bool has_clock = shown->goes_on && clock_is_good(clock);

	WRITE_ONCE(page->lock, page->lock + 1);
	smp_wmb(); /* pairs with the reader, in user space */
	WRITE_ONCE(page->index, shown->index);
	WRITE_ONCE(page->offset, shown->v.count);
	WRITE_ONCE(page->time_enabled, shown->v.enabled);
	WRITE_ONCE(page->time_running, shown->v.running);
	page->cap_user_time = has_clock;
	if (has_clock) {
		page->time_mult = clock->mult;
		page->time_shift = clock->shift;
		page->time_offset = -clock_ns(clock, clock_now());
	}
	smp_wmb(); /* as above */
	WRITE_ONCE(page->lock, page->lock + 1);
}

/* What a set has counted, if it may be in elsewhere or come in. */
static void values_copy(const struct pmcgrp_evset *set, unsigned int event,
			struct pmcgrp_member_values *v)
{
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&set->seq);
		v->count = set->sum[event];
		v->enabled = set->enabled;
		v->running = set->running;
	} while (read_seqcount_retry(&set->seq, seq));
}

/* Show where user space reads a member's register.  Return how many events it has left. */
static u64 show_register(const struct pmcgrp_evset *set, unsigned int event, struct shown *shown)
{
	const struct pmcgrp_counter *counter = set->counter[event];
	struct pmcgrp_reg_read parts;

	pmcgrp_counter_reg_read(counter->event, counter->reg, &parts);
	shown->index = counter_index(counter->event) + 1;
	shown->v.count += pmcgrp_reg_value(&parts) - set->base[event] -
			  sign_extend64(parts.now, PMCGRP_REG_BITS - 1);
	return pmcgrp_reg_left(&parts);
}

/*
 * Whether the driver restarts a counter as rarely as its width allows.  Intel's does so every 2^31
 * events where registers cannot be written in full (arch/x86/events/intel/core.c: max_period).
 */
static bool period_is_long(const struct pmcgrp_counter *counter)
{
	return counter->event->hw.sample_period >> 1 >= LEFT_LEAST;
}

/* Whether user space can read registers of the group while its set is as it is. */
static bool registers_may_open(const struct pmcgrp_group *group, const struct pmcgrp_evset *set)
{
	return COUNTERS_MOVE && READ_ONCE(group->user_read.sentry) && set->on && set->nr_hw;
}

/* Whether it can now. */
static bool registers_are_open(const struct pmcgrp_group *group, const struct pmcgrp_evset *set)
{
	return registers_may_open(group, set) && registers_stay_here(set);
}

/*
 * Find what a member shows.  @here: on the CPU of a set that is in.  @open: registers can be read.
 * Return how many events its register has left.
 */
static u64 find_shown(const struct pmcgrp_group *group, unsigned int i,
		      const struct pmcgrp_evset *set, bool here, bool open, struct shown *shown)
{
	const struct pmcgrp_member_values *kept = &group->member_values[i];
	unsigned int event = group->member[i].event;
	u64 left = U64_MAX, since = 0;

	*shown = (struct shown){ .v = *kept };
	if (!group->member[i].on)
		return left;
	values_copy(set, event, &shown->v);
	if (open && set->counter[event]->pmu == group->member[i].mfd->pmu &&
	    set->counter[event]->has_reg && set->counter[event]->reg >= 0 &&
	    period_is_long(set->counter[event]))
		left = show_register(set, event, shown);
	shown->goes_on = here && set->is_in;
	if (shown->goes_on && !set->not_started)
		since = pmcgrp_evset_since(set, local_clock());
	shown->v.count -= kept->count;
	shown->v.enabled += since - kept->enabled;
	shown->v.running += (set->on && here ? since : 0) - kept->running;
	return left;
}

/*
 * Write all pages of a group.  @here: on the CPU of a set that is in.  Return whether they should
 * be written again soon: the PMU is held for now, or a counter has to be reloaded.
 */
static bool write_pages(const struct pmcgrp_group *group, const struct pmcgrp_evset *set, bool here)
{
	bool open = here && registers_are_open(group, set);
	struct perf_event_mmap_page *page;
	u64 left = U64_MAX;
	struct shown shown;
	unsigned int i;

	lockdep_assert_held(&group->values_lock);
	for (i = 0; i < group->nr; i++) {
		page = group->member[i].mfd ? group->member[i].mfd->page : NULL;
		if (!page)
			continue;
		left = min(left, find_shown(group, i, set, here, open, &shown));
		page_write(page, group, &shown);
	}
	return left < LEFT_LEAST || (here && registers_may_open(group, set) &&
				     pmcgrp_counters_are_held(set->counter, set->nr_hw));
}

/* The set is in here, or has just gone out. */
static bool write_set(const struct pmcgrp_evset *set)
{
	struct pmcgrp_group *group = set->evlist->only_group;
	bool again;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&group->values_lock);
	again = write_pages(group, set, true);
	raw_spin_unlock(&group->values_lock);
	return again;
}

static void renew_set(const struct pmcgrp_evset *set)
{
	if (write_set(set) && pmcgrp_counters_reload(set->counter, set->nr_hw)) {
		pmcgrp_sentry_report(set);
		write_set(set);
	}
}

/* Write the pages of all sets on this CPU; an irq_work, before user space goes on. */
static void renew_here(struct irq_work *work)
{
	const struct pmcgrp_evset *set;

	list_for_each_entry(set, &pmcgrp_this_cpu()->sets, cpu_node)
		if (set->on && READ_ONCE(set->evlist->hooks) == &pmcgrp_count_page_hooks)
			renew_set(set);
}

static DEFINE_PER_CPU(struct irq_work, renewals);

/* Write the pages of all sets on this CPU as soon as interrupts are on; they are off now. */
void pmcgrp_count_page_renew_soon(void)
{
	irq_work_queue(this_cpu_ptr(&renewals));
}

/**
 * struct write_call - a call to write the pages of a group
 * @group: the group
 * @done: they are written
 */
struct write_call {
	struct pmcgrp_group *group;
	bool done;
};

static void write_here(void *info)
{
	struct write_call *call = info;
	struct pmcgrp_group *group = call->group;
	const struct pmcgrp_evset *set = group->evlist->only;
	bool again = false;
	int cpu;

	raw_spin_lock(&group->values_lock);
	/* If it comes in from now on, it waits for the lock, and is written after this. */
	cpu = READ_ONCE(set->cpu);
	call->done = cpu < 0 || cpu == smp_processor_id();
	if (call->done)
		again = write_pages(group, set, cpu >= 0);
	raw_spin_unlock(&group->values_lock);
	if (again)
		pmcgrp_count_page_renew_soon();
}

/**
 * pmcgrp_count_page_publish - write the pages of a group, where its set is in
 * @group: the group, whose list goes on
 *
 * Context: may sleep.
 */
void pmcgrp_count_page_publish(struct pmcgrp_group *group)
{
	struct write_call call = { .group = group };
	unsigned long flags;
	int cpu;

	/* Pairs with pmcgrp_sched_in(), pmcgrp_handover(): they find hooks, or this their CPU. */
	smp_mb();
	/* Retry if it moves to another CPU. */
	do {
		/* Pairs with pmcgrp_sched_out(): once it is -1, its counts are complete. */
		cpu = smp_load_acquire(&group->evlist->only->cpu);
		if (cpu >= 0 && !smp_call_function_single(cpu, write_here, &call, 1))
			continue;
		local_irq_save(flags);
		write_here(&call);
		local_irq_restore(flags);
	} while (!call.done);
}

static void page_counters_on(const struct pmcgrp_evset *set)
{
	if (write_set(set))
		pmcgrp_count_page_renew_soon();
}

/* A sentry leaves after the set, in a switch: then nothing is to be written. */
static void page_counters_moved(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_evset *set = pmcgrp_evcpu_here(evlist)->in;

	if (set && set->on)
		pmcgrp_count_page_renew_soon();
}

static void page_members_changed(const struct pmcgrp_evlist *evlist)
{
	pmcgrp_count_page_publish(evlist->only_group);
}

const struct pmcgrp_evlist_hooks pmcgrp_count_page_hooks = {
	.counters_on = page_counters_on,
	.counters_moved = page_counters_moved,
	.accounted = page_counters_on,
	.members_changed = page_members_changed,
};

/* When the module is loaded: a module's per-CPU variables have no relocations before 6.14. */
void __init pmcgrp_count_page_init(void)
{
	struct irq_work *work;
	int cpu;

	for_each_possible_cpu(cpu) {
		work = per_cpu_ptr(&renewals, cpu);
		*work = IRQ_WORK_INIT_HARD(renew_here);
	}
}

/* When the module is unloaded: there are no groups. */
void pmcgrp_count_page_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&renewals, cpu));
}
