// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMUs of packages, not of CPUs, as Intel's uncore and arm_cmn: two boxes, of which each package
 * has one, and counters that any CPU of the package sees.  CPU c is of package c / package_cpus.
 *
 * One online CPU of a package is designated.  event_init() moves every event there by rewriting
 * event->cpu.  As that CPU goes offline the driver moves the events to another one of the package
 * (uncore_pmu_event_init(), uncore_change_type_ctx() in arch/x86/events/intel/uncore.c).
 *
 * Since 6.12 perf core can do all that: pmcgrp_test_scope leaves event->cpu alone, has no callback
 * for hotplug, and its packages are the kernel's.
 *
 * The first box can be held, as Intel's, and the others have no pmu_disable(), as RAPL's.  None has
 * transactions: perf core's own are in their place.
 *
 * Context: callbacks run on the CPU of their event with interrupts off, or there is a complaint.  A
 * box has a lock for those that do not, and for debugfs.  Ticks come on the CPU of the events, by
 * IPI, so that what is there with interrupts off comes before or after a tick of all boxes.
 */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "testpmu.h"
#include "uncore.h"

/* Where a counter starts: its raw value is no count, and passes 0 soon. */
#define UNCORE_RAW_START (-3ULL)

static struct uncore_box *box_of(const struct perf_event *event)
{
	const struct uncore *uncore = tpmu_uncore_of(event->pmu);

	return &uncore->box[tpmu_package_of(uncore, event->cpu)];
}

/* Whether this CPU is of the event's package. */
static bool is_near(const struct perf_event *event)
{
	const struct uncore *uncore = tpmu_uncore_of(event->pmu);

	return tpmu_package_of(uncore, raw_smp_processor_id()) ==
	       tpmu_package_of(uncore, event->cpu);
}

/* Whether a callback is where it should be.  Elsewhere it races with perf core's for the box. */
static bool check_cpu(const struct perf_event *event)
{
	if (!irqs_disabled())
		tpmu_complain(TPMU_IRQS_ON, event);
	if (event->cpu == raw_smp_processor_id())
		return true;
	tpmu_complain(TPMU_WRONG_CPU, event);
	return false;
}

/*
 * The same for what is on.  After the driver has moved an event, pmcgrp takes it off where it was
 * added (kmod/group/uncore.c); until then it reads it there.
 */
static void check_cpu_or_old(const struct perf_event *event)
{
	if (!irqs_disabled() || event->hw.last_cpu != raw_smp_processor_id())
		check_cpu(event);
}

/* perf core may read an event with a scope on any CPU of it: __perf_event_read_cpu(). */
static void check_cpu_to_read(const struct perf_event *event)
{
	const struct uncore *uncore = tpmu_uncore_of(event->pmu);

	if (!uncore->has_scope || !irqs_disabled() || !is_near(event))
		check_cpu_or_old(event);
}

static void expect_held(const struct perf_event *event)
{
	const struct uncore *uncore = tpmu_uncore_of(event->pmu);

	if (uncore->can_be_held && !*raw_cpu_ptr(uncore->held))
		tpmu_complain(TPMU_UNHELD, event);
}

static void uncore_disable(struct pmu *pmu)
{
	bool *held = raw_cpu_ptr(tpmu_uncore_of(pmu)->held);

	if (!irqs_disabled())
		tpmu_complain(TPMU_IRQS_ON, NULL);
	if (*held)
		tpmu_complain(TPMU_UNBALANCED, NULL);
	*held = true;
}

static void uncore_enable(struct pmu *pmu)
{
	bool *held = raw_cpu_ptr(tpmu_uncore_of(pmu)->held);

	if (!irqs_disabled())
		tpmu_complain(TPMU_IRQS_ON, NULL);
	if (!*held)
		tpmu_complain(TPMU_UNBALANCED, NULL);
	*held = false;
}

