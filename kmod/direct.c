// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct reading: a task reads the counters of its own group by instructions of user space.
 *
 * Who lets user space read counters is the PMU's driver, not this module: whenever it starts
 * the PMU (drivers/perf/arm_pmuv3.c: armv8pmu_start()) it opens them if the running task has
 * events with PERF_EVENT_FLAG_USER_READ_CNT, which perf core counts in ctx->nr_user
 * (kernel/events/core.c: list_add_event()), and sysctl kernel.perf_user_access allows it, and
 * closes them otherwise.  Carriers of such groups have that flag.  But a carrier is no event
 * of that PMU, for which perf core would stop and start it as its task comes and goes: this
 * file does.  A driver that decided otherwise would break it, which selftests/direct.c sees.
 *
 * As long as the carrier is in, the counters are open, and user space may read what is in the
 * page even if it is being changed: it sees that afterwards.  So they must not be closed
 * before the task is off this CPU.
 *
 * A counter has 32 bits, and when these are used up the driver's interrupt sets it anew, of
 * which nobody tells this module.  So what is in the page is good for a time in which that
 * cannot happen, whatever is counted, and a counter that has not much left is set anew first.
 */
#include <linux/bits.h>
#include <linux/clocksource.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/seqlock.h>
#include "compat.h"
#include "direct.h"
#include "gang.h"
#include "group.h"
#include "peek.h"
#include "ride.h"
#include "slot.h"

/* More than any event can happen on one CPU in a nanosecond. */
#define DIRECT_EVENTS_PER_NS	64

/* Ticks of the clock that user space reads are given by how many there are in so many ns. */
#define DIRECT_TICK_SHIFT	20

static u32 clock_mult, clock_shift, clock_ticks;	/* constant after init */

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <asm/arch_timer.h>

static bool can_open(void)
{
	return pmcgrp_core_opens_counters();
}

static u32 clock_rate(void)
{
	return arch_timer_get_cntfrq();
}

/* Of which local_clock() is made, and which user space reads as well. */
static u64 clock_now(void)
{
	return read_sysreg(cntvct_el0);
}

static u32 counter_index(const struct perf_event *event)
{
	return pmcgrp_armv8_counter(event->hw.idx);
}

#else

static bool can_open(void)
{
	return false;
}

static u32 clock_rate(void)
{
	return NSEC_PER_SEC;
}

static u64 clock_now(void)
{
	return 0;
}

static u32 counter_index(const struct perf_event *event)
{
	return 0;
}

#endif

/**
 * pmcgrp_direct_init - once, before there is any group
 */
void pmcgrp_direct_init(void)
{
	u32 rate = clock_rate();

	/* As kernel/time/sched_clock.c has it, which does not say. */
	clocks_calc_mult_shift(&clock_mult, &clock_shift, rate, NSEC_PER_SEC, 3600);
	clock_ticks = div_u64((u64)rate << DIRECT_TICK_SHIFT, NSEC_PER_SEC);
}

/**
 * pmcgrp_direct_create - a group with PMCGRP_CREATE_DIRECT shall have its page
 * @group: the group; pmcgrp_direct_free()
 *
 * Return: 0 or -ENOMEM.
 */
int pmcgrp_direct_create(struct pmcgrp_group *group)
{
	static_assert(sizeof(struct pmcgrp_direct) <= PAGE_SIZE);

	group->window.shown = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	return group->window.shown ? 0 : -ENOMEM;
}

/**
 * pmcgrp_direct_free - undo pmcgrp_direct_create(); whoever has the page mapped keeps it
 * @group: the group, with a page or without
 */
void pmcgrp_direct_free(struct pmcgrp_group *group)
{
	free_page((unsigned long)group->window.shown);
}

