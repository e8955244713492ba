// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user page: a task reads its group by user-space instructions, without a system call.
 *
 * The page (struct pmcgrp_user_page) says which register each member uses, and until when that
 * holds.  This file publishes the page when the set is placed and when a read() finds it expired.
 * It invalidates the page when the set loses its counters or they may have moved.
 *
 * On overflow the driver's interrupt restarts a counter, without notice to this module.  A counter
 * has 32 usable bits on arm64 and up to 47 on x86.  Therefore a published page expires before any
 * event can overflow a counter.  A counter near its overflow is reloaded before publishing.
 *
 * Where drivers move counters, a sentry invalidates the page (sentry.c).
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/seqlock.h>
#include "compat.h"
#include "counter/counter.h"
#include "group/group.h"
#include "platform/counter_reg.h"
#include "sample/sentry.h"
#include "sample/user_page.h"
#include "sample/user_read.h"
#include "set/evset.h"

/* Upper bound for the rate of any event on one CPU, per nanosecond. */
#define USER_PAGE_EVENTS_PER_NS 64

/* Shift that user space applies to ticks * time_mult. */
#define USER_PAGE_TIME_SHIFT 32

/*
 * Longest validity of a page in ns, as with 32-bit counters.  It keeps ticks * time_mult below 64
 * bits in user space, and limits the drift between the clocks.
 */
#define USER_PAGE_NS_MAX BIT_ULL(25)

/*
 * Written under pmcgrp_groups_mutex for each new group, as x86 refines tsc_khz during the first
 * seconds after boot.
 */
static struct pmcgrp_user_clock user_clock;

struct perf_event pmcgrp_user_reads = { .hw.flags = PERF_EVENT_FLAG_USER_READ_CNT };

/* A mapping keeps its reference of the page. */
static void page_free(struct pmcgrp_group *group)
{
	free_page((unsigned long)group->user_read.page);
}

/* The PMU of all counters on all CPUs; NULL if there are several, or user space cannot read one. */
static struct pmu *only_pmu(const struct pmcgrp_evlist *evlist)
{
	const struct pmcgrp_counter *counter;
	struct pmu *pmu = NULL;
	unsigned int i;
	int cpu;

	for_each_cpu(cpu, evlist->cpus)
		if (!pmcgrp_evcpu_of(evlist, cpu)->complete && cpu_online(cpu))
			return NULL;
	for (i = 0; i < evlist->nr_events; i++)
		list_for_each_entry(counter, &evlist->event[i]->counters, node) {
			if (!counter->has_reg || (pmu && counter->pmu != pmu))
				return NULL;
			pmu = counter->pmu;
		}
	return pmu;
}

/*
 * Find out whether user space can read a group, and fill constant fields.  Later changes of
 * permissions are checked by pmcgrp_user_page_publish().
 */
static void user_page_check(struct pmcgrp_group *group)
{
	struct pmcgrp_user_page *page = group->user_read.page;
	struct pmu *pmu = NULL;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	clock_init(&user_clock);
	page->nr = group->nr;
	for (i = 0; i < group->nr; i++)
		page->member[i].id = group->member[i].id;
	/* clocks_calc_mult_shift() shifts by 32 at most. */
	page->time_mult = (u64)user_clock.mult << (USER_PAGE_TIME_SHIFT - user_clock.shift);
	if (can_open(&user_clock))
		pmu = only_pmu(group->evlist);
	if (!can_open(&user_clock) || (pmu && counters_are_gated(pmu))) {
		page->why = PMCGRP_WHY_USER_READ_UNSUPPORTED;
		return;
	}
	group->user_read.pmu = pmu;
	if (!pmu)
		page->why = PMCGRP_WHY_USER_READ_EVENT;
	else if (!access_is_allowed(pmu))
		page->why = PMCGRP_WHY_USER_READ_DENIED;
}

/* Mark a new carrier as an event that user space reads. */
static void user_page_carrier_init(const struct pmcgrp_evlist *evlist, struct perf_event *carrier)
{
	if (OPENED_BY_CARRIER && evlist->only_group->user_read.pmu)
		carrier->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
}

