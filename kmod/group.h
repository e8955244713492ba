/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GROUP_H
#define PMCGRP_GROUP_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "attr.h"
#include "ride.h"
#include "slot.h"

#define PMCGRP_CREATE_FLAGS \
	(PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC | PMCGRP_CREATE_PINNED)

/**
 * struct pmcgrp_opener - one open of the device, and the groups made through it
 * @refs: the device's file and each of the groups
 * @nr_groups: how many groups there are
 */
struct pmcgrp_opener {
	struct kref	refs;
	atomic_t	nr_groups;
};

/**
 * struct pmcgrp_member_state - one event of a group
 * @attr: what it counts; constant
 * @event: which of the group's distinct events that is; constant
 * @id: what PERF_FORMAT_ID gives; constant
 * @offset: the count at the last reset; pmcgrp_group.mutex
 */
struct pmcgrp_member_state {
	struct perf_event_attr	attr;
	unsigned int		event;
	u64			id;
	u64			offset;
};

/**
 * struct pmcgrp_row - a group's slots on one CPU
 * @epoch: the CPU's epoch for which they were made
 * @complete: every event has one
 * @slot: one for each distinct event
 *
 * Written under pmcgrp_groups_mutex while nothing can use it: before the group
 * has a carrier, or while the CPU's gang is closed.
 */
struct pmcgrp_row {
	u64			epoch;
	bool			complete;
	struct pmcgrp_slot	*slot[];
};

/**
 * struct pmcgrp_group - a counter group; owned by its file
 * @opener: whose limit it counts against; constant
 * @node: in the list of all groups; pmcgrp_groups_mutex
 * @mutex: serialises reads, steering and the rebuilding of @carrier
 * @target_type: enum pmcgrp_target_type; constant
 * @cpu: the CPU to count, or -1; constant
 * @flags: PMCGRP_CREATE_*; constant
 * @read_format: PERF_FORMAT_*; constant
 * @nr: members; constant
 * @nr_events: distinct events: members with equal attrs are one counter, so that
 *	they are equal in every read; constant
 * @first: for each event, in the order of the slots, the first member that counts
 *	it; constant
 * @enabled: asked to count; @mutex.  Used for CPU targets only: a task's carrier
 *	may also be enabled by execve().
 * @carrier: NULL where the target CPU has been offline; @mutex
 * @carrier_epoch: the CPU's epoch for which @carrier was made; @mutex
 * @rows: one row for each CPU
 * @ride: of @carrier; lives as long as the group
 * @snap: scratch; @mutex
 * @member: the members
 */
struct pmcgrp_group {
	struct pmcgrp_opener		*opener;
	struct list_head		node;
	struct mutex			mutex;
	u32				target_type;
	int				cpu;
	u64				flags;
	u64				read_format;
	unsigned int			nr;
	unsigned int			nr_events;
	u8				first[PMCGRP_MEMBERS_MAX];
	bool				enabled;
	struct perf_event		*carrier;
	u64				carrier_epoch;
	struct pmcgrp_row __percpu	*rows;
	struct pmcgrp_ride		*ride;
	struct pmcgrp_snapshot		snap;
	struct pmcgrp_member_state	member[] __counted_by(nr);
};

extern struct mutex pmcgrp_groups_mutex;

void pmcgrp_groups_init(unsigned int groups_max);
struct pmcgrp_opener *pmcgrp_opener_create(void);
void pmcgrp_opener_put(struct pmcgrp_opener *opener);

struct pmcgrp_group *pmcgrp_group_alloc(struct pmcgrp_opener *opener, unsigned int nr);
int pmcgrp_group_start(struct pmcgrp_group *group, struct task_struct *task,
		       struct pmcgrp_failure *fail);
void pmcgrp_group_free(struct pmcgrp_group *group);

void pmcgrp_group_enable(struct pmcgrp_group *group);
void pmcgrp_group_disable(struct pmcgrp_group *group);
void pmcgrp_group_reset(struct pmcgrp_group *group);
void pmcgrp_group_refresh(struct pmcgrp_group *group);

struct pmcgrp_slot *const *pmcgrp_group_slots(struct pmcgrp_group *group, int cpu);
void pmcgrp_groups_rebuild(int cpu);
void pmcgrp_groups_drop(int cpu);

#endif /* PMCGRP_GROUP_H */
