/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counter group: what a descriptor shows of an event list.
 *
 *   pmcgrp_opener [1]---[n] pmcgrp_group      an open of /dev/pmcgrp, and its groups
 *   pmcgrp_group  [1]---[n] member_state      what each member counts
 *   pmcgrp_group  [n]---[1] pmcgrp_evlist     its events, their counters and counts (evlist.h)
 *
 * group.c states its lifetime.
 */
#ifndef PMCGRP_GROUP_H
#define PMCGRP_GROUP_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>
#include "compat.h"
#include "counter/attr.h"
#include "set/evlist.h"

struct perf_event_mmap_page;
struct pmcgrp_count_pages;
struct pmcgrp_task_key_table;
struct pmcgrp_ring_buffers;

#define PMCGRP_CREATE_FLAGS                                                             \
	(PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_ENABLE_ON_EXEC | PMCGRP_CREATE_PINNED | \
	 PMCGRP_CREATE_INHERIT | PMCGRP_CREATE_LEADER | PMCGRP_CREATE_USER_READ |       \
	 PMCGRP_CREATE_UNTIL_EXIT | PMCGRP_CREATE_AS_PERF | PMCGRP_CREATE_BACKGROUND)

/**
 * struct pmcgrp_opener - one open of the device
 * @refs: references of the device's file and of each group
 * @nr_groups: number of groups created through this open, of whichever user
 */
struct pmcgrp_opener {
	struct kref refs;
	atomic_t nr_groups;
};

/**
 * struct pmcgrp_member_fd - a descriptor of a group with a leader
 * @group: the group.  Constant.
 * @id: id of the member.  Constant.
 * @read_format: PERF_FORMAT_* of read() on the descriptor.  Constant.
 * @index: index of the member in pmcgrp_group.member; as pmcgrp_group.member_values
 * @page: its count page, or NULL (count_page.c); set once, under pmcgrp_group.values_lock
 * @pmu: PMU whose registers its mappings let user space read, or NULL; as @page
 * @maps: number of mappings; pmcgrp_group.values_lock
 * @data_pages: pages behind @page in each of them; as @maps
 */
struct pmcgrp_member_fd {
	struct pmcgrp_group *group;
	u64 id;
	u64 read_format;
	unsigned int index;
	struct perf_event_mmap_page *page;
	struct pmu *pmu;
	unsigned int maps;
	unsigned long data_pages;
};

/**
 * struct pmcgrp_member_state - a member of a group
 * @attr: event of the member; constant
 * @event: number of @attr among the events of the list; as pmcgrp_group.member_values
 * @id: id for PERF_FORMAT_ID; constant
 * @mfd: descriptor of the member in a group with a leader, or NULL; constant
 * @on: enabled state of the member in a group with a leader; as pmcgrp_group.member_values.
 *	Always true for the leader: pmcgrp_evlist.active is its state.  Of a new member, which has
 *	no page yet, written under the mutex alone.
 *
 * When a member leaves, the members after it move up in the array.
 */
struct pmcgrp_member_state {
	struct perf_event_attr attr;
	unsigned int event;
	u64 id;
	struct pmcgrp_member_fd *mfd;
	bool on;
};

/**
 * struct pmcgrp_user_read_ops - what the user page of a group has to know (user_page.c), or its
 *	members' count pages (count_page_map.c)
 * @begin: the group's list has its evcpus, and is about to get its carrier; may sleep,
 *	pmcgrp_groups_mutex held.  Return 0, or an errno of perf core's.
 * @closes: the group's last descriptor is closed, the list goes on yet; may sleep.  NULL of a user
 *	page, whose group has no leader.
 * @ended: the list has no carrier any more; may sleep, pmcgrp_groups_mutex held
 * @free: the group is about to be freed
 * @sentry_in: its sentry comes in, the PMU may be held; interrupts off.  Or NULL.
 *
 * Of count pages there is no @begin: they come later.
 */
struct pmcgrp_user_read_ops {
	int (*begin)(struct pmcgrp_group *group);
	void (*closes)(struct pmcgrp_group *group);
	void (*ended)(struct pmcgrp_group *group);
	void (*free)(struct pmcgrp_group *group);
	void (*sentry_in)(const struct pmcgrp_group *group);
};

/**
 * struct pmcgrp_user_read - user page of a group, or count pages of its members
 * @ops: what the group's start and end do with it, or NULL without a page.  Constant, or set with
 *	the first count page.
 * @pmu: PMU of all members, with count pages of those that user space can read; NULL if it cannot
 *	read the group.  Constant once the group counts, or set with such a page.
 * @sentry: carrier that shows when @pmu is rescheduled, or NULL if not needed.  As @pmu; with count
 *	pages set later, by their work.
 * @page: the user page, or NULL; written on the CPU where the carrier is scheduled in, interrupts
 *	off
 * @count_pages: what all count pages share, or NULL; as pmcgrp_member_fd.page
 */
