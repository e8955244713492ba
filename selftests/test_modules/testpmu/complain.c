// SPDX-License-Identifier: GPL-2.0-only
/*
 * Complaints: every breach of struct pmu's contract is counted, and the first of
 * each kind is a WARNING, which makes a run in a guest fail.  Those that misuse.c
 * provokes are counted apart and make no noise.
 *
 * Context: any.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include "testpmu.h"

static const char *const names[TPMU_FAULTS] = {
	[TPMU_IRQS_ON]		= "irqs-on",
	[TPMU_UNHELD]		= "unheld",
	[TPMU_DOUBLE_ADD]	= "double-add",
	[TPMU_ABSENT_READ]	= "absent-read",
	[TPMU_EARLY_READ]	= "early-read",
	[TPMU_STOPPED_READ]	= "stopped-read",
	[TPMU_ABSENT_DEL]	= "absent-del",
	[TPMU_EARLY_DEL]	= "early-del",
	[TPMU_TXN_NESTED]	= "txn-nested",
	[TPMU_TXN_NONE]		= "txn-none",
	[TPMU_TXN_DEL]		= "txn-del",
	[TPMU_TXN_LEFT]		= "txn-left",
	[TPMU_UNBALANCED]	= "unbalanced",
	[TPMU_LEFT_HELD]	= "left-held",
	[TPMU_WRONG_CPU]	= "wrong-cpu",
	[TPMU_FREED_ON]		= "freed-on",
};

static atomic64_t faults[TPMU_FAULTS];
static atomic64_t provoked[TPMU_FAULTS];
static unsigned long told[BITS_TO_LONGS(TPMU_FAULTS)];
static DEFINE_MUTEX(expect_mutex);
static int expected = TPMU_FAULTS;	/* the fault being provoked; expect_mutex */

/**
 * tpmu_complain - the PMU has been used in a way that its contract rules out
 * @fault: which
 * @event: the event in question, or NULL
 */
void tpmu_complain(enum tpmu_fault fault, const struct perf_event *event)
{
	if (READ_ONCE(expected) == fault) {
		atomic64_inc(&provoked[fault]);
		return;
	}
	atomic64_inc(&faults[fault]);
	if (test_and_set_bit(fault, told))
		return;
	WARN(1, "pmcgrp_testpmu: %s: CPU %d, event %llx, hw.idx %d, hw.state %x\n", names[fault],
	     raw_smp_processor_id(), event ? event->attr.config : 0, event ? event->hw.idx : 0,
	     event ? event->hw.state : 0);
}

/**
 * tpmu_expect - run something that the PMU must complain about
 * @fault: the complaint to come
 * @provoke: what to run
 * @arg: its argument
 * @ret: out: what it returned
 *
 * Context: may sleep.
 * Return: whether the complaint came.
 */
bool tpmu_expect(enum tpmu_fault fault, int (*provoke)(void *arg), void *arg, int *ret)
{
	u64 before;
	bool came;

	mutex_lock(&expect_mutex);
	before = atomic64_read(&provoked[fault]);
	WRITE_ONCE(expected, fault);
	*ret = provoke(arg);
	WRITE_ONCE(expected, TPMU_FAULTS);
	came = atomic64_read(&provoked[fault]) != before;
	mutex_unlock(&expect_mutex);
	return came;
}

/**
 * tpmu_fault_name - what a fault is called in debugfs
 * @fault: the fault
 */
const char *tpmu_fault_name(enum tpmu_fault fault)
{
	return names[fault];
}

/**
 * tpmu_fault_count - how often a fault was seen
 * @fault: the fault
 * @was_provoked: by misuse.c, rather than in earnest
 */
u64 tpmu_fault_count(enum tpmu_fault fault, bool was_provoked)
{
	return atomic64_read(was_provoked ? &provoked[fault] : &faults[fault]);
}
