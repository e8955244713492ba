// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMCGRP_IOC_INFO and PMCGRP_IOC_INFO_NEXT: describe a group, and the state of each member on each
 * CPU.
 *
 * One broadcast asks all CPUs where a set is scheduled in; each CPU answers for one instant.
 * The state on the other CPUs follows from the group.
 *
 * All values are collected under the mutexes that keep the group and its counters in place, and
 * copied to user space afterwards.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "abi/abi.h"
#include "arbiter/cpu.h"
#include "follow/contexts.h"
#include "follow/rest.h"
#include "follow/task_query.h"
#include "group/control.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "group/member.h"
#include "group/view.h"
#include "key/by_key.h"
#include "platform/core_pmu.h"
#include "platform/uapi_copy.h"
#include "sample/ring_map.h"
#include "sample/trigger.h"
#include "sched/rotate.h"
#include "set/evcpu.h"
#include "set/evlist_sets.h"

static_assert(sizeof(struct pmcgrp_info) == PMCGRP_INFO_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_info_member) == PMCGRP_INFO_MEMBER_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_info_cpu) == PMCGRP_INFO_CPU_SIZE_VER0);

/**
 * struct answer - state of a group on one CPU
 * @evlist: event list of the group
 * @in: a set is scheduled in there; if not, the fields below are not used
 * @state: enum pmcgrp_state
 * @why: enum pmcgrp_why for events without a counter
 * @blocked_by: id of a group that has counters, or 0
 * @on: bit mask of events that are on the PMU
 * @watchdog: bit mask of events whose PMU also counts for the NMI watchdog
 * @outside: for each event, number of counters of its PMU that perf events have
 * @counter: for each event in @on, number of its hardware counter
 */
struct answer {
	struct pmcgrp_evlist *evlist;
	bool in;
	u32 state;
	u32 why;
	u64 blocked_by;
	u64 on;
	u64 watchdog;
	u32 outside[PMCGRP_MEMBERS_MAX];
	int counter[PMCGRP_MEMBERS_MAX];
};

/**
 * struct collection - collected values of a group
 * @group: the group; pmcgrp_groups_mutex and the mutex of its list are held
 * @at: what the group shows, with @zero: pmcgrp_control_refresh()
 * @zero: values that are subtracted from @at
 * @info: values of the group itself, and the numbers of entries in @member and @cpu
 * @no_cpus: %PMCGRP_INFO_NO_CPUS: @answer and @cpu are not wanted
 * @answer: array with an entry for each CPU number
 * @member: array with an entry for each member
 * @cpu: array with an entry for each member on each CPU, sorted by CPU
 */
struct collection {
	struct pmcgrp_group *group;
	const struct pmcgrp_values *at;
	const struct pmcgrp_values *zero;
	struct pmcgrp_info info;
	bool no_cpus;
	struct answer *answer;
	struct pmcgrp_info_member *member;
	struct pmcgrp_info_cpu *cpu;
};

/* Whether the PMU of a counter has gone, or its CPU has for a moment. */
static bool any_is_dead(struct pmcgrp_counter *const *counter, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (pmcgrp_counter_is_dead(counter[i]))
			return true;
	return false;
}

/* Find out why an enabled set on this CPU lacks counters. */
static void answer_waiting(struct answer *answer, const struct pmcgrp_evset *set,
			   struct pmcgrp_counter *const *counter)
{
	const struct pmcgrp_cpu *pcpu = pmcgrp_this_cpu();
	const struct pmcgrp_evset *holder = pmcgrp_cpu_blocker(pcpu, set, counter);
	bool outside = false;
	unsigned int i;

	for (i = 0; i < set->nr_hw; i++)
		outside |= answer->outside[i];
	answer->state = PMCGRP_STATE_WAITING;
	if (any_is_dead(counter, set->nr)) {
		answer->state = PMCGRP_STATE_UNSCHEDULABLE;
		answer->why = PMCGRP_WHY_EVENT_UNKNOWN;
	} else if (holder) {
		answer->why = PMCGRP_WHY_BUSY_PMCGRP;
		answer->blocked_by = READ_ONCE(holder->evlist->id);
	} else if (outside || pmcgrp_cpu_withholds_from(pcpu, counter, set->nr_hw) ||
		   pmcgrp_pmu_is_shared(counter[0]->pmu)) {
		answer->why = PMCGRP_WHY_BUSY_PERF;
	} else if (set->failed_alone) {
		answer->state = PMCGRP_STATE_UNSCHEDULABLE;
		answer->why = PMCGRP_WHY_TOO_LARGE;
	}
	if (set->error)
		answer->state = PMCGRP_STATE_ERROR;
}