struct pmcgrp_user_read {
	const struct pmcgrp_user_read_ops *ops;
	struct pmu *pmu;
	struct perf_event *sentry;
	struct pmcgrp_user_page *page;
	struct pmcgrp_count_pages *count_pages;
};

/**
 * struct pmcgrp_output_ops - what a group's rings and triggers have to know (ring_ioctl.c)
 * @enable: the group was enabled, or is to be disabled; may sleep, the list's mutex held
 * @flush: the group is disabled: report lost samples; may sleep, the list's mutex held
 * @cpu_online: a CPU of the group has come online; may sleep, pmcgrp_groups_mutex held
 * @drop: the group's descriptor is closed: end the triggers, so that no sample comes any more;
 *	may sleep, the list's mutex held
 * @stop: wait for the work of the rings; may sleep
 * @free: the group is about to be freed; may sleep
 */
struct pmcgrp_output_ops {
	void (*enable)(struct pmcgrp_group *group, bool enable);
	void (*flush)(struct pmcgrp_group *group);
	void (*cpu_online)(struct pmcgrp_group *group, int cpu);
	void (*drop)(struct pmcgrp_group *group);
	void (*stop)(struct pmcgrp_group *group);
	void (*free)(struct pmcgrp_ring_buffers *rings);
};

/**
 * struct pmcgrp_keys_ops - what a group's table of counts by key has to know (key_ioctl.c)
 * @free: the group is about to be freed, no set of it is in; may sleep
 */
struct pmcgrp_keys_ops {
	void (*free)(struct pmcgrp_task_key_table *table);
};

/**
 * struct pmcgrp_group - a counter group
 * @opener: open of the device; constant
 * @charge: what it is charged to: its user; changed by pmcgrp_ring_buffers.adding
 * @node: node among all groups, by the id of the first member; pmcgrp_groups_mutex
 * @evlist: event list, a reference; NULL before the group is started.  A group that shares it may
 *	get one of its own, once: written under pmcgrp_groups_mutex and the old one's mutex
 * @left: the list that it has shared before, a reference, or NULL; pmcgrp_groups_mutex
 * @list_node: node in pmcgrp_evlist.groups; as that
 * @flags: PMCGRP_CREATE_*; constant
 * @read_format: PERF_FORMAT_*; constant
 * @nr: number of members; with a leader as @member_values, otherwise constant
 * @leader: descriptor of the group, which is the descriptor of member 0
 * @member_values: state of each member in a group with a leader, otherwise NULL; written under the
 *	list's mutex and @values_lock
 * @values_lock: what members show, for their count pages; innermost, interrupts off
 * @rings: the rings, or NULL; set once under the list's mutex, read in any context (ring_ioctl.c)
 * @output: operations of @rings; set before @rings
 * @keys: table of counts by key, or NULL; as @rings (key_ioctl.c)
 * @keys_ops: operations of @keys; set before @keys
 * @spans: its spans, by pmcgrp_span.node (span.c); pmcgrp_sections_mutex
 * @end_spans: ends @spans, as the group's descriptor is closed; NULL: it has had none.  Written as
 *	@spans
 * @stops: a number that changes whenever the group is enabled or disabled, or a reset keeps it from
 *	counting; written under the list's mutex, read in any context (pmcgrp_group_stops())
 * @nr_fds: number of open descriptors; pmcgrp_groups_mutex
 * @enabled: enabled state, if the list may be shared.  Otherwise that is pmcgrp_evlist.active.  As
 *	@zero
 * @keeps: the group is disabled, and other groups may have the list count: @zero is what the group
 *	shows.  As @zero
 * @zero: what is subtracted from the list's values: they were that at the last reset, and grew
 *	while the group was disabled.  With @keeps, what the group shows.  Written under the list's
 *	mutex and @zero_seq; of a list in a context where that may be accessed, too (control.c).
 * @zero_seq: odd while @zero, @cpu_zero, @enabled or @keeps changes, or a state of a member, or
 *	the members themselves
 * @cpu_zero: the same as @zero for each CPU alone, if there are several and no leader:
 *	pmcgrp_group_cpu_zero().  NULL: none is shown alone, or @zero is that of the only CPU.
 *	Contents as @zero
 * @cpu_zero_size: bytes in @cpu_zero for a CPU; constant once there is @cpu_zero
 * @owner: process that created the group, or NULL: a kernel module has; constant
 * @comm: name of that process at creation, or the one that the module has given; constant
 * @user_read: user page, with %PMCGRP_CREATE_USER_READ (user_page.c)
 * @room: how many can be in @member; as that
 * @member: the members: @few, or with a leader a larger array; as @member_values
 * @few: room for the first ones
 */