/* The one PMU of all slots on all CPUs, or NULL. */
static struct pmu *only_pmu(const struct pmcgrp_group *group)
{
	const struct pmcgrp_slot *slot;
	struct pmcgrp_row *row;
	struct pmu *pmu = NULL;
	unsigned int i;
	int cpu;

	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		if (!row->complete && cpu_online(cpu))
			return NULL;
		for (i = 0; row->complete && i < group->nr_events; i++) {
			slot = row->slot[i];
			if (!slot->peek || (pmu && slot->event->pmu != pmu))
				return NULL;
			pmu = slot->event->pmu;
		}
	}
	return pmu;
}

/*
 * The driver says so by the index of an event's counter (armv8pmu_user_event_idx()); this is
 * the least that it looks at.
 */
static bool access_is_allowed(struct pmu *pmu)
{
	static struct perf_event asks = { .hw.flags = PERF_EVENT_FLAG_USER_READ_CNT };

	return pmu->event_idx(&asks);
}

/**
 * pmcgrp_direct_judge - find out whether a group can be read so, as far as does not change
 * @group: the group, with a page and rows, and no carrier yet
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_direct_judge(struct pmcgrp_group *group)
{
	struct pmcgrp_direct *shown = group->window.shown;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	shown->nr = group->nr;
	shown->time_mult = clock_mult;
	shown->time_shift = clock_shift;
	if (can_open())
		group->window.pmu = only_pmu(group);
	if (!can_open())
		shown->why = PMCGRP_WHY_NO_DIRECT;
	else if (!group->window.pmu)
		shown->why = PMCGRP_WHY_NOT_DIRECT;
	else if (!access_is_allowed(group->window.pmu))
		shown->why = PMCGRP_WHY_USER_ACCESS;
}

/**
 * pmcgrp_direct_mark - a carrier is made
 * @group: of the group
 * @carrier: the event, before perf core has it in a context
 */
void pmcgrp_direct_mark(const struct pmcgrp_group *group, struct perf_event *carrier)
{
	if (group->window.pmu)
		carrier->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
}

/**
 * pmcgrp_direct_open - the task has come in here: let it read counters
 * @group: its group, with a page
 *
 * Context: interrupts off, under perf core's ctx->lock.
 */
void pmcgrp_direct_open(const struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	if (group->window.pmu)
		pmcgrp_pmu_restart(group->window.pmu);
}

/**
 * pmcgrp_direct_close - the task leaves, or the group does
 * @group: its group, with a page
 * @carrier: which goes
 *
 * In the latter case perf core counts the carrier still, and nobody starts the PMU later.
 * Other events that the task reads so keep it open.
 *
 * Context: interrupts off, under perf core's ctx->lock, which guards nr_user.
 */
void pmcgrp_direct_close(const struct pmcgrp_group *group, struct perf_event *carrier)
{
	lockdep_assert_held(&carrier->ctx->lock);
	if (!group->window.pmu)
		return;
	carrier->ctx->nr_user--;
	pmcgrp_pmu_restart(group->window.pmu);
	carrier->ctx->nr_user++;
}

static void change_begin(struct pmcgrp_direct *shown)
{
	WRITE_ONCE(shown->seq, shown->seq + 1);
	barrier();	/* for the task itself, on this CPU */
	WRITE_ONCE(shown->until, 0);
}

static void change_end(struct pmcgrp_direct *shown)
{
	barrier();
	WRITE_ONCE(shown->seq, shown->seq + 1);
}

/*
 * Until it is used up a register's upper bits, if it has more than those that are used, do
 * not change.  Returns how much it has left; 0: user space cannot read it now.
 */
static u64 show_member(struct pmcgrp_direct_member *out, const struct pmcgrp_ride *ride,
		       unsigned int e)
{
	const struct pmcgrp_slot *slot = ride->slot[e];
	u64 base = ride->base[e] - ride->sum[e] + ride->group->zero.count[e];
	struct pmcgrp_peek peek;

	if (slot->counter < 0)
		return 0;
	pmcgrp_peek_parts(slot->event, slot->counter, &peek);
	out->index = counter_index(slot->event);
	out->offset = pmcgrp_peek_value(&peek) - base - peek.now;
	return pmcgrp_peek_left(&peek);
}