static void answer_evset(struct answer *answer, const struct pmcgrp_evset *set)
{
	const struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_here(set->evlist);
	struct pmcgrp_counter *const *counter = set->counter;
	const struct pmcgrp_evset *other;
	unsigned int i;

	if (set->resting) {
		/* Its counters are elsewhere: other sets of its task are on the PMU. */
		if (!pmcgrp_evcpu_is_filled(evcpu)) {
			other = pmcgrp_cpu_flexible_on(pmcgrp_this_cpu());
			answer->state = PMCGRP_STATE_WAITING;
			answer->why = PMCGRP_WHY_BUSY_PMCGRP;
			answer->blocked_by = other ? READ_ONCE(other->evlist->id) : 0;
			return;
		}
		counter = evcpu->counter;
	} else if (!set->is_in) {
		answer->state = PMCGRP_STATE_DISABLED;
		return;
	}
	if (!counter) {
		answer->state = PMCGRP_STATE_UNSCHEDULABLE;
		answer->why = evcpu->complete ? PMCGRP_WHY_NOMEM : PMCGRP_WHY_EVENT_UNKNOWN;
		return;
	}
	for (i = 0; i < set->nr_hw; i++) {
		answer->outside[i] = pmcgrp_perf_holds(counter[i]->pmu);
		if (pmcgrp_perf_has_watchdog(counter[i]->pmu))
			answer->watchdog |= BIT_ULL(i);
	}
	for (i = 0; i < set->nr; i++)
		if (READ_ONCE(counter[i]->on)) {
			answer->on |= BIT_ULL(i);
			answer->counter[i] = i < set->nr_hw ? counter[i]->event->hw.idx :
							      PMCGRP_NO_COUNTER;
		}
	if (set->on)
		answer->state = PMCGRP_STATE_RUNNING;
	else
		answer_waiting(answer, set, counter);
}

/* Answer for this CPU; called by IPI or with interrupts off, but not by perf core. */
static void answer_here(void *answers)
{
	struct answer *answer = (struct answer *)answers + smp_processor_id();
	const struct pmcgrp_evcpu *evcpu = pmcgrp_evcpu_here(answer->evlist);
	const struct pmcgrp_evset *set = evcpu->in;

	if (!set)
		set = pmcgrp_rest_here(answer->evlist->only ?: evcpu->cpu_set);
	answer->in = set;
	if (set)
		answer_evset(answer, set);
}

static void info_collect_cpu(struct collection *c, int cpu, const struct answer *answer)
{
	const struct pmcgrp_group *group = c->group;
	struct pmcgrp_evcpu *evcpu = cpu < 0 ? NULL : pmcgrp_evcpu_of(group->evlist, cpu);
	struct pmcgrp_info_cpu *out;
	unsigned int i, event;
	bool on;

	for (i = 0; i < group->nr; i++) {
		event = group->member[i].event;
		on = answer->on & BIT_ULL(event);
		out = &c->cpu[c->info.nr_cpus++];
		out->cpu = cpu;
		out->member = i;
		out->state = answer->state;
		out->why = on ? PMCGRP_WHY_NONE : answer->why;
		out->counter = on ? answer->counter[event] : PMCGRP_NO_COUNTER;
		if (evcpu && evcpu->complete)
			out->groups = pmcgrp_event_nr_groups(group->evlist->event[event], cpu);
		out->perf_counters = answer->outside[event];
		if (answer->watchdog & BIT_ULL(event))
			out->perf_flags = PMCGRP_PERF_WATCHDOG;
		out->blocked_by = answer->blocked_by;
	}
}

/* Where no set is scheduled in: on a CPU, or -1: none of the tasks runs. */
static void collect_absent(struct collection *c, int cpu)
{
	struct answer answer = { .state = PMCGRP_STATE_SCHED_OUT };

	if (cpu < 0 && !c->info.nr_targets) {
		answer.why = PMCGRP_WHY_TASK_GONE;
	} else if (cpu >= 0 && !cpu_online(cpu)) {
		answer.why = PMCGRP_WHY_CPU_OFFLINE;
	} else if (cpu >= 0 && !pmcgrp_evcpu_of(c->group->evlist, cpu)->complete) {
		answer.state = PMCGRP_STATE_UNSCHEDULABLE;
		answer.why = PMCGRP_WHY_EVENT_UNKNOWN;
	} else if (!pmcgrp_group_is_enabled(c->group)) {
		answer.state = PMCGRP_STATE_DISABLED;
	}
	info_collect_cpu(c, cpu, &answer);
}

/* Collect the state for a CPU where a set is scheduled in. */
static void info_collect_here(struct collection *c, int cpu)
{
	static const struct answer disabled = { .state = PMCGRP_STATE_DISABLED };

	/* Other groups may have the list count while this one is disabled. */
	info_collect_cpu(c, cpu, pmcgrp_group_is_enabled(c->group) ? &c->answer[cpu] : &disabled);
}