/* Give the task access to counters as its carrier is scheduled in. */
static void carrier_in(const struct pmcgrp_evlist *evlist)
{
	lockdep_assert_irqs_disabled();
	if (OPENED_BY_CARRIER && evlist->only_group->user_read.pmu)
		pmcgrp_pmu_restart(evlist->only_group->user_read.pmu);
}

/*
 * End access to counters as the carrier is scheduled out.
 *
 * If the group is closed or disabled, perf core still counts the carrier in nr_user, and nothing
 * restarts the PMU later.  Therefore restart the PMU with nr_user reduced by one, under perf core's
 * ctx->lock, which protects it.  Access remains if the task has other events that user space reads.
 *
 * A PMU without events is not restarted (drivers/perf/arm_pmu.c: armpmu_enable()).  So this comes
 * before the set's counters leave the PMU.
 */
static void carrier_out(const struct pmcgrp_evlist *evlist, struct perf_event *carrier)
{
	/* A plain number, which perf core changes under the same lock (list_add_event()). */
	static_assert(__same_type(carrier->ctx->nr_user, int));
	lockdep_assert_held(&carrier->ctx->lock);
	if (!OPENED_BY_CARRIER || !evlist->only_group->user_read.pmu)
		return;
	carrier->ctx->nr_user--;
	pmcgrp_pmu_restart(evlist->only_group->user_read.pmu);
}

/* The set is scheduled out, too: the carrier is among nr_user again, as perf core has it. */
static void carrier_gone(const struct pmcgrp_evlist *evlist, struct perf_event *carrier)
{
	lockdep_assert_held(&carrier->ctx->lock);
	if (OPENED_BY_CARRIER && evlist->only_group->user_read.pmu)
		carrier->ctx->nr_user++;
}

static void user_page_change_begin(struct pmcgrp_user_page *page)
{
	WRITE_ONCE(page->seq, page->seq + 1);
	barrier(); /* the only reader is the task on this CPU */
	WRITE_ONCE(page->until, 0);
}

static void user_page_change_end(struct pmcgrp_user_page *page)
{
	barrier();
	WRITE_ONCE(page->seq, page->seq + 1);
}

/*
 * Publish a member: register index and offset.  Unused upper bits of a register do not change
 * before it overflows, so the offset can include them.
 * Return how many events the counter can count before it overflows; 0 if user space cannot read it.
 */
static u64 publish_member(struct pmcgrp_user_page_member *out, const struct pmcgrp_evset *set,
			  unsigned int e)
{
	const struct pmcgrp_counter *counter = set->counter[e];
	u64 base = set->base[e] - set->sum[e] + set->evlist->only_group->zero.count[e];
	struct pmcgrp_reg_read parts;

	if (counter->reg < 0)
		return 0;
	pmcgrp_counter_reg_read(counter->event, counter->reg, &parts);
	out->index = counter_index(counter->event);
	out->offset = pmcgrp_reg_value(&parts) - base - parts.now;
	return pmcgrp_reg_left(&parts);
}

/* Publish all members.  Return for how many nanoseconds they are valid; 0 if not at all. */
static u64 publish_members(struct pmcgrp_user_page *page, const struct pmcgrp_evset *set)
{
	const struct pmcgrp_group *group = set->evlist->only_group;
	u64 left = U64_MAX;
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		left = min(left, publish_member(&page->member[i], set, group->member[i].event));
	return min(left / USER_PAGE_EVENTS_PER_NS, USER_PAGE_NS_MAX);
}

/* Return false if a hypervisor stopped the CPU between the reads of the two clocks. */
static bool publish_times(struct pmcgrp_user_page *page, const struct pmcgrp_evset *set)
{
	const struct pmcgrp_values *zero = &set->evlist->only_group->zero;
	u64 before = clock_now(), delta = pmcgrp_evset_since(set, local_clock());

	page->cycles = clock_now();
	page->time_enabled = set->enabled + delta - zero->enabled;
	page->time_running = set->running + delta - zero->running;
	/* 2^10 ns in ticks. */
	return page->cycles - before <= READ_ONCE(user_clock.ticks) >> (USER_PAGE_TICK_SHIFT - 10);
}

