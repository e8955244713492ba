/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_TESTPMU_H
#define PMCGRP_TESTPMU_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "../../../kmod/compat.h"

struct seq_file;

/*
 * A counter's number is a bit in an event's mask, as on x86: programmable ones from
 * 0 on, fixed ones from 32 on (arch/x86: INTEL_PMC_IDX_FIXED).
 */
#define TPMU_COUNTERS		64
#define TPMU_FIXED_FIRST	32
#define TPMU_KIND_MAX		16	/* programmable ones, and fixed ones, at most */
#define TPMU_EVENTS_MAX		(2 * TPMU_KIND_MAX)
#define TPMU_NO_COUNTER		(-1)

#define TPMU_WIDTH		48
#define TPMU_RAW_MASK		GENMASK_ULL(TPMU_WIDTH - 1, 0)

/* What one write of ticks can move: half of a counter's range at the highest rate. */
#define TPMU_TICKS_MAX		32768

/**
 * enum tpmu_fault - what the PMU complains about
 * @TPMU_IRQS_ON: a callback with interrupts on
 * @TPMU_UNHELD: add() or del() without the PMU disabled around it
 * @TPMU_DOUBLE_ADD: add() of an event that is on, here or elsewhere
 * @TPMU_ABSENT_READ: read() of an event that is not on this CPU's PMU
 * @TPMU_EARLY_READ: read() before the enable that programs the counter
 * @TPMU_STOPPED_READ: read() of a stopped counter, whose hw.state says so
 * @TPMU_ABSENT_DEL: del(), start() or stop() of an event that is not on here
 * @TPMU_EARLY_DEL: del() outside of a transaction, before the enable that programs
 * @TPMU_TXN_NESTED: start_txn() in a transaction
 * @TPMU_TXN_NONE: commit_txn() or cancel_txn() without one
 * @TPMU_TXN_DEL: del() in a transaction of what was on before it, or commit_txn()
 *	of what was taken back by del()
 * @TPMU_TXN_LEFT: cancel_txn() without a del() for each add(), or an enable with a
 *	transaction open
 * @TPMU_UNBALANCED: pmu_enable() while enabled, pmu_disable() while disabled
 * @TPMU_LEFT_HELD: the PMU is disabled outside of a section with interrupts off
 * @TPMU_WRONG_CPU: a callback on another CPU than that of an event of an uncore PMU
 * @TPMU_FREED_ON: an event freed, or the module removed, with counters on
 * @TPMU_FAULTS: how many there are
 */
enum tpmu_fault {
	TPMU_IRQS_ON,
	TPMU_UNHELD,
	TPMU_DOUBLE_ADD,
	TPMU_ABSENT_READ,
	TPMU_EARLY_READ,
	TPMU_STOPPED_READ,
	TPMU_ABSENT_DEL,
	TPMU_EARLY_DEL,
	TPMU_TXN_NESTED,
	TPMU_TXN_NONE,
	TPMU_TXN_DEL,
	TPMU_TXN_LEFT,
	TPMU_UNBALANCED,
	TPMU_LEFT_HELD,
	TPMU_WRONG_CPU,
	TPMU_FREED_ON,
	TPMU_FAULTS
};

/**
 * struct tpmu_counter - the hardware of one counter
 * @event: whose events it counts, or NULL while it stands still
 * @raw: what the hardware shows, %TPMU_WIDTH bits
 */
struct tpmu_counter {
	struct perf_event	*event;
	u64			raw;
};

/**
 * struct tpmu_cpu - one CPU's part of the PMU; that CPU, interrupts off
 * @nr: how many events were added
 * @nr_added: the last so many of them are not programmed yet
 * @nr_txn: the last so many of them came in the open transaction
 * @txn: PERF_PMU_TXN_* of the open transaction, or 0
 * @disabled: the counters stand still
 * @event: the events, in the order in which they came
 * @target: for each event, the counter that the last solution gives it
 * @counter: the hardware
 * @moves: how often an event that was on was given another counter
 */
struct tpmu_cpu {
	unsigned int		nr;
	unsigned int		nr_added;
	unsigned int		nr_txn;
	unsigned int		txn;
	bool			disabled;
	struct perf_event	*event[TPMU_EVENTS_MAX];
	int			target[TPMU_EVENTS_MAX];
	struct tpmu_counter	counter[TPMU_COUNTERS];
	u64			moves;
};

/**
 * enum tpmu_kind - whose PMU a PMU is (hybrid.c)
 * @TPMU_ALL: all CPUs'
 * @TPMU_EVEN: that of CPUs with even numbers
 * @TPMU_ODD: that of CPUs with odd numbers
 */
enum tpmu_kind {
	TPMU_ALL,
	TPMU_EVEN,
	TPMU_ODD
};

/**
 * struct tpmu - a PMU
 * @pmu: perf core's part
 * @name: in sysfs
 * @kind: which CPUs it counts on.  Constant.
 * @cpu: each CPU's part, or NULL: the machine has no such CPU
 * @counters: mask of the counters that it has.  Constant.
 * @counters_nr: their number.  Constant.
 */
struct tpmu {
	struct pmu		pmu;
	const char		*name;
	enum tpmu_kind		kind;
	struct tpmu_cpu __percpu *cpu;
	u64			counters;
	unsigned int		counters_nr;
};

/* Two, so that groups over several PMUs can be had on any machine, and two of kinds of cores. */
#define TPMU_NR	4
extern struct tpmu tpmus[TPMU_NR];
extern atomic_t tpmu_adds; /* calls of pmu->add(), those that fail included */

static inline struct tpmu *tpmu_of(struct pmu *pmu)
{
	return container_of(pmu, struct tpmu, pmu);
}

/* hw_perf_event's fields are the PMU's own. */
static inline u64 tpmu_event_mask(const struct perf_event *event)
{
	return event->hw.config_base;
}

static inline u64 tpmu_event_rate(const struct perf_event *event)
{
	return event->hw.config;
}

int tpmu_event_init(struct perf_event *event);
extern const struct attribute_group tpmu_format_group;
extern const struct attribute_group *tpmu_attr_groups[];

bool tpmu_counts_on(struct pmu *pmu, int cpu);
bool tpmu_hybrid_init(struct tpmu *tpmu);

bool tpmu_fit(const u64 *mask, unsigned int nr, int *counter);

void tpmu_cpu_callbacks(struct pmu *pmu);
void tpmu_hold(struct pmu *pmu);
void tpmu_release(struct pmu *pmu);
void tpmu_tick_here(struct tpmu *tpmu, u64 ticks);

void tpmu_complain(enum tpmu_fault fault, const struct perf_event *event);
bool tpmu_expect(enum tpmu_fault fault, int (*provoke)(void *arg), void *arg, int *ret);
const char *tpmu_fault_name(enum tpmu_fault fault);
u64 tpmu_fault_count(enum tpmu_fault fault, bool provoked);

int tpmu_misuse(const char *name);

void tpmu_sections_init(struct dentry *dir);
void tpmu_sections_exit(void);
void tpmu_no_entry_init(struct dentry *dir);
void tpmu_no_entry_exit(void);

int tpmu_uncore_init(void);
void tpmu_uncore_exit(void);
u32 tpmu_uncore_type(void);
void tpmu_uncore_tick(int package, u64 ticks);
void tpmu_uncore_show(struct seq_file *seq);

int tpmu_debugfs_init(void);
void tpmu_debugfs_exit(void);

#endif /* PMCGRP_TESTPMU_H */