/* Whether another CPU counts the part of the machine, for an uncore PMU. */
static bool info_counts_elsewhere(const struct pmcgrp_evlist *evlist, int cpu)
{
	return evlist->is_uncore && !evlist->follower->has_cpu_list &&
	       !pmcgrp_evcpu_of(evlist, cpu)->complete;
}

static void info_collect_cpus(struct collection *c)
{
	const struct pmcgrp_evlist *evlist = c->group->evlist;
	bool cpus = evlist->follower->counts_cpus, any = false;
	int cpu;

	for_each_cpu(cpu, evlist->cpus) {
		if (c->answer[cpu].in) {
			info_collect_here(c, cpu);
			any = true;
		} else if (cpus && cpu_present(cpu) && !info_counts_elsewhere(evlist, cpu)) {
			collect_absent(c, cpu);
		}
	}
	if (!cpus && !any)
		collect_absent(c, -1);
}

/* The values that a read() would show for a member. */
static struct pmcgrp_member_values member_shows(const struct collection *c, unsigned int i)
{
	const struct pmcgrp_group *group = c->group;
	unsigned int event = group->member[i].event;

	if (group->member_values)
		return pmcgrp_member_show(&group->member[i], &group->member_values[i], c->at);
	return (struct pmcgrp_member_values){
		.count = c->at->count[event] - c->zero->count[event],
		.enabled = c->at->enabled - c->zero->enabled,
		.running = c->at->running - c->zero->running,
	};
}

static void collect_members(struct collection *c)
{
	const struct pmcgrp_group *group = c->group;
	const struct perf_event_attr *attr;
	struct pmcgrp_member_values shown;
	unsigned int i;

	c->info.nr_members = group->nr;
	for (i = 0; i < group->nr; i++) {
		attr = &group->member[i].attr;
		shown = member_shows(c, i);
		c->member[i] = (struct pmcgrp_info_member){
			.id = group->member[i].id,
			.type = attr->type,
			.config = attr->config,
			.config1 = attr->config1,
			.config2 = attr->config2,
			.config3 = pmcgrp_attr_config3(attr),
			.bits = pmcgrp_attr_bits(attr),
			.count = shown.count,
		};
	}
}

/* Count the tasks or CPUs of the group, and find the reason of the last failed placement. */
static void collect_evsets(struct collection *c)
{
	struct pmcgrp_evlist *evlist = c->group->evlist;
	struct pmcgrp_evset *set;
	unsigned int sets = 0;

	pmcgrp_evlist_sets_lock(evlist);
	c->info.why = evlist->why;
	c->info.blocked_by = evlist->blocked_by;
	list_for_each_entry(set, &evlist->sets, node) {
		if (set->task || READ_ONCE(set->cpu) >= 0)
			sets++;
		if (READ_ONCE(set->why)) {
			c->info.why = READ_ONCE(set->why);
			c->info.blocked_by = READ_ONCE(set->blocked_by);
		}
	}
	mutex_unlock(&evlist->evsets_mutex);
	if (pmcgrp_evlist_is_incomplete(evlist))
		c->info.why = PMCGRP_WHY_NOMEM;
	c->info.nr_targets = evlist->follower->has_binding ?
				     pmcgrp_tasks_count(evlist->contexts) :
				     sets - pmcgrp_evlist_has_ended(evlist);
}

/* The CPU or the task's id; of a task that is gone the id that it had when the group was made. */
static int target_id(const struct pmcgrp_evlist *evlist)
{
	if (evlist->target_type == PMCGRP_TARGET_CPU)
		return cpumask_first(evlist->cpus);
	if (!evlist->task)
		return 0;
	return task_pid_vnr(evlist->task) ?: pid_vnr(evlist->pid);
}

static void collect_group(struct collection *c)
{
	struct pmcgrp_group *group = c->group;
	struct pmcgrp_info *info = &c->info;
	struct pmcgrp_member_values shown;

	c->at = pmcgrp_control_refresh(group, &c->zero);
	info->create_flags = group->flags;
	if (!(group->evlist->flags & PMCGRP_CREATE_PINNED))
		info->create_flags &= ~(u64)PMCGRP_CREATE_PINNED; /* it has lost its leader */
	info->read_format = group->read_format;
	info->target_type = group->evlist->target_type;
	info->target_id = target_id(group->evlist);
	info->cgroup = group->evlist->cgroup_id;
	shown = member_shows(c, 0);
	info->time_enabled = shown.enabled;
	info->time_running = shown.running;
	info->owner = pid_vnr(group->owner);
	info->enabled = pmcgrp_group_is_enabled(group);
	strscpy_pad(info->comm, group->comm, sizeof(info->comm));
	if (group->rings) {
		info->nr_triggers = group->rings->nr_triggers;
		info->triggers_in_error = pmcgrp_triggers_in_error(group);
		info->lost = atomic64_read(&group->rings->lost);
	}
	if (group->keys)
		info->keys_size = group->keys->pages << PAGE_SHIFT;
	if (group->user_read.page)
		info->user_read_why = READ_ONCE(group->user_read.page->why);
}

