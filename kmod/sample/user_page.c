// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user page: a task reads its group by user-space instructions, without a system call.
 *
 * The page (struct pmcgrp_user_page) says which register each member uses, and until when that
 * holds.  This file publishes the page when the set is placed and when a read() finds it expired.
 * It invalidates the page when the set loses its counters or they may have moved.
 *
 * The PMU driver, not this module, gives user space access to counters:
 *
 * - arm64: armv8pmu_start() (drivers/perf/arm_pmuv3.c) decides whenever the PMU is enabled.
 *   It grants access if sysctl kernel.perf_user_access is set and the running task has an event
 *   with PERF_EVENT_FLAG_USER_READ_CNT.  perf core counts these events in ctx->nr_user
 *   (kernel/events/core.c: list_add_event()).
 *   Carriers of groups with a user page have the flag.  A carrier is no event of that PMU, so perf
 *   core does not restart the PMU when it schedules the carrier.  This file does.
 *   User space may read the counters while the page changes, and notices that afterwards.
 *   Therefore access lasts until the task has left this CPU.
 *   On a PMUv3p9 the driver of Linux 6.13 gives access to each counter apart, and none to those of
 *   members (counters_are_gated()): user reads are refused there.
 * - x86, up to Linux 6.14 (pmcgrp_core_lets_events_move()): CR4.PCE grants access to all threads of
 *   an mm that maps a perf event, as far as the sysfs
 *   file `rdpmc` of the PMU allows it (arch/x86/events/core.c: x86_pmu_event_mapped();
 *   arch/x86/mm/tlb.c: cr4_update_pce_mm()).
 *   The mapping of a user page counts as one: this file calls the driver's callbacks with an event
 *   that has the flag.  The callbacks use nothing else.
 *
 * A driver that decided by something else would break this; selftests/counts/user_read.c checks it.
 *
 * On overflow the driver's interrupt restarts a counter, without notice to this module.  A counter
 * has 32 usable bits on arm64 and up to 47 on x86.  Therefore a published page expires before any
 * event can overflow a counter.  A counter near its overflow is reloaded before publishing.
 *
 * x86 can move events to other counters when the PMU is enabled after an add (x86_pmu_enable()).
 * The page is then invalid.  If this module adds a counter, it invalidates the page itself.  If
 * perf core adds one, it first schedules out the sentry event, which invalidates the page.
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
#include "compat.h"
#include "arbiter/cpu.h"
#include "counter/carrier.h"
#include "counter/counter.h"
#include "counter/placement.h"
#include "group/group.h"
#include "platform/counter_reg.h"
#include "sample/user_page.h"
#include "set/evset.h"

/* Upper bound for the rate of any event on one CPU, per nanosecond. */
#define USER_PAGE_EVENTS_PER_NS 64

/* clock_ticks counts the ticks of the user-space clock in 2^USER_PAGE_TICK_SHIFT ns. */
#define USER_PAGE_TICK_SHIFT 20

/* Shift that user space applies to ticks * time_mult. */
#define USER_PAGE_TIME_SHIFT 32

/*
 * Longest validity of a page in ns, as with 32-bit counters.  It keeps ticks * time_mult below 64
 * bits in user space, and limits the drift between the clocks.
 */
#define USER_PAGE_NS_MAX BIT_ULL(25)

/*
 * Conversion factors of the user-space clock; pmcgrp_groups_mutex.  Computed for each new group, as
 * x86 refines tsc_khz during the first seconds after boot.
 */
static u32 clock_mult, clock_shift, clock_ticks;

/* Number of groups with a sentry. */
static atomic_t watched = ATOMIC_INIT(0);

static struct perf_event user_reads = { .hw.flags = PERF_EVENT_FLAG_USER_READ_CNT };

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <linux/perf/arm_pmu.h>
#include <asm/arch_timer.h>
#include "platform/pmuver.h"

#define OPENED_BY_CARRIER 1
#define COUNTERS_MOVE 0

static bool can_open(void)
{
	return pmcgrp_core_has_one_context();
}

/*
 * Whether user space reads zero instead of a counter.  The driver decides by the flags of the
 * events on the PMU.  Members have none, as perf core has no mapping of them, and other groups may
 * count by the same counter.
 */
static bool counters_are_gated(struct pmu *pmu)
{
	return pmcgrp_core_gates_counters() &&
	       pmcgrp_pmuver_gates_counters(to_arm_pmu(pmu)->pmuver);
}