/* Returns for how many nanoseconds what is shown holds. */
static u64 show_members(struct pmcgrp_direct *shown, const struct pmcgrp_ride *ride)
{
	const struct pmcgrp_group *group = ride->group;
	u64 left = U64_MAX;
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		left = min(left, show_member(&shown->member[i], ride, group->member[i].event));
	return left / DIRECT_EVENTS_PER_NS;
}

/* Returns whether both clocks were read at once: a hypervisor may come in between. */
static bool show_times(struct pmcgrp_direct *shown, const struct pmcgrp_ride *ride)
{
	const struct pmcgrp_snapshot *zero = &ride->group->zero;
	u64 before = clock_now(), delta = pmcgrp_ride_since(ride, local_clock());

	shown->cycles = clock_now();
	shown->time_enabled = ride->enabled + delta - zero->enabled;
	shown->time_running = ride->running + delta - zero->running;
	/* About a microsecond. */
	return shown->cycles - before <= clock_ticks >> (DIRECT_TICK_SHIFT - 10);
}

/* What other groups show is told by where registers were before: their next read() renews it. */
static void hide_others(const struct pmcgrp_ride *ride)
{
	const struct pmcgrp_ride *other;

	list_for_each_entry(other, &pmcgrp_gang_here()->rides, gang_node)
		if (other != ride && other->on && other->group->window.shown)
			pmcgrp_direct_hide(other);
}

/**
 * pmcgrp_direct_show - say in the page how the group is read now
 * @ride: its ride, in here; the group has a page
 *
 * Context: interrupts off, on the ride's CPU.
 */
void pmcgrp_direct_show(const struct pmcgrp_ride *ride)
{
	const struct pmcgrp_window *window = &ride->group->window;
	struct pmcgrp_direct *shown = window->shown;
	unsigned int seq;
	u64 ns;

	lockdep_assert_irqs_disabled();
	if (!window->pmu)
		return;
	change_begin(shown);
	shown->why = access_is_allowed(window->pmu) ? PMCGRP_WHY_NONE : PMCGRP_WHY_USER_ACCESS;
	if (ride->on && !shown->why) {
		if (pmcgrp_slots_refill(ride->slot, ride->nr_hw))
			hide_others(ride);
		/* Odd: whoever resets the group has it shown again. */
		seq = raw_read_seqcount(&ride->group->zero_seq);
		ns = show_members(shown, ride);
		if (!show_times(shown, ride) || seq & 1 ||
		    read_seqcount_retry(&ride->group->zero_seq, seq))
			ns = 0;
		if (ns)
			WRITE_ONCE(shown->until,
				   shown->cycles + (ns * clock_ticks >> DIRECT_TICK_SHIFT));
	}
	change_end(shown);
}

/**
 * pmcgrp_direct_hide - the group loses its counters
 * @ride: its ride, in here; the group has a page
 *
 * Context: as pmcgrp_direct_show().
 */
void pmcgrp_direct_hide(const struct pmcgrp_ride *ride)
{
	lockdep_assert_irqs_disabled();
	change_begin(ride->group->window.shown);
	change_end(ride->group->window.shown);
}

/**
 * pmcgrp_direct_is_old - whether what is shown does not hold any more, or nothing is
 * @group: the group, with a page, whose carrier is in here
 *
 * Context: interrupts off.
 */
bool pmcgrp_direct_is_old(const struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	return clock_now() >= group->window.shown->until;
}

/**
 * pmcgrp_direct_mmap - mmap() at PMCGRP_DIRECT_OFFSET
 * @group: the group
 * @vma: what is asked for
 *
 * Context: may sleep; mmap_lock held.
 * Return: 0, or -EINVAL, -EACCES, as the uapi header says, -ENOMEM.
 */
int pmcgrp_direct_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma)
{
	if (!group->window.shown || !(vma->vm_flags & VM_SHARED) || vma_pages(vma) != 1)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	/* A child is another task. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	return vm_insert_page(vma, vma->vm_start, virt_to_page(group->window.shown));
}
