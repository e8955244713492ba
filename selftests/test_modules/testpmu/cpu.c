// SPDX-License-Identifier: GPL-2.0-only
/*
 * One CPU's part of the PMU, in the manner of arch/x86/events/core.c:
 *
 *  - add() in a transaction only collects; commit_txn() looks for a counter for
 *    every event that is on, those that were on before included, which may have to
 *    move.  add() outside of one answers at once.
 *  - Nothing is programmed before the outermost enable: until then hw.idx is what it
 *    was in an earlier life, hw.state says STOPPED and UPTODATE, and what was on
 *    before still is where it was.
 *  - del() in a transaction only undoes an add(); cancel_txn() forgets the rest.
 *
 * x86 trusts its callers; this one looks, and complains (complain.c).
 *
 * Context: every callback runs on the CPU in question with interrupts off, mostly
 * under perf core's ctx->lock: nothing here sleeps, allocates or takes a lock.
 * Interrupts off is all the locking that a struct tpmu_cpu has, on PREEMPT_RT too;
 * the ticks come by IPI or from a hard section of their own (debugfs.c).
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "testpmu.h"

struct tpmu tpmus[TPMU_NR] = {
	{ .name = "pmcgrp_test" },
	{ .name = "pmcgrp_test2" },
	{ .name = "pmcgrp_test_even", .kind = TPMU_EVEN },
	{ .name = "pmcgrp_test_odd", .kind = TPMU_ODD },
};

/* Where a counter starts: it will pass the end of its range soon. */
#define RAW_START	(TPMU_RAW_MASK - 2)

static struct tpmu_cpu *cpu_here(struct pmu *pmu, const struct perf_event *event)
{
	if (!irqs_disabled())
		tpmu_complain(TPMU_IRQS_ON, event);
	return raw_cpu_ptr(tpmu_of(pmu)->cpu);
}

static int cpu_find(const struct tpmu_cpu *cpu, const struct perf_event *event)
{
	unsigned int i;

	for (i = 0; i < cpu->nr; i++)
		if (cpu->event[i] == event)
			return i;
	return -1;
}

static unsigned int cpu_nr_programmed(const struct tpmu_cpu *cpu)
{
	return cpu->nr - cpu->nr_added;
}

/* A counter for each event that is on; if there is no solution, nothing changes. */
static bool cpu_solve(struct tpmu_cpu *cpu)
{
	u64 mask[TPMU_EVENTS_MAX];
	int target[TPMU_EVENTS_MAX];
	unsigned int i;

	for (i = 0; i < cpu->nr; i++) {
		mask[i] = tpmu_event_mask(cpu->event[i]);
		target[i] = cpu->target[i];
	}
	if (!tpmu_fit(mask, cpu->nr, target))
		return false;
	for (i = 0; i < cpu->nr; i++)
		cpu->target[i] = target[i];
	return true;
}

/* From the hardware to event->count, as x86_perf_event_update() does. */
static void event_update(struct tpmu_cpu *cpu, struct perf_event *event)
{
	u64 raw = cpu->counter[event->hw.idx].raw;
	u64 before = local64_read(&event->hw.prev_count);

	local64_set(&event->hw.prev_count, raw);
	local64_add((raw - before) & TPMU_RAW_MASK, &event->count);
}

static void event_start(struct tpmu_cpu *cpu, struct perf_event *event, int flags)
{
	struct tpmu_counter *counter = &cpu->counter[event->hw.idx];

	WARN_ON_ONCE(counter->event);
	if (flags & PERF_EF_RELOAD) {
		counter->raw = RAW_START;
		local64_set(&event->hw.prev_count, RAW_START);
	}
	event->hw.state = 0;
	counter->event = event;
}

static void event_stop(struct tpmu_cpu *cpu, struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED)) {
		WARN_ON_ONCE(cpu->counter[event->hw.idx].event != event);
		cpu->counter[event->hw.idx].event = NULL;
		event->hw.state |= PERF_HES_STOPPED;
	}
	if ((flags & PERF_EF_UPDATE) && !(event->hw.state & PERF_HES_UPTODATE)) {
		event_update(cpu, event);
		event->hw.state |= PERF_HES_UPTODATE;
	}
}

/* Those first that leave a counter, so that it is free for the one that comes. */
static void cpu_program(struct tpmu_cpu *cpu)
{
	unsigned int i, nr_before = cpu_nr_programmed(cpu);
	struct perf_event *event;

	for (i = 0; i < nr_before; i++) {
		event = cpu->event[i];
		if (event->hw.idx == cpu->target[i])
			continue;
		/* A stopped one moves, too, and stays stopped. */
		if (event->hw.state & PERF_HES_STOPPED)
			event->hw.state |= PERF_HES_ARCH;
		event_stop(cpu, event, PERF_EF_UPDATE);
		cpu->moves++;
	}
	for (i = 0; i < cpu->nr; i++) {
		event = cpu->event[i];
		if (i < nr_before && event->hw.idx == cpu->target[i])
			continue;
		event->hw.idx = cpu->target[i];
		if (!(event->hw.state & PERF_HES_ARCH))
			event_start(cpu, event, PERF_EF_RELOAD);
	}
	cpu->nr_added = 0;
}

