// SPDX-License-Identifier: GPL-2.0-only
/* Copy a perf_event_attr from user space, check it, and reduce it to the event to count. */
#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "counter/attr.h"

#ifdef CONFIG_X86

#include <asm/processor.h>

static bool is_intel(void)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_INTEL;
}

#else

static bool is_intel(void)
{
	return false;
}

#endif

/* Event code and unit mask in Intel's raw config. */
#define INTEL_EVENT 0xff
#define INTEL_EVENT_AND_UMASK 0xffff

/* Retired branches: with a period of 1 the driver uses BTS (intel_pmu_has_bts_period()). */
#define INTEL_BRANCHES 0x00c4

/*
 * Unit masks of topdown metrics, whose event code is 0 as for fixed counters
 * (is_metric_event()).
 */
#define INTEL_METRIC_FIRST 0x8000
#define INTEL_METRIC_LAST 0xff00

/**
 * pmcgrp_why_of_error - translate the errno of a failed event into a reason
 * @err: error of perf_event_create_kernel_counter(), or an internal one
 *
 * Return: enum pmcgrp_why.
 */
u32 pmcgrp_why_of_error(int err)
{
	switch (err) {
	case -ESRCH:
		return PMCGRP_WHY_TASK_GONE;
	case -ENODEV:
		return PMCGRP_WHY_CPU_OFFLINE;
	case -ENOENT:
		return PMCGRP_WHY_EVENT_UNKNOWN;
	case -EOPNOTSUPP:
		return PMCGRP_WHY_EVENT_KIND;
	case -ENOMEM:
		return PMCGRP_WHY_NOMEM;
	case -EDQUOT:
		return PMCGRP_WHY_COUNTERS_MAX;
	case -PMCGRP_ESWITCH:
		return PMCGRP_WHY_SWITCH_MAX;
	case -PMCGRP_EMEMORY:
		return PMCGRP_WHY_MEMORY_MAX;
	case -PMCGRP_EBACKGROUND:
		return PMCGRP_WHY_BACKGROUND;
	case -PMCGRP_ESAMPLES:
		return PMCGRP_WHY_SAMPLES;
	case -PMCGRP_ETOPDOWN:
		return PMCGRP_WHY_TOPDOWN;
	case -PMCGRP_EUSERREAD:
		return PMCGRP_WHY_USER_READ_TASK;
	case -PMCGRP_EGUEST:
		return PMCGRP_WHY_EXCLUDE_GUEST;
	case -PMCGRP_EUNCORE:
		return PMCGRP_WHY_UNCORE_TASK;
	case -PMCGRP_EELSEWHERE:
	case -PMCGRP_ESPLIT:
		return PMCGRP_WHY_UNCORE_CPU;
	default:
		return PMCGRP_WHY_PMU;
	}
}

/**
 * pmcgrp_errno_of - translate an errno of this module into that for user space
 * @err: as for pmcgrp_why_of_error()
 *
 * The limit of counters is -EDQUOT internally: a PMU may return -ENOSPC for another reason.
 */
int pmcgrp_errno_of(int err)
{
	switch (err) {
	case -EDQUOT:
	case -PMCGRP_ESWITCH:
	case -PMCGRP_EMEMORY:
		return -ENOSPC;
	case -PMCGRP_ESAMPLES:
	case -PMCGRP_ETOPDOWN:
	case -PMCGRP_EGUEST:
		return -EOPNOTSUPP;
	case -PMCGRP_EUSERREAD:
	case -PMCGRP_EUNCORE:
	case -PMCGRP_EBACKGROUND:
		return -EINVAL;
	case -PMCGRP_EELSEWHERE:
		return -ENODEV;
	case -PMCGRP_ESPLIT:
		return -EXDEV;
	default:
		return err;
	}
}

/* Check whether an attr may be a raw event of a core PMU: raw, or of a PMU with a dynamic type. */
static bool is_raw(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_RAW || attr->type >= PERF_TYPE_MAX;
}

/**
 * pmcgrp_attr_is_metric - check whether a driver returns EINVAL as a metric has no leader
 * @attr: attr of a member that could not be created
 *
 * Topdown metrics are parts of the count of event `slots`, in one register.  The driver counts
 * them in a perf group that `slots` leads (arch/x86/events/intel/core.c: intel_pmu_hw_config()).
 * Counters of this module are in no perf group.
 */
