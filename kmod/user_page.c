// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct reading: a task reads the counters of its own group by instructions of user space.
 *
 * Who lets user space read counters is the PMU's driver, not this module.
 *
 * Arm: whenever the driver starts the PMU (drivers/perf/arm_pmuv3.c: armv8pmu_start()) it opens
 * them if the running task has events with PERF_EVENT_FLAG_USER_READ_CNT, which perf core counts
 * in ctx->nr_user (kernel/events/core.c: list_add_event()), and sysctl kernel.perf_user_access
 * allows it, and closes them otherwise.  Carriers of such groups have that flag.  But a carrier is
 * no event of that PMU, for which perf core would stop and start it as its task comes and goes:
 * this file does.  As long as the carrier is in, the counters are open, and user space may read
 * what is in the page even if it is being changed: it sees that afterwards.  So they must not be
 * closed before the task is off this CPU.
 *
 * x86: CR4.PCE opens them to all threads of an mm that has an event of perf's mapped, as the
 * administrator's file `rdpmc` allows (arch/x86/events/core.c: x86_pmu_event_mapped(), mm/tlb.c:
 * cr4_update_pce_mm()).  The mapping of a group's page is taken for one: the driver's callbacks are
 * called with an event that has the same flag, which is all that they look at.
 *
 * A driver that decided otherwise would break it, which selftests/direct.c sees.
 *
 * When a counter is used up (of Arm's, 32 bits are; of x86's up to 47) the driver's interrupt
 * sets it anew, of which nobody tells this module.  So what is in the page is good for a time in
 * which that cannot happen, whatever is counted, and a counter that has not much left is set anew
 * first.
 *
 * x86 moves events to other counters when it lets go of the PMU after one was added
 * (x86_pmu_enable()).  What is in the page is not good any more then.  This module adds some
 * itself; a sentry (carrier.c) tells that perf core is about to.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/clocksource.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/seqlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "carrier.h"
#include "compat.h"
#include "user_page.h"
#include "sched.h"
#include "group.h"
#include "counter_reg.h"
#include "evset.h"
#include "counter.h"

/* More than any event can happen on one CPU in a nanosecond. */
#define USER_PAGE_EVENTS_PER_NS 64

/* Ticks of the clock that user space reads are given by how many there are in so many ns. */
#define USER_PAGE_TICK_SHIFT 20

/* What user space shifts a product of ticks and time_mult by. */
#define USER_PAGE_TIME_SHIFT 32

/*
 * At most so long is what is shown good, as with 32 bits: user space's products have 64 bits, and
 * clocks drift.
 */
#define USER_PAGE_NS_MAX BIT_ULL(25)

/* Of the clock; x86 may find out better for some seconds after boot. pmcgrp_groups_mutex */
static u32 clock_mult, clock_shift, clock_ticks;

/* How many groups have a sentry. */
static atomic_t watched = ATOMIC_INIT(0);

static struct perf_event user_reads = { .hw.flags = PERF_EVENT_FLAG_USER_READ_CNT };

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <asm/arch_timer.h>

#define OPENED_BY_CARRIER 1
#define COUNTERS_MOVE 0

static bool can_open(void)
{
	return pmcgrp_core_has_one_context();
}

