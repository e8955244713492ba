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

/**
 * pmcgrp_why_of_error - why an event of perf core's could not be made
 * @err: as from perf_event_create_kernel_counter(); -EDQUOT: pmcgrp_slots_charge()
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
		return PMCGRP_WHY_SLOTS_MAX;
	default:
		return PMCGRP_WHY_PMU;
	}
}

#ifdef PERF_ATTR_SIZE_VER8
#define ALL_OF_CONFIG3	.config3 = ~0ULL,
#else
#define ALL_OF_CONFIG3
#endif

/* The bits that say what to count, which pmcgrp_attr_equal() looks at as well. */
#define WHAT_TO_COUNT						\
	.size = ~0U, .type = ~0U,				\
	.config = ~0ULL, .config1 = ~0ULL, .config2 = ~0ULL,	\
	ALL_OF_CONFIG3						\
	.exclude_user = 1, .exclude_kernel = 1, .exclude_hv = 1,	\
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
	 * A slot would hold one of the few debug registers for as long as the
	 * group lives, counting or not; and arm64 does not step over one with a
	 * handler that is not perf core's (arch/arm64/kernel/hw_breakpoint.c:
	 * breakpoint_handler()), but hits it again for ever.
	 */
	if (full.type == PERF_TYPE_BREAKPOINT) {
		*why = PMCGRP_WHY_EVENT_KIND;
		return -EOPNOTSUPP;
	}
	if (!attr_is_within(&full, bits)) {
		*why = PMCGRP_WHY_ATTR_FIELD;
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
	return err;
}