static void tpmu_disable(struct pmu *pmu)
{
	struct tpmu_cpu *cpu = cpu_here(pmu, NULL);

	if (cpu->disabled)
		tpmu_complain(TPMU_UNBALANCED, NULL);
	cpu->disabled = true;
}

static void tpmu_enable(struct pmu *pmu)
{
	struct tpmu_cpu *cpu = cpu_here(pmu, NULL);

	if (!cpu->disabled)
		tpmu_complain(TPMU_UNBALANCED, NULL);
	if (cpu->txn & PERF_PMU_TXN_ADD) {
		tpmu_complain(TPMU_TXN_LEFT, NULL);
		return;
	}
	if (cpu->nr_added)
		cpu_program(cpu);
	cpu->disabled = false;
}

atomic_t tpmu_adds = ATOMIC_INIT(0);

static int tpmu_add(struct perf_event *event, int flags)
{
	struct tpmu_cpu *cpu = cpu_here(event->pmu, event);

	atomic_inc(&tpmu_adds);
	if (!cpu->disabled)
		tpmu_complain(TPMU_UNHELD, event);
	if (event->hw.last_cpu >= 0) {
		tpmu_complain(TPMU_DOUBLE_ADD, event);
		return -EINVAL;
	}
	if (!tpmu_counts_on(event->pmu, smp_processor_id()))
		return -ENOENT;
	if (cpu->nr == tpmu_of(event->pmu)->counters_nr)
		return -EAGAIN;

	cpu->event[cpu->nr] = event;
	cpu->target[cpu->nr] = TPMU_NO_COUNTER;
	cpu->nr++;
	if (!(cpu->txn & PERF_PMU_TXN_ADD) && !cpu_solve(cpu)) {
		cpu->nr--;
		return -EAGAIN;
	}
	cpu->nr_added++;
	if (cpu->txn & PERF_PMU_TXN_ADD)
		cpu->nr_txn++;
	event->hw.last_cpu = smp_processor_id();
	event->hw.state = PERF_HES_UPTODATE | PERF_HES_STOPPED;
	if (!(flags & PERF_EF_START))
		event->hw.state |= PERF_HES_ARCH;
	return 0;
}

static void cpu_forget(struct tpmu_cpu *cpu, unsigned int i)
{
	for (cpu->nr--; i < cpu->nr; i++) {
		cpu->event[i] = cpu->event[i + 1];
		cpu->target[i] = cpu->target[i + 1];
	}
}

static void tpmu_del(struct perf_event *event, int flags)
{
	struct tpmu_cpu *cpu = cpu_here(event->pmu, event);
	int i = cpu_find(cpu, event);

	if (i < 0 || event->hw.last_cpu < 0) {
		tpmu_complain(TPMU_ABSENT_DEL, event);
		return;
	}
	if (!cpu->disabled)
		tpmu_complain(TPMU_UNHELD, event);
	if (cpu->txn & PERF_PMU_TXN_ADD) {
		if (i < cpu->nr - cpu->nr_txn)
			tpmu_complain(TPMU_TXN_DEL, event);
		event->hw.last_cpu = -1;	/* and tpmu_cancel_txn() forgets it */
		return;
	}

	/* x86 would now stop whatever counts on the counter of this one's earlier life. */
	if (i >= cpu_nr_programmed(cpu)) {
		tpmu_complain(TPMU_EARLY_DEL, event);
		cpu->nr_added--;
	}
	event_stop(cpu, event, PERF_EF_UPDATE);
	event->hw.last_cpu = -1;
	cpu_forget(cpu, i);
}

static void tpmu_start(struct perf_event *event, int flags)
{
	struct tpmu_cpu *cpu = cpu_here(event->pmu, event);
	int i = cpu_find(cpu, event);

	if (i < 0 || i >= cpu_nr_programmed(cpu))
		tpmu_complain(TPMU_ABSENT_DEL, event);
	else if (event->hw.state & PERF_HES_STOPPED)
		event_start(cpu, event, flags);
}

static void tpmu_stop(struct perf_event *event, int flags)
{
	struct tpmu_cpu *cpu = cpu_here(event->pmu, event);
	int i = cpu_find(cpu, event);

	if (i < 0 || i >= cpu_nr_programmed(cpu))
		tpmu_complain(TPMU_ABSENT_DEL, event);
	else
		event_stop(cpu, event, flags);
}

static void tpmu_read(struct perf_event *event)
{
	struct tpmu_cpu *cpu = cpu_here(event->pmu, event);
	int i = cpu_find(cpu, event);

	if (i < 0)
		tpmu_complain(TPMU_ABSENT_READ, event);
	else if (i >= cpu_nr_programmed(cpu))
		tpmu_complain(TPMU_EARLY_READ, event);
	else if (event->hw.state & PERF_HES_UPTODATE)
		tpmu_complain(TPMU_STOPPED_READ, event);
	else
		event_update(cpu, event);
}