struct pmcgrp_group {
	struct pmcgrp_opener *opener;
	struct pmcgrp_charge charge;
	struct rb_node node;
	struct pmcgrp_evlist *evlist;
	struct pmcgrp_evlist *left;
	struct list_head list_node;
	u64 flags;
	u64 read_format;
	unsigned int nr;
	struct pmcgrp_member_fd leader;
	struct pmcgrp_member_values *member_values;
	raw_spinlock_t values_lock;
	struct pmcgrp_ring_buffers *rings;
	const struct pmcgrp_output_ops *output;
	struct pmcgrp_task_key_table *keys;
	const struct pmcgrp_keys_ops *keys_ops;
	struct list_head spans;
	void (*end_spans)(struct pmcgrp_group *group);
	unsigned int stops;
	unsigned int nr_fds;
	bool enabled;
	bool keeps;
	struct pmcgrp_values zero;
	seqcount_t zero_seq;
	void *cpu_zero;
	size_t cpu_zero_size;
	struct pid *owner;
	char comm[TASK_COMM_LEN];
	struct pmcgrp_user_read user_read;
	unsigned int room;
	struct pmcgrp_member_state *member;
	struct pmcgrp_member_state few[] __counted_by(room);
};

extern struct rb_root pmcgrp_groups; /* pmcgrp_groups_mutex */

void pmcgrp_groups_init(unsigned int groups_max);
struct pmcgrp_opener *pmcgrp_opener_create(void);
void pmcgrp_opener_put(struct pmcgrp_opener *opener);

struct pmcgrp_group *pmcgrp_group_alloc(struct pmcgrp_opener *opener,
					struct pmcgrp_account *account, unsigned int nr,
					bool has_leader);
int pmcgrp_group_show_cpus(struct pmcgrp_group *group, unsigned int nr_events);
u32 pmcgrp_group_why(int err);
u64 pmcgrp_group_next_ids(unsigned int nr);
void pmcgrp_group_free(struct pmcgrp_group *group);
void pmcgrp_group_link(struct pmcgrp_group *group);
void pmcgrp_group_unlink(struct pmcgrp_group *group);
struct pmcgrp_group *pmcgrp_group_next(u64 id, const struct pmcgrp_opener *only);

/* pmcgrp_group.zero for one CPU alone, with room for the events that the group's list has. */
static inline struct pmcgrp_values *pmcgrp_group_cpu_zero(const struct pmcgrp_group *group, int cpu)
{
	return group->cpu_zero + group->cpu_zero_size * cpu;
}

/* The rings of a group, initialised, or NULL; any context. */
static inline struct pmcgrp_ring_buffers *pmcgrp_group_rings(const struct pmcgrp_group *group)
{
	/* Pairs with ring_ioctl_setup(). */
	return smp_load_acquire(&group->rings);
}

/* The table of counts by key of a group, initialised, or NULL; any context. */
static inline struct pmcgrp_task_key_table *pmcgrp_group_keys(const struct pmcgrp_group *group)
{
	/* Pairs with pmcgrp_by_key_begin(). */
	return smp_load_acquire(&group->keys);
}

/* Whether it counts wherever its target runs, as its descriptor has it; any context. */
static inline bool pmcgrp_group_is_enabled(const struct pmcgrp_group *group)
{
	/* Pairs with control_go_on(): a sample is taken with the values after the change. */
	return READ_ONCE(group->evlist->is_shareable) ? smp_load_acquire(&group->enabled) :
							READ_ONCE(group->evlist->active);
}

/*
 * Take the mutex of a group's list, which may become another one meanwhile.  Return: false if the
 * caller has been killed.  Who holds pmcgrp_groups_mutex needs not look again.
 */
static inline bool pmcgrp_group_lock(struct pmcgrp_group *group)
{
	struct pmcgrp_evlist *evlist;

	for (;;) {
		evlist = READ_ONCE(group->evlist);
		if (mutex_lock_killable(&evlist->mutex))
			return false;
		if (likely(evlist == READ_ONCE(group->evlist)))
			return true;
		mutex_unlock(&evlist->mutex);
	}
}

/* Assert that the caller may change a group. */
static inline void pmcgrp_group_assert_locked(const struct pmcgrp_group *group)
{
	lockdep_assert_held(&group->evlist->mutex);
}

/*
 * What the group counts is about to stop or to go on: who has read its counters before cannot go on
 * from that.
 */
static inline void pmcgrp_group_stops(struct pmcgrp_group *group)
{
	pmcgrp_group_assert_locked(group);
	/* Pairs with begin_here() in section.c. */
	smp_store_release(&group->stops, group->stops + 1);
	/* Pairs with why_missed() in section.c. */
	smp_wmb();
}

/* The same for all groups of a list. */
static inline void pmcgrp_groups_stop(struct pmcgrp_evlist *evlist)
{
	struct pmcgrp_group *group;

	list_for_each_entry(group, &evlist->groups, list_node)
		pmcgrp_group_stops(group);
}

#endif /* PMCGRP_GROUP_H */