static bool is_on(const struct uncore_box *box, const struct perf_event *event)
{
	return event->hw.last_cpu >= 0 && box->event[event->hw.idx] == event;
}

static void update(struct uncore_box *box, struct perf_event *event)
{
	u64 raw = box->raw[event->hw.idx];
	u64 before = local64_read(&event->hw.prev_count);

	local64_set(&event->hw.prev_count, raw);
	local64_add(raw - before, &event->count);
}

static void start_locked(struct uncore_box *box, struct perf_event *event)
{
	box->raw[event->hw.idx] = UNCORE_RAW_START;
	local64_set(&event->hw.prev_count, UNCORE_RAW_START);
	event->hw.state = 0;
}

static void stop_locked(struct uncore_box *box, struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		update(box, event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int add_locked(struct uncore_box *box, struct perf_event *event, int flags)
{
	unsigned int i;

	if (event->hw.last_cpu >= 0) {
		tpmu_complain(TPMU_DOUBLE_ADD, event);
		return -EINVAL;
	}
	for (i = 0; i < tpmu_uncore_counters; i++)
		if (!box->event[i])
			break;
	/* This errno is Intel's: uncore_collect_events(). */
	if (i == tpmu_uncore_counters)
		return -EINVAL;
	box->event[i] = event;
	event->hw.idx = i;
	event->hw.last_cpu = event->cpu;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		start_locked(box, event);
	return 0;
}

static int uncore_add(struct perf_event *event, int flags)
{
	struct uncore_box *box = box_of(event);
	unsigned long irq;
	int err;

	if (!check_cpu(event))
		return -EINVAL;
	expect_held(event);
	raw_spin_lock_irqsave(&box->lock, irq);
	err = add_locked(box, event, flags);
	raw_spin_unlock_irqrestore(&box->lock, irq);
	return err;
}

/* What is on comes off on a wrong CPU as well: it is about to be freed. */
static void uncore_del(struct perf_event *event, int flags)
{
	struct uncore_box *box = box_of(event);
	unsigned long irq;

	check_cpu_or_old(event);
	expect_held(event);
	raw_spin_lock_irqsave(&box->lock, irq);
	if (is_on(box, event)) {
		stop_locked(box, event);
		box->event[event->hw.idx] = NULL;
		event->hw.last_cpu = -1;
	} else {
		tpmu_complain(TPMU_ABSENT_DEL, event);
	}
	raw_spin_unlock_irqrestore(&box->lock, irq);
}

static void uncore_start(struct perf_event *event, int flags)
{
	struct uncore_box *box = box_of(event);
	unsigned long irq;

	if (!check_cpu(event))
		return;
	raw_spin_lock_irqsave(&box->lock, irq);
	if (!is_on(box, event))
		tpmu_complain(TPMU_ABSENT_DEL, event);
	else if (event->hw.state & PERF_HES_STOPPED)
		start_locked(box, event);
	raw_spin_unlock_irqrestore(&box->lock, irq);
}

static void uncore_stop(struct perf_event *event, int flags)
{
	struct uncore_box *box = box_of(event);
	unsigned long irq;

	if (!check_cpu(event))
		return;
	raw_spin_lock_irqsave(&box->lock, irq);
	if (!is_on(box, event))
		tpmu_complain(TPMU_ABSENT_DEL, event);
	else
		stop_locked(box, event);
	raw_spin_unlock_irqrestore(&box->lock, irq);
}

static void uncore_read(struct perf_event *event)
{
	struct uncore_box *box = box_of(event);
	unsigned long irq;

	check_cpu_to_read(event);
	/* Another package's register would give a plausible value. */
	if (!is_near(event))
		return;
	raw_spin_lock_irqsave(&box->lock, irq);
	if (!is_on(box, event))
		tpmu_complain(TPMU_ABSENT_READ, event);
	else if (event->hw.state & PERF_HES_STOPPED)
		tpmu_complain(TPMU_STOPPED_READ, event);
	else
		update(box, event);
	raw_spin_unlock_irqrestore(&box->lock, irq);
}

/* What is on is let go of, after the complaint: the box must not keep a pointer to it. */
static void event_destroy(struct perf_event *event)
{
	struct uncore_box *box = box_of(event);
	unsigned long irq;

	raw_spin_lock_irqsave(&box->lock, irq);
	if (event->hw.last_cpu >= 0) {
		tpmu_complain(TPMU_FREED_ON, event);
		if (is_on(box, event))
			box->event[event->hw.idx] = NULL;
	}
	raw_spin_unlock_irqrestore(&box->lock, irq);
}

/* As Intel's: a group with more events of this PMU than a box has counters is refused. */
static int check_group(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int nr = 1;

	if (leader == event)
		return 0;
	nr += leader->pmu == event->pmu;
	for_each_sibling_event(sibling, leader)
		nr += sibling->pmu == event->pmu && sibling->state > PERF_EVENT_STATE_OFF;
	return nr > tpmu_uncore_counters ? -EINVAL : 0;
}

static int uncore_event_init(struct perf_event *event)
{
	const struct uncore *uncore = tpmu_uncore_of(event->pmu);
	int cpu, err;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || has_branch_stack(event) || event->cpu < 0 ||
	    event->attach_state & PERF_ATTACH_TASK)
		return -EINVAL;
	if (!uncore->has_scope) {
		cpu = READ_ONCE(box_of(event)->cpu);
		if (cpu < 0)
			return -EINVAL;
		event->cpu = cpu;
	}
	event->hw.config = event->attr.config & U32_MAX;
	event->hw.idx = TPMU_NO_COUNTER;
	event->hw.last_cpu = -1;
	err = check_group(event);
	if (err)
		return err;
	/* Only now: perf core takes event->pmu away after an error. */
	event->destroy = event_destroy;
	return 0;
}

/**
 * tpmu_uncore_callbacks - give a PMU the callbacks that drive its boxes
 * @uncore: the PMU, not registered yet
 */
void tpmu_uncore_callbacks(struct uncore *uncore)
{
	struct pmu *pmu = &uncore->pmu;

	if (uncore->can_be_held) {
		pmu->pmu_enable = uncore_enable;
		pmu->pmu_disable = uncore_disable;
	}
	pmu->event_init = uncore_event_init;
	pmu->add = uncore_add;
	pmu->del = uncore_del;
	pmu->start = uncore_start;
	pmu->stop = uncore_stop;
	pmu->read = uncore_read;
}

/* The CPU of the events of a box, or -1: none is on. */
static int cpu_of_events(const struct uncore_box *box)
{
	unsigned int i;

	for (i = 0; i < tpmu_uncore_counters; i++)
		if (box->event[i])
			return box->event[i]->cpu;
	return -1;
}

/**
 * tpmu_uncore_tick_here - time passes for the boxes whose events are on this CPU
 * @uncore: the PMU
 * @package: which package; -1: all
 * @ticks: how much
 *
 * Context: interrupts off.
 */
void tpmu_uncore_tick_here(struct uncore *uncore, int package, u64 ticks)
{
	struct uncore_box *box;
	unsigned int p, i;

	if (*this_cpu_ptr(uncore->held)) {
		tpmu_complain(TPMU_LEFT_HELD, NULL);
		return;
	}
	for (p = 0; p < nr_cpu_ids; p++) {
		if (package >= 0 && package != p)
			continue;
		box = &uncore->box[p];
		raw_spin_lock(&box->lock);
		if (cpu_of_events(box) == smp_processor_id())
			for (i = 0; i < tpmu_uncore_counters; i++)
				if (box->event[i] && !(box->event[i]->hw.state & PERF_HES_STOPPED))
					box->raw[i] += ticks * tpmu_event_rate(box->event[i]);
		raw_spin_unlock(&box->lock);
	}
}