static void clock_init(void)
{
	u32 rate = arch_timer_get_cntfrq();

	/* The same factor as in kernel/time/sched_clock.c, which does not export it. */
	clocks_calc_mult_shift(&clock_mult, &clock_shift, rate, NSEC_PER_SEC, 3600);
	WRITE_ONCE(clock_ticks, div_u64((u64)rate << USER_PAGE_TICK_SHIFT, NSEC_PER_SEC));
}

/* The hardware clock behind local_clock(); user space reads it, too. */
static u64 clock_now(void)
{
	return read_sysreg(cntvct_el0);
}

static u32 counter_index(const struct perf_event *event)
{
	return pmcgrp_armv8_counter(event->hw.idx);
}

/* The driver returns an index only if access is allowed (armv8pmu_user_event_idx()). */
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

/* Needs a sentry, and a stable TSC: local_clock() is derived from it, and user space reads it. */
static bool can_open(void)
{
	return pmcgrp_core_lets_events_move() && clock_mult;
}

/*
 * Compute the factor from tsc_khz, as __set_cyc2ns_scale() does (arch/x86/kernel/tsc.c).  If the
 * frequency changes later, time_cpufreq_notifier() marks the TSC as unstable.
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

static bool counters_are_gated(struct pmu *pmu)
{
	return false;
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
 * Only the driver's sysfs file `rdpmc` shows the setting (get_attr_rdpmc()).  If the file cannot be
 * read, assume that access is allowed: why_not_here() finds out once the page is mapped.
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

/* The mm of the running task decides.  Without a mapping, keep the answer so far. */
static u32 why_not_here(const struct pmcgrp_user_read *user_read)
{
	if (__read_cr4() & X86_CR4_PCE)
		return PMCGRP_WHY_NONE;
	if (current->mm && atomic_read(&current->mm->context.perf_rdpmc_allowed))
		return PMCGRP_WHY_USER_READ_DENIED;
	return user_read->page->why;
}

/*
 * While the PMU is disabled, the driver has not assigned counters yet; the next read() publishes.
 * With cgroup events on this CPU the page stays invalid: perf_cgroup_switch() changes events
 * without scheduling out the sentry.
 */
static bool is_open_here(const struct pmcgrp_evset *set)
{
	const struct perf_event_context *cpu_ctx = pmcgrp_cpu_ctx(set->counter[0]->pmu);

	return __read_cr4() & X86_CR4_PCE && !check_tsc_unstable() &&
	       !pmcgrp_counters_are_held(set->counter, set->nr_hw) &&
	       !(cpu_ctx && pmcgrp_ctx_has_cgroups(cpu_ctx));
}

/* The driver requires mmap_lock, which is held for writing. */
static void mapping_opens(struct vm_area_struct *vma)
{
	struct pmu *pmu = vma->vm_private_data;

	pmu->event_mapped(&user_reads, vma->vm_mm);
}

/* Called once for each open, also of mremap(); at the latest when the mm ends. */
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

static bool counters_are_gated(struct pmu *pmu)
{
	return false;
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
	clock_init();
	page->nr = group->nr;
	for (i = 0; i < group->nr; i++)
		page->member[i].id = group->member[i].id;
	/* clocks_calc_mult_shift() shifts by 32 at most. */
	page->time_mult = (u64)clock_mult << (USER_PAGE_TIME_SHIFT - clock_shift);
	if (can_open())
		pmu = only_pmu(group->evlist);
	if (!can_open() || (pmu && counters_are_gated(pmu))) {
		page->why = PMCGRP_WHY_USER_READ_UNSUPPORTED;
		return;
	}
	group->user_read.pmu = pmu;
	if (!pmu)
		page->why = PMCGRP_WHY_USER_READ_EVENT;
	else if (!access_is_allowed(pmu))
		page->why = PMCGRP_WHY_USER_READ_DENIED;
}

/* Create the sentry of a group, if perf core can move its counters. */
static int watch(struct pmcgrp_group *group)
{
	struct perf_event_attr attr = {};
	struct perf_event *sentry;

	if (!COUNTERS_MOVE || !group->user_read.pmu)
		return 0;
	sentry = pmcgrp_carrier_create(PMCGRP_CARRIER_SENTRY, &attr, group,
				       group->evlist->task, -1);
	if (IS_ERR(sentry))
		return PTR_ERR(sentry);
	group->user_read.sentry = sentry;
	atomic_inc(&watched);
	return 0;
}

