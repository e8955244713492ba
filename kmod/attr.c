// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_event_attr from user space: checked, and reduced to what it says about
 * which event to count, so that equal attrs are equal bytes.
 */
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "attr.h"

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

/* The fields that say what to count; everything else must be zero. */
static void attr_reduce(struct perf_event_attr *to, const struct perf_event_attr *from)
{
	memset(to, 0, sizeof(*to));
	to->type = from->type;
	to->config = from->config;
	to->config1 = from->config1;
	to->config2 = from->config2;
#ifdef PERF_ATTR_SIZE_VER8
	to->config3 = from->config3;
#endif
	to->exclude_user = from->exclude_user;
	to->exclude_kernel = from->exclude_kernel;
	to->exclude_hv = from->exclude_hv;
	to->exclude_idle = from->exclude_idle;
	to->exclude_host = from->exclude_host;
	to->exclude_guest = from->exclude_guest;
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

/* What to count, and with @samples when to sample; all else in @uattr has to be zero. */
static int attr_copy(struct perf_event_attr *attr, struct perf_event_attr __user *uattr,
		     bool samples, u32 *why)
{
	struct perf_event_attr full;
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
	attr_reduce(attr, &full);
	if (samples) {
		attr->sample_period = full.sample_period;
		attr->freq = full.freq;
	}
	full.size = 0;
	if (memcmp(attr, &full, sizeof(full))) {
		*why = PMCGRP_WHY_ATTR_FIELD;
		return -EINVAL;
	}
	attr->size = sizeof(*attr);
	*why = PMCGRP_WHY_NONE;
	return 0;
}

/**
 * pmcgrp_attr_copy - copy in and normalise what a member is to count
 * @attr: out: an attr for perf_event_create_kernel_counter(); attrs that count
 *	the same with the same spelling compare equal by memcmp()
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
	int err = attr_copy(attr, uattr, false, why);

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
	int err = attr_copy(attr, uattr, true, why);

	/* perf_event_open() checks that, perf_event_create_kernel_counter() does not. */
	if (!err && (!attr->sample_period || attr->sample_period >> 63 ||
		     (attr->freq && attr->sample_freq > PMCGRP_FREQ_MAX))) {
		*why = PMCGRP_WHY_PERIOD;
		err = -EINVAL;
	}
	return err;
}
