/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/*
 * pmcgrp_plan.h - what a kernel will do with groups of events, without a kernel
 *
 * Which events will be counted, on which counters and for how much of the time; which are refused,
 * and what is in the way.  It is computed from a description of the PMU; nothing is opened, and no
 * rights are needed, but by pmcgrp_plan_events().  The manual is pmcgrp_plan(3).
 *
 * What is computed is what Linux 6.12 does: kernel/events/core.c, arch/x86/events/ and
 * drivers/perf/arm_pmu.c; with struct pmcgrp_plan_options also what older kernels do.
 */
#ifndef PMCGRP_PLAN_H
#define PMCGRP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct pmcgrp;
struct pmcgrp_events;

/* Counters are bits of a mask: general-purpose ones from 0, fixed ones from here. */
#define PMCGRP_PLAN_FIXED 32
/* Topdown metric events have a place of their own each, from here. */
#define PMCGRP_PLAN_METRIC 48

/* Events of one plan, each time that a group names one. */
#define PMCGRP_PLAN_EVENTS_MAX 256

/* Kinds of extra registers of a PMU. */
#define PMCGRP_PLAN_EXTRA_MAX 8

/**
 * enum pmcgrp_plan_event_flags - what is peculiar to an event
 * @PMCGRP_PLAN_SOFTWARE: the kernel counts it itself, without a counter
 * @PMCGRP_PLAN_UNSUPPORTED: the PMU has no such event
 * @PMCGRP_PLAN_OVERLAP: the kernel tries other counters for it when others find none (AMD)
 * @PMCGRP_PLAN_EXCLUSIVE: the sibling hyper-thread must not use the same counter (Intel's HT erratum)
 * @PMCGRP_PLAN_PAIR: it needs its counter and the next one (AMD's large increments)
 * @PMCGRP_PLAN_CYCLES: Arm's cycle counter is tried first: the highest bit of its mask
 */
enum pmcgrp_plan_event_flags {
	PMCGRP_PLAN_SOFTWARE	= 1 << 0,
	PMCGRP_PLAN_UNSUPPORTED	= 1 << 1,
	PMCGRP_PLAN_OVERLAP	= 1 << 2,
	PMCGRP_PLAN_EXCLUSIVE	= 1 << 3,
	PMCGRP_PLAN_PAIR	= 1 << 4,
	PMCGRP_PLAN_CYCLES	= 1 << 5,
};

/**
 * struct pmcgrp_plan_event - an event, and what it needs
 * @name: as the user wrote it
 * @code: what the PMU is programmed with; with @config1 what tells different events apart
 * @config1: value of its extra register
 * @identity: of pmcgrp, whose equal events share a counter: what its attr is told apart by; 0 in all
 *	events: by @code and @config1
 * @mask: counters that can count it
 * @weight: what the kernel takes for the number of bits in @mask; 0: that number
 * @extra: 0, or 1 + its kind of extra registers in struct pmcgrp_plan_pmu
 * @flags: enum pmcgrp_plan_event_flags
 */
struct pmcgrp_plan_event {
	const char *name;
	uint64_t code;
	uint64_t config1;
	uint64_t identity;
	uint64_t mask;
	unsigned int weight;
	unsigned int extra;
	unsigned int flags;
};

/**
 * enum pmcgrp_plan_style - whose driver assigns counters
 * @PMCGRP_PLAN_X86: all events are assigned anew for each group, the most constrained first
 * @PMCGRP_PLAN_ARM: an event gets the first counter that is free, and keeps it
 */
enum pmcgrp_plan_style {
	PMCGRP_PLAN_X86,
	PMCGRP_PLAN_ARM,
};

/**
 * struct pmcgrp_plan_pmu - a PMU of one CPU
 * @style: enum pmcgrp_plan_style
 * @nr_gp: general-purpose counters
 * @nr_fixed: fixed counters
 * @nr_extra: registers of each kind of extra registers, up to 4
 * @extra_name: and their names; NULL: there are none of this kind
 * @ht_limit: counters that one hyper-thread may use while one of them counts exclusive events; 0:
 *	there is no such limit
 * @watchdog: the event that the NMI watchdog pins on each CPU, or NULL
 */
struct pmcgrp_plan_pmu {
	enum pmcgrp_plan_style style;
	unsigned int nr_gp;
	unsigned int nr_fixed;
	unsigned int nr_extra[PMCGRP_PLAN_EXTRA_MAX];
	const char *extra_name[PMCGRP_PLAN_EXTRA_MAX];
	unsigned int ht_limit;
	const struct pmcgrp_plan_event *watchdog;
};

/**
 * struct pmcgrp_plan_group - a group of events
 * @events: its events, the leader first; not copied
 * @nr: how many
 * @pinned: attr.pinned of the leader
 * @exclusive: attr.exclusive of the leader
 * @weak: perf stat opens its events one by one if the group is refused
 */
