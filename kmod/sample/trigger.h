/* SPDX-License-Identifier: GPL-2.0-only */
/* Triggers: perf events whose overflows cause samples of a group. */
#ifndef PMCGRP_TRIGGER_H
#define PMCGRP_TRIGGER_H

#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "sample/sample.h"

struct pmcgrp_failure;
struct pmcgrp_group;
struct task_struct;

/**
 * struct pmcgrp_trigger - a trigger for one task or on one CPU
 * @node: node in pmcgrp_ring_buffers.triggers; pmcgrp_evlist.mutex
 * @attr: attr of the event, as user space gave it.  Constant.
 * @source: source of the samples.  Its group, id and index are constant and the same on all CPUs;
 *	the rest belongs to the overflow handler.
 * @cpu: the CPU, or -1 for a task.  Constant.
 * @generation: hotplug generation of the CPU for which @event was made; pmcgrp_evlist.mutex
 * @event: the perf event; NULL where the CPU is offline or lacks it; pmcgrp_evlist.mutex
 * @probe: attr has a user pointer to a probe's name, valid only in the ioctl.  Constant once the
 *	trigger is in the list.
 */
struct pmcgrp_trigger {
	struct list_head node;
	struct perf_event_attr attr;
	struct pmcgrp_sample_source source;
	int cpu;
	u64 generation;
	struct perf_event *event;
	bool probe;
};

void pmcgrp_trigger_detach(struct pmcgrp_trigger *trigger);
int pmcgrp_trigger_attach(struct pmcgrp_trigger *trigger, struct task_struct *task);
int pmcgrp_triggers_make(struct list_head *made, struct pmcgrp_trigger *like,
			 struct pmcgrp_failure *fail);
void pmcgrp_triggers_free(struct list_head *triggers);

long pmcgrp_trigger_add(struct pmcgrp_group *group, void *_arg);
void pmcgrp_triggers_enable(struct pmcgrp_group *group, bool enable);
unsigned int pmcgrp_triggers_in_error(const struct pmcgrp_group *group);
void pmcgrp_triggers_rebuild(struct pmcgrp_group *group, int cpu);
void pmcgrp_triggers_drop(struct pmcgrp_group *group);

#endif /* PMCGRP_TRIGGER_H */
