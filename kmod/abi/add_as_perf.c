// SPDX-License-Identifier: GPL-2.0-only
/*
 * %PMCGRP_ADD_AS_PERF: whether a member is added by the arguments of perf_event_open(2).
 *
 * It is, only if perf would take them, too, were the group perf's.  perf looks at the attr
 * (kernel/events/core.c: perf_event_open(), perf_event_alloc()), at what the caller may do, and at
 * the target: is it the leader's?  A caller with CAP_PERFMON may do all of it.  Any doubt is an
 * errno: then the caller asks perf, and learns perf's own.
 */
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "abi/abi.h"
#include "counter/attr.h"
#include "group/group.h"
#include "sample/read_format.h"

/* Without samples they mean nothing, and perf takes them whatever else there is. */
#define SAMPLE_TYPE_IDLE                                                        \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_IDENTIFIER)

/* Whether a task or CPU of perf_event_open(2) is what the group counts. */
static bool is_target(const struct pmcgrp_group *group, pid_t pid, int cpu)
{
	const struct pmcgrp_evlist *evlist = group->evlist;
	const struct task_struct *task;
	bool is;

	if (pid == -1)
		return evlist->target_type == PMCGRP_TARGET_CPU && cpu >= 0 &&
		       cpu == cpumask_first(evlist->cpus);
	if (cpu != -1 || evlist->target_type != PMCGRP_TARGET_TASK)
		return false;
	rcu_read_lock();
	task = pid ? pid_task(find_vpid(pid), PIDTYPE_PID) : current;
	is = task && task == evlist->task && !(READ_ONCE(task->flags) & PF_EXITING);
	rcu_read_unlock();
	return is;
}

/* Whether perf would take the event, and count it in a group as this module does. */
static bool is_counted_alike(const struct pmcgrp_group *group, const struct perf_event_attr *attr,
			     bool of_task)
{
	bool inherits = group->flags & PMCGRP_CREATE_INHERIT;

	/* perf_event_alloc() may refuse this. */
	if (attr->inherit && attr->read_format & PERF_FORMAT_GROUP)
		return false;
	if (attr->sample_type & ~(u64)SAMPLE_TYPE_IDLE ||
	    attr->read_format & ~(u64)PMCGRP_READ_FORMATS)
		return false;
	if (of_task && (attr->inherit != inherits || (attr->enable_on_exec && attr->disabled)))
		return false;
	/* perf has filters, programs and records for these. */
	return attr->type != PERF_TYPE_TRACEPOINT &&
	       !(attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT);
}

/**
 * pmcgrp_add_as_perf - take the arguments of perf_event_open(2)
 * @group: the group, whose leader is group_fd
 * @arg: those of PMCGRP_IOC_ADD; out: as they are without %PMCGRP_ADD_AS_PERF
 * @attr: out: the attr of the member; on the stack
 * @why: out: enum pmcgrp_why on failure
 *
 * Context: may sleep; no mutex held.
 * Return: 0; -EINVAL where perf is to be asked; or as of pmcgrp_attr_fetch(), pmcgrp_attr_make().
 */
int pmcgrp_add_as_perf(const struct pmcgrp_group *group, struct pmcgrp_add *arg,
		       struct perf_event_attr *attr, u32 *why)
{
	struct perf_event_attr asked __uninitialized;
	int err;

	*why = PMCGRP_WHY_FLAGS;
	if (!(group->flags & PMCGRP_CREATE_AS_PERF) || arg->flags & PMCGRP_ADD_DISABLED ||
	    arg->read_format || seccomp_mode(&current->seccomp))
		return -EINVAL;
	err = pmcgrp_attr_fetch(&asked, u64_to_user_ptr(arg->attr), why);
	if (err)
		return err;
	*why = PMCGRP_WHY_TARGET;
	if (!is_target(group, arg->pid, arg->cpu))
		return -EINVAL;
	*why = PMCGRP_WHY_ATTR_FIELD;
	if (!is_counted_alike(group, &asked, arg->pid != -1))
		return -EINVAL;
	arg->flags |= asked.disabled ? PMCGRP_ADD_DISABLED : 0;
	arg->read_format = asked.read_format;
	asked.read_format = 0;
	asked.disabled = 0;
	asked.inherit = 0;
	asked.enable_on_exec = 0;
	asked.sample_type = 0;
	asked.sample_id_all = 0;
	asked.watermark = 0;
	asked.wakeup_events = 0;
	return pmcgrp_attr_make(attr, &asked, why);
}