struct pmcgrp_plan_group {
	const struct pmcgrp_plan_event *const *events;
	unsigned int nr;
	bool pinned;
	bool exclusive;
	bool weak;
};

/**
 * enum pmcgrp_plan_who - who counts
 * @PMCGRP_PLAN_PERF: perf stat, with perf core
 * @PMCGRP_PLAN_PMCGRP: groups of pmcgrp
 */
enum pmcgrp_plan_who {
	PMCGRP_PLAN_PERF,
	PMCGRP_PLAN_PMCGRP,
};

/* A version of the kernel, for comparisons. */
#define PMCGRP_PLAN_KERNEL(a, b, c) (((a) << 16) + ((b) << 8) + (c))

/**
 * struct pmcgrp_plan_options - what else decides
 * @who: enum pmcgrp_plan_who
 * @kernel: PMCGRP_PLAN_KERNEL() of the first two numbers and a release candidate, 255 for the
 *	release; 0: 6.12
 * @run_us: how long the target runs, in us; 0: until the shares do not change any more
 * @mux_us: perf_event_mux_interval_ms of the PMU, in us; 0: 4,000
 * @no_pmc3: counter 3 is not used: allow_tsx_force_abort is 0 on a processor with Intel's TFA
 * @sibling_shared: counters on which the sibling hyper-thread counts ordinary events
 * @sibling_exclusive: counters on which it counts exclusive ones
 */
struct pmcgrp_plan_options {
	enum pmcgrp_plan_who who;
	unsigned int kernel;
	uint64_t run_us;
	uint64_t mux_us;
	bool no_pmc3;
	uint64_t sibling_shared;
	uint64_t sibling_exclusive;
};

/**
 * enum pmcgrp_plan_status - what becomes of an event
 * @PMCGRP_PLAN_COUNTED: it is counted all the time
 * @PMCGRP_PLAN_MULTIPLEXED: for a part of the time
 * @PMCGRP_PLAN_NOT_COUNTED: it waits in vain, or its group cannot be read
 * @PMCGRP_PLAN_NOT_SUPPORTED: perf_event_open(2) or PMCGRP_IOC_CREATE refuses it
 */
enum pmcgrp_plan_status {
	PMCGRP_PLAN_COUNTED,
	PMCGRP_PLAN_MULTIPLEXED,
	PMCGRP_PLAN_NOT_COUNTED,
	PMCGRP_PLAN_NOT_SUPPORTED,
};

/* The longest reason, with its end. */
#define PMCGRP_PLAN_REASON 256

/**
 * struct pmcgrp_plan_row - what becomes of one event
 * @group: its group's number
 * @event: the event
 * @status: enum pmcgrp_plan_status
 * @has_share: whether perf stat prints a share: false where the group cannot be read, and for a
 *	pinned group in error
 * @on: intervals in which it is counted
 * @of: intervals of the cycle that repeats, or of the run
 * @share: @on of @of in percent; of a run the last interval may be shorter
 * @kernel_share: in percent, for which the kernel counts it, whether it can be read or not
 * @nr_counters: how many counters it has had
 * @counters: their bits, in the order of their first use
 * @reason: why it is not counted all the time, in a sentence; "" if it is
 */
struct pmcgrp_plan_row {
	unsigned int group;
	const struct pmcgrp_plan_event *event;
	enum pmcgrp_plan_status status;
	bool has_share;
	unsigned int on;
	unsigned int of;
	double share;
	double kernel_share;
	unsigned int nr_counters;
	uint8_t counters[64];
	char reason[PMCGRP_PLAN_REASON];
};

/**
 * struct pmcgrp_plan_slice - what is on which counter in one interval
 * @row: of each counter's bit the row number, or a value of enum pmcgrp_plan_slice_row
 */
struct pmcgrp_plan_slice {
	int16_t row[64];
};

/**
 * enum pmcgrp_plan_slice_row - values of struct pmcgrp_plan_slice that are no rows
 * @PMCGRP_PLAN_FREE: nothing is on the counter
 * @PMCGRP_PLAN_WATCHDOG: the NMI watchdog has it
 */
enum pmcgrp_plan_slice_row {
	PMCGRP_PLAN_FREE	= -1,
	PMCGRP_PLAN_WATCHDOG	= -2,
};

/* Intervals that are shown at most. */
#define PMCGRP_PLAN_SLICES 64

/**
 * struct pmcgrp_plan - a plan
 * @nr: rows: one for each event of each group, in their order
 * @rows: what becomes of each
 * @watchdog: the counter of the watchdog at first, or -1
 * @before: intervals before those that repeat
 * @cycle: intervals that repeat; 0: none did in PMCGRP_PLAN_INTERVALS, and the shares are of these
 * @multiplexed: whether any group ever waited for its turn
 * @nr_slices: of @slices
 * @slices: the first intervals
 */