bool pmcgrp_attr_is_metric(const struct perf_event_attr *attr)
{
	u64 event = attr->config & INTEL_EVENT_AND_UMASK;

	return is_intel() && is_raw(attr) && !(event & INTEL_EVENT) &&
	       event >= INTEL_METRIC_FIRST && event <= INTEL_METRIC_LAST;
}

/* Bit of config1 that asks for user access on Arm's PMUv3: the driver's format `rdpmc`. */
#define ARM_USER_READ 0x2

/**
 * pmcgrp_attr_may_ask_user_read - check whether an attr may ask for access from user space
 * @attr: attr of a member
 *
 * On Arm's PMUv3 it does (drivers/perf/arm_pmuv3.c: armv8pmu_event_want_user_access()).  To other
 * PMUs of arm64 the bit has other meanings.
 */
bool pmcgrp_attr_may_ask_user_read(const struct perf_event_attr *attr)
{
	return IS_ENABLED(CONFIG_ARM64) && attr->config1 & ARM_USER_READ;
}

/**
 * pmcgrp_attr_event_of_cpu - create an event of a CPU that needs the same counters as a member
 * @attr: attr of the member
 * @cpu: the CPU
 *
 * A CPU's event cannot ask for access from user space.  Without that it is the same event.
 *
 * Context: may sleep.
 * Return: the event, or an ERR_PTR as of perf_event_create_kernel_counter().
 */
struct perf_event *pmcgrp_attr_event_of_cpu(const struct perf_event_attr *attr, int cpu)
{
	struct perf_event_attr own = *attr;
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&own, cpu, NULL, NULL, NULL);
	if (PTR_ERR(event) != -EINVAL || !pmcgrp_attr_may_ask_user_read(attr))
		return event;
	own = *attr;
	own.config1 &= ~ARM_USER_READ;
	return perf_event_create_kernel_counter(&own, cpu, NULL, NULL, NULL);
}

static bool attr_is_bts(const struct perf_event_attr *attr)
{
	if (!is_intel() || attr->freq || attr->sample_period != 1)
		return false;
	if (attr->type == PERF_TYPE_HARDWARE)
		return (u32)attr->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	return is_raw(attr) && (attr->config & INTEL_EVENT_AND_UMASK) == INTEL_BRANCHES;
}

/* Return the reason for refusing an attr with fields that are not allowed. */
static u32 why_of_fields(const struct perf_event_attr *attr)
{
	if (attr->precise_ip)
		return PMCGRP_WHY_PRECISE;
	if (attr->branch_sample_type)
		return PMCGRP_WHY_BRANCHES;
	return PMCGRP_WHY_ATTR_FIELD;
}

#ifdef PERF_ATTR_SIZE_VER8
#define ALL_OF_CONFIG3 .config3 = ~0ULL,
#else
#define ALL_OF_CONFIG3
#endif

/* All fields that select the event: those that pmcgrp_attr_equal() compares, and size. */
#define WHAT_TO_COUNT                                        \
	.size = ~0U, .type = ~0U,                            \
	.config = ~0ULL, .config1 = ~0ULL, .config2 = ~0ULL, \
	ALL_OF_CONFIG3                                       \
		.exclude_user = 1,                           \
	.exclude_kernel = 1, .exclude_hv = 1,                \
	.exclude_idle = 1, .exclude_host = 1, .exclude_guest = 1

static const struct perf_event_attr bits_of_member = { WHAT_TO_COUNT };
static const struct perf_event_attr bits_of_trigger = {
	WHAT_TO_COUNT,
	.sample_period = ~0ULL,
	.freq = 1,
	.exclude_callchain_kernel = 1,
	.exclude_callchain_user = 1,
};

/* Check whether all bits that are set in an attr are among @bits. */
static bool attr_is_within(const struct perf_event_attr *attr, const struct perf_event_attr *bits)
{
	const u64 *word = (const u64 *)attr, *mask = (const u64 *)bits;
	u64 any = 0;
	size_t i;

	static_assert(sizeof(*attr) % sizeof(*word) == 0);
	/* Unrolled: the overhead of the loop is larger than its work. */
#pragma GCC unroll 32
	for (i = 0; i < sizeof(*attr) / sizeof(*word); i++)
		any |= word[i] & ~mask[i];
	return !any;
}