static void collection_free(struct collection *c)
{
	kvfree(c->answer);
	kfree(c->member);
	kvfree(c->cpu);
}

/* Allocate arrays for all CPUs that the group can count on. */
static int collection_alloc(struct collection *c)
{
	unsigned int cpu, nr = max(cpumask_weight(c->group->evlist->cpus), 1U) * c->group->nr;

	c->member = kcalloc(c->group->nr, sizeof(*c->member), GFP_KERNEL_ACCOUNT);
	if (c->no_cpus)
		return c->member ? 0 : -ENOMEM;
	c->answer = kvcalloc(nr_cpu_ids, sizeof(*c->answer), GFP_KERNEL_ACCOUNT);
	c->cpu = kvcalloc(nr, sizeof(*c->cpu), GFP_KERNEL_ACCOUNT);
	if (!c->answer || !c->member || !c->cpu)
		return -ENOMEM; /* the caller frees */
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		c->answer[cpu].evlist = c->group->evlist;
	return 0;
}

static int info_collect(struct collection *c, struct pmcgrp_group *group)
{
	int err;

	lockdep_assert_held(&pmcgrp_groups_mutex);
	c->group = group;
	c->info.id = group->member[0].id;
	err = collection_alloc(c);
	if (err)
		return err;
	if (mutex_lock_killable(&group->evlist->mutex))
		return -EINTR;
	collect_group(c);
	collect_members(c);
	collect_evsets(c);
	if (!c->no_cpus) {
		pmcgrp_evlist_call(group->evlist, answer_here, c->answer);
		info_collect_cpus(c);
	}
	mutex_unlock(&group->evlist->mutex);
	return 0;
}

static int copy_out(struct collection *c, struct pmcgrp_info *arg)
{
	int err;

	if (arg->nr_members < c->info.nr_members || arg->nr_cpus < c->info.nr_cpus) {
		arg->id = c->info.id;
		arg->nr_members = c->info.nr_members;
		arg->nr_cpus = c->info.nr_cpus;
		return -ENOSPC;
	}
	err = pmcgrp_copy_array(arg->members, arg->member_size, c->member, sizeof(*c->member),
				c->info.nr_members);
	if (!err)
		err = pmcgrp_copy_array(arg->cpus, arg->cpu_size, c->cpu, sizeof(*c->cpu),
					c->info.nr_cpus);
	if (err)
		return err;
	c->info.size = sizeof(c->info);
	c->info.flags = arg->flags;
	c->info.members = arg->members;
	c->info.cpus = arg->cpus;
	c->info.member_size = arg->member_size;
	c->info.cpu_size = arg->cpu_size;
	*arg = c->info;
	return 0;
}

/* Of a group; NULL: of the next one of a view. */
static long info_of(struct pmcgrp_group *group, const struct pmcgrp_group_view *view,
		    struct pmcgrp_info *arg)
{
	struct collection c = { .no_cpus = arg->flags & PMCGRP_INFO_NO_CPUS };
	int err;

	if (arg->flags & ~PMCGRP_INFO_NO_CPUS)
		return -EINVAL;
	err = pmcgrp_stride_check(arg->member_size, PMCGRP_INFO_MEMBER_SIZE_VER0);
	if (!err)
		err = pmcgrp_stride_check(arg->cpu_size, PMCGRP_INFO_CPU_SIZE_VER0);
	if (err)
		return err;
	err = -ENOENT;
	if (mutex_lock_killable(&pmcgrp_groups_mutex))
		return -EINTR;
	if (!group)
		group = pmcgrp_group_next(arg->id, view->only);
	if (group)
		err = info_collect(&c, group);
	mutex_unlock(&pmcgrp_groups_mutex);
	if (!err)
		err = copy_out(&c, arg);
	collection_free(&c);
	return err;
}

/* PMCGRP_IOC_INFO: a struct pmcgrp_info. */
long pmcgrp_info_ioctl(struct pmcgrp_group *group, void *arg)
{
	return ((struct pmcgrp_info *)arg)->id ? -EINVAL : info_of(group, NULL, arg);
}

/* PMCGRP_IOC_INFO_NEXT: a struct pmcgrp_info; the group with the lowest id from its id on. */
long pmcgrp_info_next_ioctl(struct file *device, void *arg)
{
	struct pmcgrp_group_view view;

	return pmcgrp_view_of(&view, device) ?: info_of(NULL, &view, arg);
}
