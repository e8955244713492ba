// SPDX-License-Identifier: GPL-2.0-only
/* Ioctls on a group's rings: set up, sample on request, pause. */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/capability.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <uapi/linux/pmcgrp.h>
#include "abi/abi.h"
#include "counter/attr.h"
#include "group/evlist_control.h"
#include "group/group.h"
#include "group/target.h"
#include "sample/ring_map.h"
#include "sample/sample.h"
#include "sample/trigger.h"

static_assert(sizeof(struct pmcgrp_ring_setup) == PMCGRP_RING_SETUP_SIZE_VER0);
static_assert(sizeof(struct pmcgrp_compact) == 24);

static const struct pmcgrp_output_ops output_ops = {
	.enable = pmcgrp_triggers_enable,
	.flush = pmcgrp_ring_flush_group,
	.cpu_online = pmcgrp_triggers_rebuild,
	.drop = pmcgrp_triggers_drop,
	.stop = pmcgrp_rings_stop,
	.free = pmcgrp_rings_destroy,
};

/* Records are written in any context, NMI included. */
static bool clock_is_possible(const struct pmcgrp_ring_setup *arg)
{
	if (!(arg->flags & PMCGRP_RING_USE_CLOCKID))
		return !arg->clockid;
	return arg->clockid >= 0 && arg->clockid < BITS_PER_LONG &&
	       PMCGRP_RING_CLOCKS & BIT(arg->clockid);
}

static int ring_ioctl_check(const struct pmcgrp_group *group, const struct pmcgrp_ring_setup *arg,
			    u32 *why)
{
	u64 known = arg->flags & PMCGRP_RING_COMPACT ? PMCGRP_SAMPLE_ID_TYPES :
						       PMCGRP_SAMPLE_TYPES;

	*why = PMCGRP_WHY_PERMISSION;
	if (!perfmon_capable())
		return -EACCES;
	*why = PMCGRP_WHY_FLAGS;
	if (arg->flags & ~PMCGRP_RING_FLAGS)
		return -EINVAL;
	*why = PMCGRP_WHY_RESERVED;
	if (arg->__reserved)
		return -EINVAL;
	*why = PMCGRP_WHY_CLOCK;
	if (!clock_is_possible(arg))
		return -EINVAL;
	*why = PMCGRP_WHY_SAMPLE_TYPE;
	if (arg->sample_type & ~known)
		return -EINVAL;
	*why = PMCGRP_WHY_PERMISSION;
	if (arg->sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN) && !capable(CAP_SYSLOG))
		return -EACCES;
	*why = PMCGRP_WHY_LEADER;
	if (group->member_values)
		return -EOPNOTSUPP;
	/* Triggers fire for all tasks. */
	*why = PMCGRP_WHY_CGROUP;
	if (group->evlist->cgroup_id)
		return -EOPNOTSUPP;
	/* Triggers fire on all CPUs, few of which could read the counts. */
	*why = PMCGRP_WHY_UNCORE_RING;
	if (group->evlist->is_uncore)
		return -EOPNOTSUPP;
	return 0;
}

static int ring_ioctl_setup(struct pmcgrp_group *group, const struct pmcgrp_ring_setup *arg,
			    u32 *why)
{
	struct pmcgrp_ring_buffers *rings;
	int err;

	pmcgrp_group_assert_locked(group);
	if (group->rings || group->keys) {
		*why = group->keys ? PMCGRP_WHY_KEYS_EXIST : PMCGRP_WHY_RING_EXISTS;
		return -EBUSY;
	}
	rings = pmcgrp_rings_create(group, arg);
	if (!rings) {
		*why = PMCGRP_WHY_NOMEM;
		return -ENOMEM;
	}
	err = pmcgrp_rings_watch(rings);
	if (err) {
		*why = pmcgrp_why_of_error(err);
		pmcgrp_rings_destroy(rings);
		return pmcgrp_errno_of(err);
	}
	group->output = &output_ops;
	/* Initialise before publishing; pairs with pmcgrp_group_rings(). */
	smp_store_release(&group->rings, rings);
	return 0;
}

/* PMCGRP_IOC_RING: a struct pmcgrp_ring_setup.  Takes pmcgrp_groups_mutex, and the list's mutex. */
long pmcgrp_ring_setup(struct pmcgrp_group *group, void *_arg)
{
	struct pmcgrp_ring_setup *arg = _arg;
	int err;

	err = ring_ioctl_check(group, arg, &arg->why);
	if (!err)
		err = pmcgrp_target_unshare_lock(group, &arg->why);
	if (err)
		return err;
	arg->why = PMCGRP_WHY_NONE;
	mutex_lock(&group->evlist->mutex);
	err = ring_ioctl_setup(group, arg, &arg->why);
	mutex_unlock(&group->evlist->mutex);
	mutex_unlock(&pmcgrp_groups_mutex);
	return err;
}

/**
 * struct on_request - a request for samples (PMCGRP_IOC_SAMPLE)
 * @source: source of the samples
 * @written: number of records written; any of the group's CPUs
 */
struct on_request {
	struct pmcgrp_sample_source source;
	atomic_t written;
};

static void sample_here(void *info)
{
	struct on_request *request = info;

	if (pmcgrp_sample_on_request(&request->source))
		atomic_inc(&request->written);
}

/* Fast path: sample without IPIs if the group's only set is in on this CPU. */
static bool sample_self(struct on_request *request)
{
	const struct pmcgrp_evlist *evlist = request->source.group->evlist;
	unsigned long flags;
	bool here;

	if (!evlist->follower->has_one_set)
		return false;
	local_irq_save(flags);
	here = pmcgrp_evcpu_here(evlist)->in;
	if (here)
		sample_here(request);
	local_irq_restore(flags);
	return here;
}

/*
 * PMCGRP_IOC_SAMPLE: write a sample on each CPU where the target runs.  Takes the list's mutex, but
 * not on the fast path.  Return: the number of records.
 */
long pmcgrp_ring_sample(struct pmcgrp_group *group, unsigned long addr)
{
	struct on_request request = {
		.source.group = group,
		.source.id = group->leader.id,
		.source.addr = addr,
	};

	if (!pmcgrp_group_rings(group))
		return -EINVAL;
	if (!sample_self(&request)) {
		if (mutex_lock_killable(&group->evlist->mutex))
			return -EINTR;
		pmcgrp_evlist_call(group->evlist, sample_here, &request);
		mutex_unlock(&group->evlist->mutex);
	}
	return atomic_read(&request.written);
}

/* PERF_EVENT_IOC_PAUSE_OUTPUT: pause or resume writing to rings. */
long pmcgrp_ring_pause(struct pmcgrp_group *group, bool pause)
{
	struct pmcgrp_ring_buffers *rings = pmcgrp_group_rings(group);

	if (!rings)
		return -EINVAL;
	WRITE_ONCE(rings->paused, pause);
	return 0;
}