struct pmcgrp_plan {
	unsigned int nr;
	struct pmcgrp_plan_row *rows;
	int watchdog;
	unsigned int before;
	unsigned int cycle;
	bool multiplexed;
	unsigned int nr_slices;
	struct pmcgrp_plan_slice slices[PMCGRP_PLAN_SLICES];
};

/* Intervals that are looked at, at most. */
#define PMCGRP_PLAN_INTERVALS 20000

/**
 * pmcgrp_plan - compute what becomes of groups
 * @plan: set to the plan, for pmcgrp_plan_free()
 * @pmu: the PMU
 * @groups: the groups, in the order in which they are opened
 * @nr: how many
 * @options: what else decides, or NULL
 *
 * No more than PMCGRP_PLAN_INTERVALS times the events are looked at: it ends within a second.
 *
 * Returns 0; -EINVAL if a group has no event, the PMU more counters or registers than there can be,
 * or an event that overlaps a fixed counter; -E2BIG if there are more than PMCGRP_PLAN_EVENTS_MAX
 * events, or -ENOMEM.
 */
int pmcgrp_plan(struct pmcgrp_plan **plan, const struct pmcgrp_plan_pmu *pmu,
		const struct pmcgrp_plan_group *groups, unsigned int nr,
		const struct pmcgrp_plan_options *options);

/**
 * pmcgrp_plan_free - free a plan
 * @plan: the plan, or NULL
 */
void pmcgrp_plan_free(struct pmcgrp_plan *plan);

/**
 * pmcgrp_plan_fits - whether events fit an empty PMU together, as a group that is opened
 * @pmu: the PMU
 * @events: the events
 * @nr: how many
 * @options: what else decides, or NULL
 */
bool pmcgrp_plan_fits(const struct pmcgrp_plan_pmu *pmu, const struct pmcgrp_plan_event *const *events,
		      unsigned int nr, const struct pmcgrp_plan_options *options);

/**
 * struct pmcgrp_plan_passes - groups in as few passes as there can be
 * @nr: passes; 0: a group does not fit even alone, @misfit
 * @least: no fewer passes are enough; it is proven that @nr is the least if they are equal
 * @misfit: the first group that does not fit, or the number of groups
 * @pass: of each group its pass, from 0; for as many groups as there are
 * @why: why fewer than @least do not do, in a sentence
 */
struct pmcgrp_plan_passes {
	unsigned int nr;
	unsigned int least;
	unsigned int misfit;
	unsigned int *pass;
	char why[PMCGRP_PLAN_REASON];
};

/**
 * pmcgrp_plan_passes - put groups into as few passes as there can be, none of them multiplexed
 * @passes: set; .pass is for free()
 * @pmu: the PMU
 * @groups: the groups; each stays whole
 * @nr: how many
 * @options: what else decides, or NULL
 * @limit_us: time after which the best that was found is taken
 *
 * A pass is right if pmcgrp_plan() of its groups, in this order, has all events counted all the time,
 * and none has ever waited for its turn.
 *
 * Returns 0, or a negative errno as pmcgrp_plan().
 */
int pmcgrp_plan_passes(struct pmcgrp_plan_passes *passes, const struct pmcgrp_plan_pmu *pmu,
		       const struct pmcgrp_plan_group *groups, unsigned int nr,
		       const struct pmcgrp_plan_options *options, uint64_t limit_us);

/**
 * pmcgrp_plan_events - put the groups of a list into as few passes as there can be, on this machine
 * @passes: set as by pmcgrp_plan_passes(); .pass is for free(), and has the groups of @events
 * @h: who is to count them
 * @events: by pmcgrp_events_parse(); "a,b" is two groups, "{a,b}" one that stays whole
 * @limit_us: as pmcgrp_plan_passes()
 *
 * As `pmcgrp stat --passes` has it: by the model of this CPU, and with the counters that the PMU has
 * now.  To learn these, groups are opened by perf_event_open(2) that are not enabled.  An event that
 * this machine refuses makes its group one that does not fit.
 *
 * Returns 0, or a negative errno as pmcgrp_plan_passes(); -EINVAL also if an event is one of a PMU
 * outside the cores, which has counters of its own.  @passes->why has the sentence then.
 */
int pmcgrp_plan_events(struct pmcgrp_plan_passes *passes, const struct pmcgrp *h,
		       const struct pmcgrp_events *events, uint64_t limit_us);

/**
 * pmcgrp_plan_counter - a counter's name: "GP2", "FIXED1", "METRIC0"
 * @text: where it goes
 * @size: of @text
 * @bit: of the counter
 */
void pmcgrp_plan_counter(char *text, size_t size, unsigned int bit);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* PMCGRP_PLAN_H */
