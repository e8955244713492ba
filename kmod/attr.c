// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_event_attr from user space: checked, and reduced to what it says about
 * which event to count.
 */
#include <linux/build_bug.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "attr.h"
#include "compat.h"

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

/* Of a raw config of Intel's: event and unit mask. */
#define INTEL_EVENT 0xff
#define INTEL_EVENT_AND_UMASK 0xffff

/* Retired branches; with a period of 1 they are BTS (intel_pmu_has_bts_period()). */
#define INTEL_BRANCHES 0x00c4

/* Metrics are of event 0, which is otherwise that of fixed counters (is_metric_event()). */
#define INTEL_METRIC_FIRST 0x8000
#define INTEL_METRIC_LAST 0xff00

/**
 * pmcgrp_why_of_error - why an event of perf core's could not be made
 * @err: as from perf_event_create_kernel_counter(), or one of this module's own
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
	case -PMCGRP_ESAMPLES:
		return PMCGRP_WHY_SAMPLES;
	case -PMCGRP_ETOPDOWN:
		return PMCGRP_WHY_TOPDOWN;
	default:
		return PMCGRP_WHY_PMU;
	}
}

/**
 * pmcgrp_errno_of - what user space is told of an error
 * @err: as pmcgrp_why_of_error()
 *
 * A PMU's own ENOSPC is another matter than this module's limit, so that is EDQUOT inside.
 */
int pmcgrp_errno_of(int err)
{
	switch (err) {
	case -EDQUOT:
		return -ENOSPC;
	case -PMCGRP_ESAMPLES:
	case -PMCGRP_ETOPDOWN:
		return -EOPNOTSUPP;
	default:
		return err;
	}
}

/* Of a PMU of the cores, as far as the attr says. */
static bool is_raw(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_RAW || attr->type >= PERF_TYPE_MAX;
}

/**
 * pmcgrp_attr_is_metric - whether a driver's EINVAL is for want of a leader
 * @attr: of a member that could not be made
 *
 * Topdown metrics are parts of the count of event `slots`, in one register.  The driver counts them
 * in a group that `slots` leads (arch/x86/events/intel/core.c: intel_pmu_hw_config()).  Counters of
 * this module are in no perf group.
 */
bool pmcgrp_attr_is_metric(const struct perf_event_attr *attr)
{
	u64 event = attr->config & INTEL_EVENT_AND_UMASK;

	return is_intel() && is_raw(attr) && !(event & INTEL_EVENT) &&
	       event >= INTEL_METRIC_FIRST && event <= INTEL_METRIC_LAST;
}

static bool attr_is_bts(const struct perf_event_attr *attr)
{
	if (!is_intel() || attr->freq || attr->sample_period != 1)
		return false;
	if (attr->type == PERF_TYPE_HARDWARE)
		return (u32)attr->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	return is_raw(attr) && (attr->config & INTEL_EVENT_AND_UMASK) == INTEL_BRANCHES;
}

/* Why an attr with more than may be in it is refused. */
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

/* The bits that say what to count, which pmcgrp_attr_equal() looks at as well. */
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
};

/* Whether nothing is in an attr but these bits. */
static bool attr_is_within(const struct perf_event_attr *attr, const struct perf_event_attr *bits)
{
	const u64 *word = (const u64 *)attr, *mask = (const u64 *)bits;
	u64 any = 0;
	size_t i;

	static_assert(sizeof(*attr) % sizeof(*word) == 0);
	/* The count of a loop takes longer than what it does. */
#pragma GCC unroll 32
	for (i = 0; i < sizeof(*attr) / sizeof(*word); i++)
		any |= word[i] & ~mask[i];
	return !any;
}

/**
 * pmcgrp_attr_equal - whether two attrs say the same, with the same spelling
 * @a: from pmcgrp_attr_copy()
 * @b: from pmcgrp_attr_copy()
 *
 * What is not compared is the same in all of them.
 */
bool pmcgrp_attr_equal(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->type == b->type && a->config == b->config &&
	       a->config1 == b->config1 && a->config2 == b->config2 &&
#ifdef PERF_ATTR_SIZE_VER8
	       a->config3 == b->config3 &&
#endif
	       a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_idle == b->exclude_idle &&
	       a->exclude_host == b->exclude_host && a->exclude_guest == b->exclude_guest;
}

