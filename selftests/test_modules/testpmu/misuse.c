// SPDX-License-Identifier: GPL-2.0-only
/*
 * Misuse on purpose, so that tests can see that the PMU complains of each kind: on a
 * counter that perf core made and, as it is disabled, leaves alone, as pmcgrp's own
 * (kmod/counter/counter.c).  Each piece does one thing wrong, has the PMU complain once, and
 * leaves it as it was.
 *
 * Context: task; what touches the PMU runs on the counter's CPU with interrupts off,
 * but for the one piece whose fault is that they are on.
 */
#include <linux/cpumask.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "testpmu.h"

static int add_held(struct perf_event *event)
{
	int err;

	tpmu_hold(event->pmu);
	err = event->pmu->add(event, PERF_EF_START);
	tpmu_release(event->pmu);
	return err;
}

static void del_held(struct perf_event *event)
{
	tpmu_hold(event->pmu);
	event->pmu->del(event, 0);
	tpmu_release(event->pmu);
}

static int unheld(struct perf_event *event)
{
	int err = event->pmu->add(event, PERF_EF_START);

	if (err)
		return err;
	/* now programmed, so that it can be deleted */
	tpmu_hold(event->pmu);
	tpmu_release(event->pmu);
	event->pmu->del(event, 0);
	return 0;
}

static int double_add(struct perf_event *event)
{
	int err = add_held(event);

	if (err)
		return err;
	err = add_held(event) ? 0 : -EEXIST;
	del_held(event);
	return err;
}

static int absent_read(struct perf_event *event)
{
	event->pmu->read(event);
	return 0;
}

/* What the add() of a carrier event would do that ignores other holders of the PMU. */
static int early_read(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	int err;

	tpmu_hold(pmu);
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	err = pmu->add(event, PERF_EF_START);
	if (!err)
		err = pmu->commit_txn(pmu);
	if (!err)
		pmu->read(event);
	tpmu_release(pmu);
	if (!err)
		del_held(event);
	return err;
}

static int stopped_read(struct perf_event *event)
{
	int err = add_held(event);

	if (err)
		return err;
	event->pmu->stop(event, PERF_EF_UPDATE);
	event->pmu->read(event);
	del_held(event);
	return 0;
}

static int absent_del(struct perf_event *event)
{
	del_held(event);
	return 0;
}

static int early_del(struct perf_event *event)
{
	int err;

	tpmu_hold(event->pmu);
	err = event->pmu->add(event, PERF_EF_START);
	if (!err)
		event->pmu->del(event, 0);
	tpmu_release(event->pmu);
	return err;
}

static int txn_nested(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;

	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	pmu->cancel_txn(pmu);
	return 0;
}

static int txn_none(struct perf_event *event)
{
	event->pmu->cancel_txn(event->pmu);
	return 0;
}

/* A transaction must not delete events that were on before it. */
static int txn_del(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	int err = add_held(event);

	if (err)
		return err;
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	pmu->del(event, 0);
	pmu->cancel_txn(pmu);
	event->hw.last_cpu = smp_processor_id();	/* in truth it is still on */
	del_held(event);
	return 0;
}

static int txn_left(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;
	int err;

	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	err = pmu->add(event, PERF_EF_START);
	pmu->cancel_txn(pmu);
	event->hw.last_cpu = -1;	/* in truth it is off */
	return err;
}

static int unbalanced(struct perf_event *event)
{
	event->pmu->pmu_enable(event->pmu);
	return 0;
}

static int left_held(struct perf_event *event)
{
	tpmu_hold(event->pmu);
	tpmu_tick_here(tpmu_of(event->pmu), 0);
	tpmu_release(event->pmu);
	return 0;
}

static int (*const pieces[TPMU_FAULTS])(struct perf_event *event) = {
	[TPMU_UNHELD]		= unheld,
	[TPMU_DOUBLE_ADD]	= double_add,
	[TPMU_ABSENT_READ]	= absent_read,
	[TPMU_EARLY_READ]	= early_read,
	[TPMU_STOPPED_READ]	= stopped_read,
	[TPMU_ABSENT_DEL]	= absent_del,
	[TPMU_EARLY_DEL]	= early_del,
	[TPMU_TXN_NESTED]	= txn_nested,
	[TPMU_TXN_NONE]		= txn_none,
	[TPMU_TXN_DEL]		= txn_del,
	[TPMU_TXN_LEFT]		= txn_left,
	[TPMU_UNBALANCED]	= unbalanced,
	[TPMU_LEFT_HELD]	= left_held,
};