static void clock_init(void)
{
	u32 rate = arch_timer_get_cntfrq();

	/* As kernel/time/sched_clock.c has it, which does not say. */
	clocks_calc_mult_shift(&clock_mult, &clock_shift, rate, NSEC_PER_SEC, 3600);
	WRITE_ONCE(clock_ticks, div_u64((u64)rate << USER_PAGE_TICK_SHIFT, NSEC_PER_SEC));
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

/*
 * The driver says so by the index of an event's counter (armv8pmu_user_event_idx()); this is
 * the least that it looks at.
 */
static bool access_is_allowed(struct pmu *pmu)
{
	return pmu->event_idx(&user_reads);
}

static u32 why_not_here(const struct pmcgrp_user_read *user_read)
{
	return access_is_allowed(user_read->pmu) ? PMCGRP_WHY_NONE : PMCGRP_WHY_USER_READ_DENIED;
}

static bool is_open_here(const struct pmcgrp_evset *set)
{
	return true;
}

static void open_mapping(const struct pmcgrp_user_read *user_read, struct vm_area_struct *vma)
{
}

#elif defined(CONFIG_X86)

#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>
#include <asm/tsc.h>

#define OPENED_BY_CARRIER 0
#define COUNTERS_MOVE 1

/* A sentry is needed. Times are local_clock()'s, which stands on the TSC if that is stable. */
static bool can_open(void)
{
	return pmcgrp_core_lets_events_move() && clock_mult;
}

/*
 * By kHz, as arch/x86/kernel/tsc.c has its factor (__set_cyc2ns_scale()). Where these change while
 * it runs the TSC is marked as unstable then (time_cpufreq_notifier()).
 */
static void clock_init(void)
{
	if (!boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz || check_tsc_unstable())
		return;
	clocks_calc_mult_shift(&clock_mult, &clock_shift, tsc_khz, NSEC_PER_MSEC, MSEC_PER_SEC);
	WRITE_ONCE(clock_ticks, div_u64((u64)tsc_khz << USER_PAGE_TICK_SHIFT, NSEC_PER_MSEC));
}

static u64 clock_now(void)
{
	return rdtsc();
}

static u32 counter_index(const struct perf_event *event)
{
	return event->hw.event_base_rdpmc;
}

static const struct device_attribute *attribute_of(const struct pmu *pmu, const char *name)
{
	const struct attribute_group **group;
	struct attribute **attr;

	for (group = pmu->attr_groups; group && *group; group++)
		for (attr = (*group)->attrs; attr && *attr; attr++)
			if (!strcmp((*attr)->name, name))
				return container_of(*attr, struct device_attribute, attr);
	return NULL;
}

/*
 * What the administrator has written, the driver tells nobody but by its file (get_attr_rdpmc()).
 * Where that cannot be asked, it shows once the page is mapped.
 */
static bool access_is_allowed(struct pmu *pmu)
{
	const struct device_attribute *rdpmc = attribute_of(pmu, "rdpmc");
	char *page = rdpmc && rdpmc->show ? (char *)get_zeroed_page(GFP_KERNEL) : NULL;
	bool allowed = true;

	if (page && rdpmc->show(pmu->dev, (struct device_attribute *)rdpmc, page) > 0)
		allowed = page[0] != '0';
	free_page((unsigned long)page);
	return allowed;
}

/* What decides is the running task's mm: without a mapping it is not known. */
static u32 why_not_here(const struct pmcgrp_user_read *user_read)
{
	if (__read_cr4() & X86_CR4_PCE)
		return PMCGRP_WHY_NONE;
	if (current->mm && atomic_read(&current->mm->context.perf_rdpmc_allowed))
		return PMCGRP_WHY_USER_READ_DENIED;
	return user_read->page->why;
}

/*
 * While perf core holds the PMU, it is not known yet which counter an event will have: the next
 * read() tells. Nor where events of cgroups are, which are changed without a sentry's being told
 * when the running task is moved to another (perf_cgroup_switch()).
 */
static bool is_open_here(const struct pmcgrp_evset *set)
{
	return __read_cr4() & X86_CR4_PCE && !check_tsc_unstable() &&
	       !pmcgrp_counters_are_held(set->counter, set->nr_hw) &&
	       !pmcgrp_ctx_has_cgroups(set->counter[0]->event->ctx);
}

/* mmap_lock is held for writing, which the driver wants. */
static void mapping_opens(struct vm_area_struct *vma)
{
	struct pmu *pmu = vma->vm_private_data;

	pmu->event_mapped(&user_reads, vma->vm_mm);
}

/* Once for each that was opened, by mremap() as well; the last ones as the mm goes. */
static void mapping_closes(struct vm_area_struct *vma)
{
	struct pmu *pmu = vma->vm_private_data;

	pmu->event_unmapped(&user_reads, vma->vm_mm);
}

static const struct vm_operations_struct mapping_ops = {
	.open = mapping_opens,
	.close = mapping_closes,
};

static void open_mapping(const struct pmcgrp_user_read *user_read, struct vm_area_struct *vma)
{
	if (!user_read->pmu)
		return;
	vma->vm_private_data = user_read->pmu;
	vma->vm_ops = &mapping_ops;
	mapping_opens(vma);
}

#else

#define OPENED_BY_CARRIER 0
#define COUNTERS_MOVE 0

static bool can_open(void)
{
	return false;
}

static void clock_init(void)
{
}

static u64 clock_now(void)
{
	return 0;
}

static u32 counter_index(const struct perf_event *event)
{
	return 0;
}

static bool access_is_allowed(struct pmu *pmu)
{
	return false;
}

static u32 why_not_here(const struct pmcgrp_user_read *user_read)
{
	return PMCGRP_WHY_USER_READ_UNSUPPORTED;
}

static bool is_open_here(const struct pmcgrp_evset *set)
{
	return false;
}

static void open_mapping(const struct pmcgrp_user_read *user_read, struct vm_area_struct *vma)
{
}

#endif

/**
 * pmcgrp_user_page_create - a group with PMCGRP_CREATE_USER_READ shall have its page
 * @group: the group; pmcgrp_user_page_free()
 *
 * Return: 0 or -ENOMEM.
 */
int pmcgrp_user_page_create(struct pmcgrp_group *group)
{
	static_assert(sizeof(struct pmcgrp_user_page) <= PAGE_SIZE);

	group->user_read.page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	return group->user_read.page ? 0 : -ENOMEM;
}

/**
 * pmcgrp_user_page_free - undo pmcgrp_user_page_create(); whoever has the page mapped keeps it
 * @group: the group, with a page or without
 */
void pmcgrp_user_page_free(struct pmcgrp_group *group)
{
	free_page((unsigned long)group->user_read.page);
}

/* The one PMU of all counters on all CPUs, or NULL. */
static struct pmu *only_pmu(const struct pmcgrp_group *group)
{
	const struct pmcgrp_counter *counter;
	struct pmcgrp_row *row;
	struct pmu *pmu = NULL;
	unsigned int i;
	int cpu;

	for_each_cpu(cpu, group->cpus) {
		row = pmcgrp_row_of(group, cpu);
		if (!row->complete && cpu_online(cpu))
			return NULL;
		for (i = 0; row->complete && i < group->nr_events; i++) {
			counter = row->counter[i];
			if (!counter->has_reg || (pmu && counter->event->pmu != pmu))
				return NULL;
			pmu = counter->event->pmu;
		}
	}
	return pmu;
}

/**
 * pmcgrp_user_page_check - find out whether a group can be read so, as far as does not change
 * @group: the group, with a page and rows, and no carrier yet
 *
 * Context: pmcgrp_groups_mutex held.
 */
void pmcgrp_user_page_check(struct pmcgrp_group *group)
{
	struct pmcgrp_user_page *page = group->user_read.page;
	unsigned int i;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	clock_init();
	page->nr = group->nr;
	for (i = 0; i < group->nr; i++)
		page->member[i].id = group->member[i].id;
	/* clocks_calc_mult_shift() shifts by 32 at most. */
	page->time_mult = (u64)clock_mult << (USER_PAGE_TIME_SHIFT - clock_shift);
	if (can_open())
		group->user_read.pmu = only_pmu(group);
	if (!can_open())
		page->why = PMCGRP_WHY_USER_READ_UNSUPPORTED;
	else if (!group->user_read.pmu)
		page->why = PMCGRP_WHY_USER_READ_EVENT;
	else if (!access_is_allowed(group->user_read.pmu))
		page->why = PMCGRP_WHY_USER_READ_DENIED;
}

/**
 * pmcgrp_user_page_watch - be told when perf core may move a group's counters
 * @group: the group, judged; pmcgrp_user_page_unwatch()
 * @task: its task
 *
 * Context: may sleep.
 * Return: 0, or the errno of an event that could not be made.
 */
int pmcgrp_user_page_watch(struct pmcgrp_group *group, struct task_struct *task)
{
	struct perf_event *sentry;

	if (!COUNTERS_MOVE || !group->user_read.pmu)
		return 0;
	sentry = pmcgrp_sentry_create(group, task);
	if (IS_ERR(sentry))
		return PTR_ERR(sentry);
	group->user_read.sentry = sentry;
	atomic_inc(&watched);
	return 0;
}

/**
 * pmcgrp_user_page_unwatch - undo pmcgrp_user_page_watch(), if it was done
 * @group: the group
 *
 * Context: may sleep.
 */
void pmcgrp_user_page_unwatch(struct pmcgrp_group *group)
{
	struct perf_event *sentry = group->user_read.sentry;

	if (!sentry)
		return;
	group->user_read.sentry = NULL;
	perf_event_release_kernel(sentry);
	atomic_dec(&watched);
}

/**
 * pmcgrp_user_page_mark - a carrier is made
 * @group: of the group
 * @carrier: the event, before perf core has it in a context
 */
void pmcgrp_user_page_mark(const struct pmcgrp_group *group, struct perf_event *carrier)
{
	if (OPENED_BY_CARRIER && group->user_read.pmu)
		carrier->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
}

/**
 * pmcgrp_user_page_open - the task has come in here: let it read counters
 * @group: its group, with a page
 *
 * Context: interrupts off, under perf core's ctx->lock.
 */
void pmcgrp_user_page_open(const struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	if (OPENED_BY_CARRIER && group->user_read.pmu)
		pmcgrp_pmu_restart(group->user_read.pmu);
}

/**
 * pmcgrp_user_page_close - the task leaves, or the group does
 * @group: its group, with a page
 * @carrier: which goes
 *
 * In the latter case perf core counts the carrier still, and nobody starts the PMU later.
 * Other events that the task reads so keep it open.
 *
 * Context: interrupts off, under perf core's ctx->lock, which guards nr_user.
 */
void pmcgrp_user_page_close(const struct pmcgrp_group *group, struct perf_event *carrier)
{
	lockdep_assert_held(&carrier->ctx->lock);
	if (!OPENED_BY_CARRIER || !group->user_read.pmu)
		return;
	carrier->ctx->nr_user--;
	pmcgrp_pmu_restart(group->user_read.pmu);
	carrier->ctx->nr_user++;
}

static void change_begin(struct pmcgrp_user_page *page)
{
	WRITE_ONCE(page->seq, page->seq + 1);
	barrier(); /* for the task itself, on this CPU */
	WRITE_ONCE(page->until, 0);
}

static void change_end(struct pmcgrp_user_page *page)
{
	barrier();
	WRITE_ONCE(page->seq, page->seq + 1);
}

/*
 * Until it is used up a register's upper bits, if it has more than those that are used, do
 * not change.  Returns how much it has left; 0: user space cannot read it now.
 */
static u64 publish_member(struct pmcgrp_user_page_member *out, const struct pmcgrp_evset *set,
			  unsigned int e)
{
	const struct pmcgrp_counter *counter = set->counter[e];
	u64 base = set->base[e] - set->sum[e] + set->group->zero.count[e];
	struct pmcgrp_reg_read parts;

	if (counter->reg < 0)
		return 0;
	pmcgrp_counter_reg_read(counter->event, counter->reg, &parts);
	out->index = counter_index(counter->event);
	out->offset = pmcgrp_reg_value(&parts) - base - parts.now;
	return pmcgrp_reg_left(&parts);
}

/* Returns for how many nanoseconds what is shown holds; 0: it does not. */
static u64 publish_members(struct pmcgrp_user_page *page, const struct pmcgrp_evset *set)
{
	const struct pmcgrp_group *group = set->group;
	u64 left = U64_MAX;
	unsigned int i;

	for (i = 0; i < group->nr; i++)
		left = min(left, publish_member(&page->member[i], set, group->member[i].event));
	return min(left / USER_PAGE_EVENTS_PER_NS, USER_PAGE_NS_MAX);
}

/* Returns whether both clocks were read at once: a hypervisor may come in between. */
static bool publish_times(struct pmcgrp_user_page *page, const struct pmcgrp_evset *set)
{
	const struct pmcgrp_values *zero = &set->group->zero;
	u64 before = clock_now(), delta = pmcgrp_evset_since(set, local_clock());

	page->cycles = clock_now();
	page->time_enabled = set->enabled + delta - zero->enabled;
	page->time_running = set->running + delta - zero->running;
	/* About a microsecond. */
	return page->cycles - before <= READ_ONCE(clock_ticks) >> (USER_PAGE_TICK_SHIFT - 10);
}

/*
 * What other groups show is told by where registers were before: their next read() renews it.
 * @set: whose own is told anew, or NULL
 */
static void invalidate_others(const struct pmcgrp_evset *set)
{
	const struct pmcgrp_evset *other;

	list_for_each_entry(other, &pmcgrp_this_cpu()->sets, cpu_node)
		if (other != set && other->on && other->group->user_read.page)
			pmcgrp_user_page_invalidate(other->group);
}

/**
 * pmcgrp_user_page_publish - say in the page how the group is read now
 * @set: its set, in here; the group has a page
 *
 * Context: interrupts off, on the set's CPU.
 */
void pmcgrp_user_page_publish(const struct pmcgrp_evset *set)
{
	const struct pmcgrp_user_read *user_read = &set->group->user_read;
	struct pmcgrp_user_page *page = user_read->page;
	unsigned int seq;
	u64 ns;

	lockdep_assert_irqs_disabled();
	if (!user_read->pmu)
		return;
	change_begin(page);
	page->why = why_not_here(user_read);
	if (set->on && !page->why && is_open_here(set)) {
		if (pmcgrp_counters_reload(set->counter, set->nr_hw))
			invalidate_others(set);
		/* Odd: whoever resets the group has it shown again. */
		seq = raw_read_seqcount(&set->group->zero_seq);
		ns = publish_members(page, set);
		if (!publish_times(page, set) || seq & 1 ||
		    read_seqcount_retry(&set->group->zero_seq, seq))
			ns = 0;
		ns = ns * READ_ONCE(clock_ticks) >> USER_PAGE_TICK_SHIFT;
		if (ns)
			WRITE_ONCE(page->until, page->cycles + ns);
	}
	change_end(page);
}

/**
 * pmcgrp_user_page_invalidate - the group loses its counters, or may have others
 * @group: the group, with a page, whose task is in here
 *
 * Context: as pmcgrp_user_page_publish().
 */
void pmcgrp_user_page_invalidate(const struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	change_begin(group->user_read.page);
	change_end(group->user_read.page);
}

/**
 * pmcgrp_user_page_counters_moved - counters were put on a PMU here, and others may have moved
 *
 * Context: as pmcgrp_user_page_publish().
 */
void pmcgrp_user_page_counters_moved(void)
{
	if (COUNTERS_MOVE && atomic_read(&watched))
		invalidate_others(NULL);
}

/**
 * pmcgrp_user_page_is_old - whether what is shown does not hold any more, or nothing is
 * @group: the group, with a page, whose carrier is in here
 *
 * Context: interrupts off.
 */
bool pmcgrp_user_page_is_old(const struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	return clock_now() >= group->user_read.page->until;
}

/**
 * pmcgrp_user_page_mmap - mmap() at PMCGRP_USER_PAGE_OFFSET
 * @group: the group
 * @vma: what is asked for
 *
 * Context: may sleep; mmap_lock held.
 * Return: 0, or -EINVAL, -EACCES, as the uapi header says, -ENOMEM.
 */
int pmcgrp_user_page_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma)
{
	int err;

	if (!group->user_read.page || !(vma->vm_flags & VM_SHARED) || vma_pages(vma) != 1)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	/* A child is another task. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	err = vm_insert_page(vma, vma->vm_start, virt_to_page(group->user_read.page));
	if (!err)
		open_mapping(&group->user_read, vma);
	return err;
}
