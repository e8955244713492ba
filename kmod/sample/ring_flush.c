// SPDX-License-Identifier: GPL-2.0-only
/* Write what is pending in a group's rings. */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include "group/group.h"
#include "sample/by_task.h"
#include "sample/ring.h"
#include "sample/ring_flush.h"
#include "sample/ring_map.h"
#include "sample/sample_put.h"
#include "sample/sample_side.h"
#include "set/evlist.h"

static bool ring_has_more(const struct pmcgrp_ring_buffer *ring)
{
	return ring && (ring->lost || atomic_long_read(&ring->not_taken) ||
			ring->rings->by_task);
}

static void flush_ring(struct pmcgrp_group *group, struct pmcgrp_ring_buffer *ring)
{
	if (!ring_has_more(ring))
		return;
	if (ring->rings->by_task)
		pmcgrp_by_task_flush(ring);
	pmcgrp_sample_write_losses(group, ring);
}

static void ring_flush_here(void *info)
{
	struct pmcgrp_group *group = info;

	flush_ring(group, pmcgrp_ring_here(group->rings));
}

/* Nobody writes to the rings of CPUs that are offline; with cpus_read_lock() they stay so. */
static void flush_offline(struct pmcgrp_group *group, const struct cpumask *cpus)
{
	int cpu;

	for_each_cpu(cpu, cpus) {
		if (cpu_online(cpu))
			continue;
		local_irq_disable();
		flush_ring(group, rcu_dereference_check(group->rings->ring[cpu],
							irqs_disabled()));
		local_irq_enable();
	}
}

/**
 * pmcgrp_ring_flush_group - write what is pending: counts of tasks, LOST and LOST_SAMPLES records
 * @group: the group, with rings; disabled or frozen, so that no sample is written meanwhile
 *
 * Context: may sleep; the list's mutex held.
 */
void pmcgrp_ring_flush_group(struct pmcgrp_group *group)
{
	const struct pmcgrp_ring_buffers *rings = group->rings;
	struct pmcgrp_evlist *evlist = group->evlist;
	int cpu;

	pmcgrp_group_assert_locked(group);
	if (!rings->per_cpu) {
		local_irq_disable();
		ring_flush_here(group);
		local_irq_enable();
		return;
	}
	cpumask_clear(evlist->scratch_cpus);
	rcu_read_lock();
	for_each_cpu(cpu, evlist->cpus)
		if (ring_has_more(rcu_dereference(rings->ring[cpu])))
			cpumask_set_cpu(cpu, evlist->scratch_cpus);
	rcu_read_unlock();
	cpus_read_lock();
	on_each_cpu_mask(evlist->scratch_cpus, ring_flush_here, group, true);
	flush_offline(group, evlist->scratch_cpus);
	cpus_read_unlock();
}