/* Before the name of a fault, and those that an uncore PMU can be misused for as well. */
#define UNCORE "uncore "
#define UNCORE_FAULTS (BIT(TPMU_UNHELD) | BIT(TPMU_DOUBLE_ADD) | BIT(TPMU_ABSENT_READ) |   \
		       BIT(TPMU_STOPPED_READ) | BIT(TPMU_ABSENT_DEL) | BIT(TPMU_UNBALANCED))

/**
 * struct misuse - one piece of misuse at work
 * @piece: what to do
 * @event: with which counter
 * @ret: what came of it
 */
struct misuse {
	int			(*piece)(struct perf_event *event);
	struct perf_event	*event;
	int			ret;
};

static void misuse_here(void *info)
{
	struct misuse *misuse = info;

	misuse->ret = misuse->piece(misuse->event);
}

static int misuse_there(void *arg)
{
	struct misuse *misuse = arg;
	int err = smp_call_function_single(misuse->event->cpu, misuse_here, misuse, 1);

	return err ? err : misuse->ret;
}

static int add_here(struct perf_event *event)
{
	return add_held(event);
}

static int del_here(struct perf_event *event)
{
	del_held(event);
	return 0;
}

static int read_with_irqs_on(void *arg)
{
	struct misuse *misuse = arg;
	int err;

	misuse->piece = add_here;
	err = misuse_there(misuse);
	if (err)
		return err;
	preempt_disable();
	if (smp_processor_id() == misuse->event->cpu)
		misuse->event->pmu->read(misuse->event);
	else
		err = -EAGAIN;	/* moved meanwhile */
	preempt_enable();
	misuse->piece = del_here;
	misuse_there(misuse);
	return err;
}

/* Plausible values come of reading on the wrong CPU; the PMU must not give them. */
static int read_elsewhere(void *arg)
{
	struct misuse *misuse = arg;
	int err, other;

	cpus_read_lock();
	other = cpumask_any_but(cpu_online_mask, misuse->event->cpu);
	if (other >= nr_cpu_ids) {
		cpus_read_unlock();
		return -ENODEV;
	}
	misuse->piece = add_here;
	err = misuse_there(misuse);
	if (!err) {
		misuse->piece = absent_read;
		smp_call_function_single(other, misuse_here, misuse, 1);
		misuse->piece = del_here;
		err = misuse_there(misuse);
	}
	cpus_read_unlock();
	return err;
}

static struct perf_event *misuse_event(u32 type)
{
	struct perf_event_attr attr = {
		.type		= type,
		.size		= sizeof(attr),
		.config		= 1,
		.disabled	= 1,
	};

	return perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL, NULL, NULL);
}

/**
 * tpmu_misuse - do something that the PMU must complain about
 * @name: a fault's name, or "elsewhere-read"; of an uncore PMU with "uncore " before it
 *
 * Return: 0 if the complaint came, -EPROTO if it did not, -ENOENT for an unknown
 * name, -ENODEV where there is only one CPU, -EAGAIN if the caller was moved to
 * another, or what perf core or the PMU says.
 */
int tpmu_misuse(const char *name)
{
	int (*provoke)(void *arg) = misuse_there;
	struct misuse misuse = {};
	bool came, uncore;
	int fault, ret;

	uncore = str_has_prefix(name, UNCORE);
	if (uncore)
		name += strlen(UNCORE);
	for (fault = 0; fault < TPMU_FAULTS; fault++)
		if (!strcmp(name, tpmu_fault_name(fault)))
			break;
	if (fault == TPMU_IRQS_ON) {
		provoke = read_with_irqs_on;
	} else if (!strcmp(name, "elsewhere-read")) {
		fault = TPMU_ABSENT_READ;
		provoke = read_elsewhere;
	} else if (uncore && fault == TPMU_WRONG_CPU) {
		provoke = read_elsewhere;
	} else {
		if (fault < TPMU_FAULTS && (!uncore || BIT(fault) & UNCORE_FAULTS))
			misuse.piece = pieces[fault];
		if (!misuse.piece)
			return -ENOENT;
	}

	misuse.event = misuse_event(uncore ? tpmu_uncore_type() : tpmus[0].pmu.type);
	if (IS_ERR(misuse.event))
		return PTR_ERR(misuse.event);
	came = tpmu_expect(fault, provoke, &misuse, &ret);
	perf_event_release_kernel(misuse.event);
	if (ret)
		return ret;
	return came ? 0 : -EPROTO;
}
