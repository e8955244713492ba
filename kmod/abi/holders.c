// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCGRP_IOC_HOLDERS: which perf events have counters of a PMU on a CPU, and who has opened them.
 *
 * The CPU is asked by IPI, so it reads its lists of active events for one instant, with interrupts
 * off.  perf core changes them there only, with interrupts off (pmcgrp_active_lists()).  An event
 * leaves them before it is freed (kernel/events/core.c: perf_remove_from_context(), _free_event()),
 * and the copy that a child has inherited keeps the original (inherit_event()).
 *
 * A process that exits first takes itself from the events that it has opened, and is freed by RCU
 * (perf_event_exit_task(), perf_remove_from_owner()).
 *
 * To find the PMU, an event of it is made, which stays disabled, and keeps the PMU's module.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "abi/abi.h"
#include "counter/attr.h"
#include "platform/uapi_copy.h"

static_assert(sizeof(struct pmcgrp_holder) == PMCGRP_HOLDER_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_holders) == PMCGRP_HOLDERS_SIZE_VER0);

/* The most that are reported: more than any PMU has counters for a CPU. */
#define HOLDERS_MAX 1024U

/**
 * struct seen - a perf event that is on the PMU
 * @holder: what is reported
 * @handler: with %PMCGRP_HOLDER_KERNEL its overflow handler
 */
struct seen {
	struct pmcgrp_holder holder;
	void *handler;
};

/**
 * struct question - what a CPU is asked
 * @pmu: the PMU
 * @ns: PID namespace of the caller
 * @user: user of the caller
 * @sees_all: the caller has CAP_SYS_ADMIN
 * @room: number of entries in @seen
 * @nr: out: number of perf events that are on the PMU
 * @seen: out: the first of them
 */
struct question {
	struct pmu *pmu;
	struct pid_namespace *ns;
	kuid_t user;
	bool sees_all;
	unsigned int room;
	unsigned int nr;
	struct seen *seen;
};

static u32 flags_of(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr, *group = &event->group_leader->attr;
	u32 flags = 0;

	if (group->pinned)
		flags |= PMCGRP_HOLDER_PINNED;
	if (group->exclusive)
		flags |= PMCGRP_HOLDER_EXCLUSIVE;
	if (attr->inherit)
		flags |= PMCGRP_HOLDER_INHERIT;
	if (event->parent)
		flags |= PMCGRP_HOLDER_INHERITED;
	if (event->ctx->task)
		flags |= PMCGRP_HOLDER_TASK;
	if (pmcgrp_event_is_of_cgroup(event))
		flags |= PMCGRP_HOLDER_CGROUP;
	if (attr->sample_period)
		flags |= PMCGRP_HOLDER_SAMPLES;
	return flags;
}

static void fill_attr(struct pmcgrp_holder *out, const struct perf_event_attr *attr)
{
	out->type = attr->type;
	out->config = attr->config;
	out->config1 = attr->config1;
	out->config2 = attr->config2;
	out->config3 = pmcgrp_attr_config3(attr);
	out->bits = pmcgrp_attr_bits(attr);
}

/* No lock needed, as in get_task_comm() since 6.14: comm is always terminated. */
static void fill_comm(char *out, const struct task_struct *task)
{
	strscpy(out, task->comm, PMCGRP_COMM_SIZE);
}

static void fill_owner(struct pmcgrp_holder *out, struct task_struct *owner,
		       const struct question *question)
{
	out->pid = task_tgid_nr_ns(owner, question->ns);
	fill_comm(out->comm, owner->group_leader);
}

static void fill_target(struct pmcgrp_holder *out, struct task_struct *task,
			const struct question *question)
{
	out->target_pid = task_tgid_nr_ns(task, question->ns);
	out->target_tid = task_pid_nr_ns(task, question->ns);
	fill_comm(out->target_comm, task);
}

/* @task: whose the event is, as far as that is known */
static bool may_see(const struct question *question, const struct task_struct *task)
{
	return question->sees_all || (task && uid_eq(task_uid(task), question->user));
}

/* The task of an event that is on the PMU runs here. */
static void see(struct seen *seen, const struct perf_event *event, const struct question *question)
{
	const struct perf_event *opened = event->parent ?: event;
	struct task_struct *target = event->ctx->task ? current : NULL;
	struct pmcgrp_holder *out = &seen->holder;
	struct task_struct *owner = NULL;
	bool shown;

	*out = (struct pmcgrp_holder){
		.flags = flags_of(event),
		.counter = event->hw.idx < 0 ? PMCGRP_NO_COUNTER : event->hw.idx,
	};
	if (pmcgrp_event_is_kernels(opened)) {
		out->flags |= PMCGRP_HOLDER_KERNEL;
		seen->handler = event->overflow_handler;
		shown = !target || may_see(question, target);
	} else {
		owner = READ_ONCE(opened->owner);
		if (!owner)
			out->flags |= PMCGRP_HOLDER_ENDED;
		shown = may_see(question, owner);
	}
	if (!shown) {
		out->flags |= PMCGRP_HOLDER_HIDDEN;
		return;
	}
	if (pmcgrp_perf_is_watchdog(event) && !target)
		out->flags |= PMCGRP_HOLDER_WATCHDOG;
	fill_attr(out, &event->attr);
	out->id = event->id;
	out->cgroup = pmcgrp_event_cgroup_id(event);
	if (owner)
		fill_owner(out, owner, question);
	if (target)
		fill_target(out, target, question);
}