/* Invalidate the page before counters are lost or moved. */
static void invalidate(const struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	user_page_change_begin(group->user_read.page);
	user_page_change_end(group->user_read.page);
}

/**
 * pmcgrp_user_page_publish - write to the user page how the group can be read now
 * @set: set of the group, whose carrier is scheduled in here; the group has a page
 *
 * If user space cannot read the group now, the page becomes invalid (@until is 0).
 *
 * Context: interrupts off, on the set's CPU.
 */
void pmcgrp_user_page_publish(const struct pmcgrp_evset *set)
{
	const struct pmcgrp_group *group = set->evlist->only_group;
	const struct pmcgrp_user_read *user_read = &group->user_read;
	struct pmcgrp_user_page *page = user_read->page;
	unsigned int seq;
	u64 ns;

	lockdep_assert_irqs_disabled();
	if (!user_read->pmu)
		return;
	user_page_change_begin(page);
	page->why = why_not_here(user_read);
	if (set->on && !page->why && is_open_here(set)) {
		if (pmcgrp_counters_reload(set->counter, set->nr_hw))
			pmcgrp_sentry_report(set);
		/* Odd: a reset is in progress, and publishes the page at its end. */
		seq = raw_read_seqcount(&group->zero_seq);
		ns = publish_members(page, set);
		if (!publish_times(page, set) || seq & 1 ||
		    read_seqcount_retry(&group->zero_seq, seq))
			ns = 0;
		ns = ns * READ_ONCE(user_clock.ticks) >> USER_PAGE_TICK_SHIFT;
		if (ns)
			WRITE_ONCE(page->until, page->cycles + ns);
	}
	user_page_change_end(page);
}

static void counters_off(const struct pmcgrp_evlist *evlist)
{
	invalidate(evlist->only_group);
}

static const struct pmcgrp_evlist_hooks hooks = {
	.carrier_init = user_page_carrier_init,
	.carrier_in = carrier_in,
	.carrier_out = carrier_out,
	.carrier_gone = carrier_gone,
	.counters_on = pmcgrp_user_page_publish,
	.counters_off = counters_off,
	.counters_moved = counters_off,
};

static int user_page_begin(struct pmcgrp_group *group)
{
	user_page_check(group);
	group->evlist->hooks = &hooks;
	/* perf core can move its counters. */
	return COUNTERS_MOVE && group->user_read.pmu ? pmcgrp_sentry_create(group) : 0;
}

static const struct pmcgrp_user_read_ops ops = {
	.begin = user_page_begin,
	.ended = pmcgrp_sentry_release,
	.free = page_free,
};

/* Allocate the user page of a group; page_free() frees it.  Return: 0 or -ENOMEM. */
int pmcgrp_user_page_create(struct pmcgrp_group *group)
{
	static_assert(sizeof(struct pmcgrp_user_page) <= PAGE_SIZE);

	group->user_read.page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!group->user_read.page)
		return -ENOMEM;
	group->user_read.ops = &ops;
	return 0;
}

/* Whether a user page has expired or is invalid.  Its carrier is in here, interrupts are off. */
bool pmcgrp_user_page_is_old(const struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	return clock_now() >= group->user_read.page->until;
}

/* Map the user page of a group at PMCGRP_USER_PAGE_OFFSET. */
int pmcgrp_user_page_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma)
{
	int err;

	if (!group->user_read.page || !(vma->vm_flags & VM_SHARED) || vma_pages(vma) != 1)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	/* The page is for the group's task only: a child does not inherit the mapping. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	err = vm_insert_page(vma, vma->vm_start, virt_to_page(group->user_read.page));
	if (!err)
		open_mapping(group->user_read.pmu, vma);
	return err;
}