/*
 * task-clock reads the clock of its perf context, which for a counter bound to
 * a CPU is not the task's (kernel/events/core.c: task_clock_event_read()).  A
 * group counts only while its target is on the CPU, so that cpu-clock gives
 * exactly what task-clock means.
 */
static void attr_normalise(struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_TASK_CLOCK)
		attr->config = PERF_COUNT_SW_CPU_CLOCK;
	attr->disabled = 1;
}

/* What is not in @bits has to be zero in @uattr. */
static int attr_copy(struct perf_event_attr *attr, struct perf_event_attr __user *uattr,
		     const struct perf_event_attr *bits, u32 *why)
{
	/* On the stack, for a copy to the heap would be checked at length. */
	struct perf_event_attr full __uninitialized;
	u32 size;
	int err;

	*why = PMCGRP_WHY_ATTR_POINTER;
	if (get_user(size, &uattr->size))
		return -EFAULT;
	if (size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE) {
		*why = PMCGRP_WHY_ATTR_SIZE;
		return -EINVAL;
	}
	err = copy_struct_from_user(&full, sizeof(full), uattr, size);
	if (err == -E2BIG) {
		*why = PMCGRP_WHY_ATTR_UNKNOWN;
		if (put_user((u32)sizeof(full), &uattr->size))
			return -EFAULT;
	}
	if (err)
		return err;

	/*
	 * A counter would hold one of the few debug registers for as long as the
	 * group lives, counting or not; and arm64 does not step over one with a
	 * handler that is not perf core's (arch/arm64/kernel/hw_breakpoint.c:
	 * breakpoint_handler()), but hits it again for ever.
	 */
	if (full.type == PERF_TYPE_BREAKPOINT) {
		*why = PMCGRP_WHY_EVENT_KIND;
		return -EOPNOTSUPP;
	}
	if (!attr_is_within(&full, bits)) {
		*why = why_of_fields(&full);
		return -EINVAL;
	}
	*attr = full;
	attr->size = sizeof(*attr);
	*why = PMCGRP_WHY_NONE;
	return 0;
}

/**
 * pmcgrp_attr_copy - copy in and normalise what a member is to count
 * @attr: out: an attr for perf_event_create_kernel_counter()
 * @uattr: user space's, of the size that it says
 * @why: out: enum pmcgrp_why on failure
 *
 * Unlike perf_event_open(), a size of 0 is refused: there are no callers from
 * before the field to be kind to.
 *
 * Return: 0, or -EFAULT, -EINVAL, -EOPNOTSUPP, -E2BIG (the kernel's size is then
 * written to uattr->size, as perf does).
 */
int pmcgrp_attr_copy(struct perf_event_attr *attr, struct perf_event_attr __user *uattr,
		     u32 *why)
{
	int err = attr_copy(attr, uattr, &bits_of_member, why);

	if (!err)
		attr_normalise(attr);
	return err;
}

/**
 * pmcgrp_attr_copy_trigger - copy in what is to cause snapshots
 * @attr: out: an attr for perf_event_create_kernel_counter()
 * @uattr: user space's, of the size that it says
 * @why: out: enum pmcgrp_why on failure
 *
 * Return: as pmcgrp_attr_copy().
 */
int pmcgrp_attr_copy_trigger(struct perf_event_attr *attr, struct perf_event_attr __user *uattr,
			     u32 *why)
{
	int err = attr_copy(attr, uattr, &bits_of_trigger, why);

	/* perf_event_open() checks that, perf_event_create_kernel_counter() does not. */
	if (!err && (!attr->sample_period || attr->sample_period >> 63 ||
		     (attr->freq && attr->sample_freq > PMCGRP_FREQ_MAX))) {
		*why = PMCGRP_WHY_PERIOD;
		err = -EINVAL;
	}
	/* What it has seen goes to perf's buffer, and nothing to a handler. */
	if (!err && attr_is_bts(attr)) {
		*why = PMCGRP_WHY_BRANCHES;
		err = -EOPNOTSUPP;
	}
	return err;
}