static void tpmu_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct tpmu_cpu *cpu = cpu_here(pmu, NULL);

	if (cpu->txn) {
		tpmu_complain(TPMU_TXN_NESTED, NULL);
		return;
	}
	cpu->txn = flags;
	if (flags & ~PERF_PMU_TXN_ADD)
		return;
	tpmu_hold(pmu);
	cpu->nr_txn = 0;
}

/* What del() took back must not stay, nor anything else of a transaction given up. */
static void cpu_check_txn(struct tpmu_cpu *cpu, bool committed)
{
	unsigned int i;
	bool is_on;

	for (i = cpu->nr - cpu->nr_txn; i < cpu->nr; i++) {
		is_on = cpu->event[i]->hw.last_cpu >= 0;
		if (committed && !is_on)
			tpmu_complain(TPMU_TXN_DEL, cpu->event[i]);
		else if (!committed && is_on)
			tpmu_complain(TPMU_TXN_LEFT, cpu->event[i]);
	}
}

static int tpmu_commit_txn(struct pmu *pmu)
{
	struct tpmu_cpu *cpu = cpu_here(pmu, NULL);

	if (!cpu->txn) {
		tpmu_complain(TPMU_TXN_NONE, NULL);
		return -EINVAL;
	}
	if (cpu->txn & ~PERF_PMU_TXN_ADD) {
		cpu->txn = 0;
		return 0;
	}
	cpu_check_txn(cpu, true);
	if (!cpu_solve(cpu))
		return -EAGAIN;
	cpu->txn = 0;
	cpu->nr_txn = 0;
	tpmu_release(pmu);
	return 0;
}

static void tpmu_cancel_txn(struct pmu *pmu)
{
	struct tpmu_cpu *cpu = cpu_here(pmu, NULL);
	unsigned int flags = cpu->txn;

	if (!flags) {
		tpmu_complain(TPMU_TXN_NONE, NULL);
		return;
	}
	cpu->txn = 0;
	if (flags & ~PERF_PMU_TXN_ADD)
		return;
	cpu_check_txn(cpu, false);
	cpu->nr -= cpu->nr_txn;
	cpu->nr_added -= cpu->nr_txn;
	cpu->nr_txn = 0;
	tpmu_release(pmu);
}

/**
 * tpmu_cpu_callbacks - give a PMU the callbacks that drive a CPU's part
 * @pmu: the PMU, not registered yet
 */
void tpmu_cpu_callbacks(struct pmu *pmu)
{
	pmu->pmu_enable = tpmu_enable;
	pmu->pmu_disable = tpmu_disable;
	pmu->add = tpmu_add;
	pmu->del = tpmu_del;
	pmu->start = tpmu_start;
	pmu->stop = tpmu_stop;
	pmu->read = tpmu_read;
	pmu->start_txn = tpmu_start_txn;
	pmu->commit_txn = tpmu_commit_txn;
	pmu->cancel_txn = tpmu_cancel_txn;
}

/**
 * tpmu_hold - perf core's perf_pmu_disable(), which is not exported
 * @pmu: the PMU
 *
 * Context: the CPU in question, interrupts off.
 */
void tpmu_hold(struct pmu *pmu)
{
	if (!(*pmcgrp_pmu_disable_count(pmu))++)
		pmu->pmu_disable(pmu);
}

/**
 * tpmu_release - perf core's perf_pmu_enable()
 * @pmu: the PMU, held
 *
 * Context: the CPU in question, interrupts off.
 */
void tpmu_release(struct pmu *pmu)
{
	if (!--(*pmcgrp_pmu_disable_count(pmu)))
		pmu->pmu_enable(pmu);
}

/**
 * tpmu_tick_here - time passes for the counters of this CPU
 * @tpmu: the PMU
 * @ticks: how much, %TPMU_TICKS_MAX at most
 *
 * A counter that has come half way round since it was last looked at is looked at
 * now, as x86's counters interrupt for.
 *
 * Context: interrupts off.
 */
void tpmu_tick_here(struct tpmu *tpmu, u64 ticks)
{
	struct tpmu_cpu *cpu = cpu_here(&tpmu->pmu, NULL);
	struct tpmu_counter *counter;
	unsigned int i;
	u64 gone;

	if (cpu->disabled) {
		tpmu_complain(TPMU_LEFT_HELD, NULL);
		return;
	}
	for (i = 0; i < TPMU_COUNTERS; i++) {
		counter = &cpu->counter[i];
		if (!counter->event)
			continue;
		counter->raw = (counter->raw + ticks * tpmu_event_rate(counter->event)) &
			       TPMU_RAW_MASK;
		gone = counter->raw - local64_read(&counter->event->hw.prev_count);
		if (gone & BIT_ULL(TPMU_WIDTH - 1))
			event_update(cpu, counter->event);
	}
}