static void look_at(struct question *question, const struct perf_event *event)
{
	if (event->pmu != question->pmu || event->state != PERF_EVENT_STATE_ACTIVE)
		return;
	if (question->nr < question->room)
		see(&question->seen[question->nr], event, question);
	question->nr++;
}

/* Answer for this CPU; an IPI. */
static void holders_here(void *info)
{
	struct question *question = info;
	const struct list_head *list[PMCGRP_ACTIVE_LISTS];
	unsigned int lists = pmcgrp_active_lists(question->pmu, list), i;
	struct perf_event *leader, *event;

	lockdep_assert_irqs_disabled();
	rcu_read_lock();
	for (i = 0; i < lists; i++)
		list_for_each_entry(leader, list[i], active_list) {
			look_at(question, leader);
			for_each_sibling_event(event, leader)
				look_at(question, event);
		}
	rcu_read_unlock();
}

/*
 * Name the function of the kernel that an event calls.  perf core's own says nothing.  The
 * watchdog's shows that another event only looks like it (kernel/watchdog_perf.c:
 * hardlockup_detector_event_create()).  Without a name the kernel prints an address.
 */
static void name_function(struct seen *seen)
{
	struct pmcgrp_holder *out = &seen->holder;

	if (!(out->flags & PMCGRP_HOLDER_KERNEL) || out->flags & PMCGRP_HOLDER_HIDDEN)
		return;
	snprintf(out->function, sizeof(out->function), "%ps", seen->handler);
	if (out->function[0] == '0' || strstarts(out->function, "perf_event_output_"))
		memset(out->function, 0, sizeof(out->function));
	else if (strcmp(out->function, "watchdog_overflow_callback"))
		out->flags &= ~PMCGRP_HOLDER_WATCHDOG;
}

static int holders_check(struct pmcgrp_holders *arg)
{
	arg->why = PMCGRP_WHY_PERMISSION;
	if (!perfmon_capable())
		return -EACCES;
	arg->why = PMCGRP_WHY_FLAGS;
	if (arg->flags)
		return -EINVAL;
	arg->why = PMCGRP_WHY_TARGET;
	if (arg->cpu < 0 || arg->cpu >= nr_cpu_ids || !cpu_possible(arg->cpu))
		return -EINVAL;
	arg->why = PMCGRP_WHY_NONE;
	return pmcgrp_stride_check(arg->holder_size, PMCGRP_HOLDER_SIZE_VER0);
}

/* Software events have no counters. */
static int ask(struct question *question, const struct perf_event *event, int cpu)
{
	if (event->pmu->task_ctx_nr == perf_sw_context)
		return 0;
	question->pmu = event->pmu;
	return smp_call_function_single(cpu, holders_here, question, 1) ? -ENODEV : 0;
}

static int holders_ask(struct question *question, struct pmcgrp_holders *arg)
{
	struct perf_event *event;
	struct perf_event_attr attr;
	int err;

	err = pmcgrp_attr_copy(&attr, u64_to_user_ptr(arg->attr), &arg->why);
	if (err)
		return err;
	attr.disabled = 1;
	event = pmcgrp_attr_event_of_cpu(&attr, arg->cpu);
	if (IS_ERR(event)) {
		arg->why = pmcgrp_why_of_error(PTR_ERR(event));
		return pmcgrp_errno_of(PTR_ERR(event));
	}
	err = ask(question, event, arg->cpu);
	perf_event_release_kernel(event);
	return err;
}

static int holders_copy(struct question *question, struct pmcgrp_holders *arg)
{
	bool fits = question->nr <= question->room;
	unsigned int i;

	arg->size = sizeof(*arg);
	arg->nr_holders = question->nr;
	if (!fits)
		return -ENOSPC;
	for (i = 0; i < question->nr; i++)
		name_function(&question->seen[i]);
	return pmcgrp_copy_array(arg->holders, arg->holder_size, question->seen,
				 sizeof(question->seen[0]), question->nr);
}

/* PMCGRP_IOC_HOLDERS: a struct pmcgrp_holders. */
long pmcgrp_holders_ioctl(struct file *device, void *_arg)
{
	struct pmcgrp_holders *arg = _arg;
	struct question question = {
		.ns = task_active_pid_ns(current),
		.user = current_euid(),
		.sees_all = capable(CAP_SYS_ADMIN),
		.room = min(arg->nr_holders, HOLDERS_MAX),
	};
	int err = holders_check(arg);

	if (err)
		return err;
	question.seen = kvcalloc(question.room, sizeof(*question.seen), GFP_KERNEL_ACCOUNT);
	if (question.room && !question.seen)
		return -ENOMEM;
	err = holders_ask(&question, arg);
	if (!err)
		err = holders_copy(&question, arg);
	kvfree(question.seen);
	return err;
}