/**
 * pmcgrp_attr_equal - check whether two attrs select the same event in the same way
 * @a: attr from pmcgrp_attr_copy()
 * @b: attr from pmcgrp_attr_copy()
 *
 * The fields that are not compared are the same in all of these attrs.
 */
bool pmcgrp_attr_equal(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->type == b->type && a->config == b->config &&
	       a->config1 == b->config1 && a->config2 == b->config2 &&
	       pmcgrp_attr_config3(a) == pmcgrp_attr_config3(b) &&
	       a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_idle == b->exclude_idle &&
	       a->exclude_host == b->exclude_host && a->exclude_guest == b->exclude_guest;
}

/*
 * Replace task-clock by cpu-clock.  task-clock reads the clock of its perf context, and a
 * counter bound to a CPU is not in the task's context (kernel/events/core.c:
 * task_clock_event_read()).  A group counts only while its target is on the CPU, so cpu-clock
 * has the same meaning.
 */
static void attr_normalise(struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_TASK_CLOCK)
		attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->disabled = 1;
}

/* Check an attr; fields outside @bits must be zero. */
static int attr_check(const struct perf_event_attr *attr, const struct perf_event_attr *bits,
		      u32 *why)
{
	/*
	 * A breakpoint counter would hold one of the few debug registers as long as the group
	 * exists.  And arm64 does not step over a breakpoint whose handler is not perf core's,
	 * but hits it again for ever (arch/arm64/kernel/hw_breakpoint.c: do_breakpoint(), in 6.1
	 * breakpoint_handler()).
	 */
	if (attr->type == PERF_TYPE_BREAKPOINT) {
		*why = PMCGRP_WHY_EVENT_KIND;
		return -EOPNOTSUPP;
	}
	if (!attr_is_within(attr, bits)) {
		*why = why_of_fields(attr);
		return -EINVAL;
	}
	*why = PMCGRP_WHY_NONE;
	return 0;
}

/**
 * pmcgrp_attr_fetch - copy an attr from user space, and check its size
 * @attr: out: the attr, on the stack: the checks of a user copy to the heap take longer
 * @uattr: the attr in user space; its size field says how large it is
 * @why: out: enum pmcgrp_why on failure
 *
 * Context: may sleep; no mutex held.
 * Return: 0, -EFAULT, -EINVAL, or -E2BIG.
 */
int pmcgrp_attr_fetch(struct perf_event_attr *attr, const struct perf_event_attr __user *uattr,
		      u32 *why)
{
	u32 size;
	int err;

	*why = PMCGRP_WHY_ATTR_POINTER;
	if (get_user(size, &uattr->size))
		return -EFAULT;
	if (size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE) {
		*why = PMCGRP_WHY_ATTR_SIZE;
		return -EINVAL;
	}
	err = copy_struct_from_user(attr, sizeof(*attr), uattr, size);
	if (err == -E2BIG)
		*why = PMCGRP_WHY_ATTR_UNKNOWN;
	return err;
}

/* Copy an attr; fields of @uattr outside @bits must be zero. */
static int attr_copy(struct perf_event_attr *attr, struct perf_event_attr __user *uattr,
		     const struct perf_event_attr *bits, u32 *why)
{
	struct perf_event_attr full __uninitialized;
	int err = pmcgrp_attr_fetch(&full, uattr, why);

	if (err == -E2BIG && put_user((u32)sizeof(full), &uattr->size))
		return -EFAULT;
	if (err)
		return err;

	err = attr_check(&full, bits, why);
	if (err)
		return err;
	*attr = full;
	attr->size = sizeof(*attr);
	return 0;
}

/* Types below this number whose PMUs are known not to read user memory. */
#define TYPES_KNOWN 256

static DECLARE_BITMAP(types_known, TYPES_KNOWN);

static bool type_is_known(u32 type)
{
	return type < TYPES_KNOWN && test_bit(array_index_nospec(type, TYPES_KNOWN), types_known);
}

