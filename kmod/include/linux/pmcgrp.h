/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counter groups for other kernel modules.
 *
 * A module makes a group of events for a task, a CPU or all CPUs, reads it in any context, and
 * measures sections of its code by it:
 *
 *	group = pmcgrp_kernel_group_create(&attr, &why);
 *	section = pmcgrp_section_create(group, "my_lock");
 *
 *	pmcgrp_section_begin(section, &mark);
 *	...
 *	pmcgrp_section_end(section, &mark);
 *
 *	pmcgrp_section_destroy(section);
 *	pmcgrp_kernel_group_destroy(group);
 *
 * `pmcgrp section` prints what sections have counted.  A module that uses these functions keeps
 * pmcgrp loaded.
 */
#ifndef _LINUX_PMCGRP_H
#define _LINUX_PMCGRP_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct module;
struct pmcgrp_kernel_group;
struct pmcgrp_section;
struct task_struct;

/** PMCGRP_KERNEL_PINNED: the group has its counters before all flexible ones, or is in error */
#define PMCGRP_KERNEL_PINNED	BIT(0)
/** PMCGRP_KERNEL_DISABLED: the group counts after pmcgrp_kernel_group_enable() */
#define PMCGRP_KERNEL_DISABLED	BIT(1)

/** PMCGRP_SECTION_MEMBERS_MAX: the most members of a group that has sections */
#define PMCGRP_SECTION_MEMBERS_MAX	8

/**
 * struct pmcgrp_kernel_attr - what a group is to count
 * @name: shown by `pmcgrp info` as the group's owner
 * @owner: THIS_MODULE.  What is left of its groups when it has been unloaded is destroyed, with a
 *	warning.
 * @member: the events, as perf_event_open(2) has them: type, config*, exclude_*; other fields are 0
 * @nr: number of @member, 1 to PMCGRP_MEMBERS_MAX (64)
 * @task: the task, to which the caller has a reference; or NULL for CPUs
 * @cpu: without @task: the CPU, or -1 for all
 * @flags: PMCGRP_KERNEL_*
 */
struct pmcgrp_kernel_attr {
	const char *name;
	struct module *owner;
	const struct perf_event_attr *member;
	unsigned int nr;
	struct task_struct *task;
	int cpu;
	unsigned int flags;
};

/**
 * struct pmcgrp_section_mark - the beginning of a section; on the caller's stack
 *
 * The fields are pmcgrp's.
 */
struct pmcgrp_section_mark {
	u64 now;
	const struct pmcgrp_section *section;
	const void *set;
	const struct task_struct *task;
	unsigned long switches;
	unsigned int stops;
	u64 waited;
	u64 count[PMCGRP_SECTION_MEMBERS_MAX];
};

/*
 * What may be called where, and what it returns.  Where each is defined (kmod/span/kernel_group.c,
 * section.c, section_make.c) there is more about it.
 *
 * May sleep, so in process context without spinlocks: create, destroy, enable, disable, read.
 * In any context, NMI included: read_local, section_begin, section_end.
 *
 * A pointer that is NULL or an ERR_PTR is -EINVAL everywhere, so that only create need be checked.
 */

/*
 * The group; or an ERR_PTR as <uapi/linux/pmcgrp.h> has it for PMCGRP_IOC_CREATE, and why; -EINTR.
 */
struct pmcgrp_kernel_group *pmcgrp_kernel_group_create(const struct pmcgrp_kernel_attr *attr,
						       u32 *why);

/* 0; -EBUSY, with a warning: it has sections, and goes on. */
int pmcgrp_kernel_group_destroy(struct pmcgrp_kernel_group *group);

/* 0; -EINTR: the caller has been killed. */
int pmcgrp_kernel_group_enable(struct pmcgrp_kernel_group *group);
int pmcgrp_kernel_group_disable(struct pmcgrp_kernel_group *group);

/*
 * 0 with a count for each member; -ENODATA: it is not enabled, or counts neither this CPU nor this
 * task; -EBUSY: this has interrupted a change of the counters.
 */
int pmcgrp_kernel_group_read_local(struct pmcgrp_kernel_group *group, u64 *count, u64 *enabled,
				   u64 *running);

/* 0 with the sums over all CPUs; -EIO: a pinned group is in error. */
int pmcgrp_kernel_group_read(struct pmcgrp_kernel_group *group, u64 *count, u64 *enabled,
			     u64 *running);

/* The section; or an ERR_PTR: -EINVAL, with a warning: no such group; -ENOMEM. */
struct pmcgrp_section *pmcgrp_section_create(struct pmcgrp_kernel_group *group, const char *name);

/* 0.  It waits for those who are in the section with preemption or interrupts off. */
int pmcgrp_section_destroy(struct pmcgrp_section *section);

/*
 * 0; -ENODATA: the group has no counters here; -EBUSY: this has interrupted a change of them.  Then
 * the section is counted as missed, and what has begun need not end.
 */
int pmcgrp_section_begin(struct pmcgrp_section *section, struct pmcgrp_section_mark *mark);

/* As these; -EALREADY: its beginning was missed; -EINVAL, with a warning: @mark is another's. */
int pmcgrp_section_end(struct pmcgrp_section *section, struct pmcgrp_section_mark *mark);

#endif /* _LINUX_PMCGRP_H */