/* Release the sentry of a group, if it has one. */
static void unwatch(struct pmcgrp_group *group)
{
	struct perf_event *sentry = group->user_read.sentry;

	if (!sentry)
		return;
	group->user_read.sentry = NULL;
	perf_event_release_kernel(sentry);
	atomic_dec(&watched);
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
	return page->cycles - before <= READ_ONCE(clock_ticks) >> (USER_PAGE_TICK_SHIFT - 10);
}

/* Invalidate the page before counters are lost or moved. */
static void invalidate(const struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	user_page_change_begin(group->user_read.page);
	user_page_change_end(group->user_read.page);
}

/*
 * Invalidate the pages of all other sets on this CPU: registers were reloaded or may have moved.
 * Their next read() publishes them again.
 * @set: set whose page the caller publishes, or NULL
 */
static void invalidate_others(const struct pmcgrp_evset *set)
{
	const struct pmcgrp_evset *other;

	list_for_each_entry(other, &pmcgrp_this_cpu()->sets, cpu_node)
		if (other != set && other->on && other->evlist->hooks)
			invalidate(other->evlist->only_group);
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
			invalidate_others(set);
		/* Odd: a reset is in progress, and publishes the page at its end. */
		seq = raw_read_seqcount(&group->zero_seq);
		ns = publish_members(page, set);
		if (!publish_times(page, set) || seq & 1 ||
		    read_seqcount_retry(&group->zero_seq, seq))
			ns = 0;
		ns = ns * READ_ONCE(clock_ticks) >> USER_PAGE_TICK_SHIFT;
		if (ns)
			WRITE_ONCE(page->until, page->cycles + ns);
	}
	user_page_change_end(page);
}

static void counters_moved(void)
{
	if (atomic_read(&watched))
		invalidate_others(NULL);
}

static struct pmu *sentry_pmu(const void *owner)
{
	const struct pmcgrp_group *group = owner;

	return group->user_read.pmu;
}

static void sentry_del(struct perf_event *event)
{
	invalidate(event->pmu_private);
}

/*
 * The sentry is a flexible event of the task, and among those of the group's PMU, as a software
 * event in a group of hardware is (kernel/events/core.c: perf_event_open(), group_sched_in()).
 * Whenever perf core schedules in other events of the PMU while the task runs, it takes the task's
 * flexible ones out before (ctx_resched(), perf_rotate_context()).
 */
static const struct pmcgrp_carrier_ops sentry_ops = {
	.among = sentry_pmu,
	.del = sentry_del,
};

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
};

static int user_page_begin(struct pmcgrp_group *group)
{
	user_page_check(group);
	group->evlist->hooks = &hooks;
	return watch(group);
}

static const struct pmcgrp_user_read_ops ops = {
	.begin = user_page_begin,
	.ended = unwatch,
	.free = page_free,
};

/**
 * pmcgrp_user_page_create - allocate the user page of a group (PMCGRP_CREATE_USER_READ)
 * @group: the group; page_free() frees the page
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int pmcgrp_user_page_create(struct pmcgrp_group *group)
{
	static_assert(sizeof(struct pmcgrp_user_page) <= PAGE_SIZE);

	group->user_read.page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!group->user_read.page)
		return -ENOMEM;
	group->user_read.ops = &ops;
	return 0;
}

/**
 * pmcgrp_user_page_init - register for notices of moved counters
 *
 * Context: when the module is loaded.
 */
void __init pmcgrp_user_page_init(void)
{
	pmcgrp_placement_init(COUNTERS_MOVE ? counters_moved : NULL);
	pmcgrp_carrier_register(PMCGRP_CARRIER_SENTRY, &sentry_ops);
}

/**
 * pmcgrp_user_page_is_old - check whether the user page has expired or is invalid
 * @group: the group, with a page; its carrier is scheduled in here
 *
 * Context: interrupts off.
 */
bool pmcgrp_user_page_is_old(const struct pmcgrp_group *group)
{
	lockdep_assert_irqs_disabled();
	return clock_now() >= group->user_read.page->until;
}

/**
 * pmcgrp_user_page_mmap - map the user page of a group (mmap() at PMCGRP_USER_PAGE_OFFSET)
 * @group: the group
 * @vma: the new mapping
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
	/* The page is for the group's task only: a child does not inherit the mapping. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	err = vm_insert_page(vma, vma->vm_start, virt_to_page(group->user_read.page));
	if (!err)
		open_mapping(&group->user_read, vma);
	return err;
}