/*
 * Refuse an attr whose PMU reads user memory to create the event.  These are the kprobe and uprobe
 * PMUs: config1 points to a name in user space (kernel/trace/trace_event_perf.c:
 * perf_kprobe_init(), perf_uprobe_init()).  Members are created under mutexes that all users share,
 * and a page of user memory can take any time to come, for example from userfaultfd.
 *
 * No exported function finds a PMU by its type.  So try the type with a pointer that no user memory
 * has: strndup_user() returns -EFAULT without access to memory.  PMUs that read no user memory have
 * no reason for -EFAULT.
 *
 * The answer for a type is final, although other PMUs come and go: both probe PMUs are registered
 * at boot and stay (kernel/events/core.c: perf_tp_register()).  It is not final if the PMU has not
 * read the pointer: uprobe needs CAP_SYS_ADMIN.  Then it does not read the caller's own pointer
 * either.
 */
static int refuse_probe(u32 type)
{
	struct perf_event_attr trial = {
		.type = type,
		.size = sizeof(trial),
		.config = ~0ULL, /* most PMUs have no such event */
		.config1 = ~0ULL,
		.disabled = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&trial, raw_smp_processor_id(), NULL, NULL, NULL);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	if (PTR_ERR(event) == -EFAULT)
		return -EOPNOTSUPP;
	if (PTR_ERR(event) == -ENOMEM)
		return -ENOMEM;
	if (PTR_ERR(event) != -EACCES && type < TYPES_KNOWN)
		set_bit(type, types_known);
	return 0;
}

static int attr_make_member(struct perf_event_attr *attr, u32 *why)
{
	int err = 0;

	/* Types below are perf core's own; those of probes are dynamic. */
	if (attr->type >= PERF_TYPE_MAX && !type_is_known(attr->type))
		err = refuse_probe(attr->type);
	if (err) {
		*why = pmcgrp_why_of_error(err);
		return err;
	}
	attr_normalise(attr);
	return 0;
}

/**
 * pmcgrp_attr_make - make the attr of a member from one in the kernel
 * @attr: out: attr for perf_event_create_kernel_counter()
 * @from: the attr; its size does not matter
 * @why: out: enum pmcgrp_why on failure
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL, -EOPNOTSUPP, -ENOMEM.
 */
int pmcgrp_attr_make(struct perf_event_attr *attr, const struct perf_event_attr *from, u32 *why)
{
	int err;

	*attr = *from;
	attr->size = 0;
	err = attr_check(attr, &bits_of_member, why);
	if (err)
		return err;
	attr->size = sizeof(*attr);
	return attr_make_member(attr, why);
}

/**
 * pmcgrp_attr_copy - copy the attr of a member from user space, and normalise it
 * @attr: out: attr for perf_event_create_kernel_counter()
 * @uattr: the attr in user space; its size field says how large it is
 * @why: out: enum pmcgrp_why on failure
 *
 * A size of 0 is refused.  perf_event_open() accepts it for programs that are older than the
 * field, of which this module has none.
 *
 * Context: may sleep; no mutex held, because this waits for user memory.
 * Return: 0, or -EFAULT, -EINVAL, -EOPNOTSUPP, -ENOMEM, or -E2BIG.  With -E2BIG the kernel's size
 * is written to uattr->size, as perf_event_open() does.
 */
int pmcgrp_attr_copy(struct perf_event_attr *attr, struct perf_event_attr __user *uattr,
		     u32 *why)
{
	int err = attr_copy(attr, uattr, &bits_of_member, why);

	return err ? err : attr_make_member(attr, why);
}

/**
 * pmcgrp_attr_copy_trigger - copy the attr of a trigger from user space
 * @attr: out: attr for perf_event_create_kernel_counter()
 * @uattr: the attr in user space; its size field says how large it is
 * @why: out: enum pmcgrp_why on failure
 *
 * Return: as for pmcgrp_attr_copy().
 */
int pmcgrp_attr_copy_trigger(struct perf_event_attr *attr, struct perf_event_attr __user *uattr,
			     u32 *why)
{
	int err = attr_copy(attr, uattr, &bits_of_trigger, why);

	/* perf_event_open() checks the period, perf_event_create_kernel_counter() does not. */
	if (!err && (!attr->sample_period || attr->sample_period >> 63 ||
		     (attr->freq && attr->sample_freq > PMCGRP_FREQ_MAX))) {
		*why = PMCGRP_WHY_PERIOD;
		err = -EINVAL;
	}
	/* BTS writes to perf's buffer, and calls no overflow handler. */
	if (!err && attr_is_bts(attr)) {
		*why = PMCGRP_WHY_BRANCHES;
		err = -EOPNOTSUPP;
	}
	return err;
}
