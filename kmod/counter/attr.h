/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ATTR_H
#define PMCGRP_ATTR_H

#include <linux/errno.h>
#include <linux/perf_event.h>
#include <linux/time64.h>
#include <linux/types.h>

/**
 * struct pmcgrp_failure - reason for a failed creation, in addition to the errno
 * @why: enum pmcgrp_why
 * @member: index of the member that failed, or %PMCGRP_NO_MEMBER
 * @cpu: CPU on which it failed, or -1
 */
struct pmcgrp_failure {
	u32 why;
	u32 member;
	s32 cpu;
};

/*
 * Shortest period of a clock event in nanoseconds (kernel/events/core.c:
 * perf_swevent_hrtimer()), and the highest frequency that follows from it.
 */
#define PMCGRP_CLOCK_PERIOD_MIN 10000
#define PMCGRP_FREQ_MAX (NSEC_PER_SEC / PMCGRP_CLOCK_PERIOD_MIN)

/*
 * Internal errors, like -EDQUOT for too many counters; no driver returns them.
 * pmcgrp_errno_of() translates them for user space.
 */
#define PMCGRP_ESAMPLES ENOTSUPP
#define PMCGRP_ETOPDOWN EBADTYPE
#define PMCGRP_EUSERREAD EBADCOOKIE
#define PMCGRP_EGUEST ESERVERFAULT
#define PMCGRP_EUNCORE EBADHANDLE
#define PMCGRP_EELSEWHERE ENOTSYNC
#define PMCGRP_ESPLIT ETOOSMALL
#define PMCGRP_ESWITCH EJUKEBOX
#define PMCGRP_EMEMORY ERECALLCONFLICT
#define PMCGRP_EBACKGROUND ENOGRACE

/* attr.config3, which perf_event_attr has from Linux 6.3 on. */
static inline u64 pmcgrp_attr_config3(const struct perf_event_attr *attr)
{
#ifdef PERF_ATTR_SIZE_VER8
	return attr->config3;
#else
	return 0;
#endif
}

u32 pmcgrp_why_of_error(int err);
int pmcgrp_errno_of(int err);
bool pmcgrp_attr_is_metric(const struct perf_event_attr *attr);
bool pmcgrp_attr_may_ask_user_read(const struct perf_event_attr *attr);
struct perf_event *pmcgrp_attr_event_of_cpu(const struct perf_event_attr *attr, int cpu);
bool pmcgrp_attr_equal(const struct perf_event_attr *a, const struct perf_event_attr *b);
int pmcgrp_attr_make(struct perf_event_attr *attr, const struct perf_event_attr *from, u32 *why);
int pmcgrp_attr_fetch(struct perf_event_attr *attr, const struct perf_event_attr __user *uattr,
		      u32 *why);
int pmcgrp_attr_copy(struct perf_event_attr *attr, struct perf_event_attr __user *uattr,
		     u32 *why);
int pmcgrp_attr_copy_trigger(struct perf_event_attr *attr, struct perf_event_attr __user *uattr,
			     u32 *why);

/*
 * The bits of an attr from disabled on, as user space gets them: disabled is set for the kernel
 * counter, not by user space.
 */
static inline u64 pmcgrp_attr_bits(const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr;
	u64 bits;

	copy.disabled = 0;
	memcpy(&bits, (const char *)&copy + offsetofend(typeof(copy), read_format), sizeof(bits));
	return bits;
}

#endif /* PMCGRP_ATTR_H */
