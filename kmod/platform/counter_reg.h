/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read the value of a counter that is on the PMU from its register, by one instruction.
 *
 * pmu->read() takes some two hundred instructions instead.  A register read changes nothing: the
 * driver's sum stays where it is, and is added here.
 *
 * It is done for PMUs whose driver is known to compute the value like this:
 *
 *    count + (register - prev_count), modulo the width of the counter
 *
 * These are Arm's PMUv3 (drivers/perf/arm_pmu.c: armpmu_event_update(); arm_pmuv3.c:
 * armv8pmu_read_counter()), and the core PMUs of Intel and AMD (arch/x86/events/core.c:
 * x86_perf_event_update()).
 *
 * The width is PMCGRP_REG_BITS.  Of a wider counter of Arm's only these bits are used.  On x86
 * no register is read if the processor has another width (counter_reg.c).
 *
 * Other events are left to pmu->read(): those of other PMUs, those that chain two of Arm's
 * counters to 64 bits, and Arm's if the PMU's interrupt is an NMI.
 *
 * A driver that changes this computation breaks register reads; selftests/pmu/register_read.c
 * compares both. Module parameter `register_read` switches register reads off.
 */
#ifndef PMCGRP_COUNTER_REG_H
#define PMCGRP_COUNTER_REG_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "compat.h"

#ifdef CONFIG_X86
#define PMCGRP_REG_BITS 48
#else
#define PMCGRP_REG_BITS 32
#endif

/**
 * struct pmcgrp_reg_read - the parts of an event's value
 * @start: value of the register when the driver updated @count last
 * @now: value of the register; bits above PMCGRP_REG_BITS are undefined
 * @count: events counted up to @start
 */
struct pmcgrp_reg_read {
	u64 start;
	u64 now;
	u64 count;
};

void pmcgrp_counter_reg_init(bool enable);
bool pmcgrp_pmu_is_armv8(const struct pmu *pmu);
bool pmcgrp_reg_has_value(const struct perf_event *event);

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#define REG_LOW "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
#define REG_HIGH "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30"

/*
 * Read PMEVCNTR<reg>_EL0, or PMCCNTR_EL0 for 31.  The number of a register is part of the
 * instruction, so there is one instruction for each.  With BTI each is preceded by a landing
 * pad.
 */
static __always_inline u64 read_register(u32 reg)
{
	u64 value;

	asm volatile("adr %[value], 1f\n"
		     "add %[value], %[value], %w[reg], uxtw #(3 + %c[landing])\n"
		     "br %[value]\n"
		     "1:\n"
		     ".irp k, " REG_LOW ", " REG_HIGH "\n"
		     ".if %c[landing]\n"
		     "hint #36\n" /* bti j */
		     "nop\n"
		     ".endif\n"
		     "mrs %[value], pmevcntr\\k\\()_el0\n"
		     "b 2f\n"
		     ".endr\n"
		     ".if %c[landing]\n"
		     "hint #36\n"
		     ".endif\n"
		     "mrs %[value], pmccntr_el0\n"
		     "2:"
		     : [value] "=&r"(value)
		     : [reg] "r"(reg), [landing] "i"(IS_ENABLED(CONFIG_ARM64_BTI_KERNEL)));
	return value;
}

/**
 * pmcgrp_event_reg - get the register of an event, valid until pmu->del()
 * @event: event that pmu->add() has put on the PMU; pmcgrp_reg_has_value()
 *
 * Return: the register's number, or -1 if its counter is the dedicated instruction counter
 * (index 32, FEAT_PMUv3_ICNTR).
 */
static inline int pmcgrp_event_reg(const struct perf_event *event)
{
	return event->hw.idx > 31 ? -1 : pmcgrp_armv8_counter(event->hw.idx);
}

/**
 * pmcgrp_counter_reg_read - read the parts of an event's value
 * @event: event that is on the PMU of this CPU, and started
 * @reg: its pmcgrp_event_reg(), not -1
 * @parts: out
 *
 * The driver updates count and prev_count in the overflow interrupt, which is off here, and in
 * pmu->read().  A sample by a probe may interrupt this function and call the latter
 * (pmcgrp_counters_sync()): then all parts are read again.
 *
 * Context: this CPU, interrupts off; NMI included.
 */
static __always_inline void pmcgrp_counter_reg_read(const struct perf_event *event, int reg,
						    struct pmcgrp_reg_read *parts)
{
	const struct hw_perf_event *hwc = &event->hw;

	do {
		parts->start = local64_read(&hwc->prev_count);
		parts->now = read_register(reg);
		parts->count = local64_read(&event->count);
	} while (unlikely(parts->start != local64_read(&hwc->prev_count)));
}

#elif defined(CONFIG_X86)

/*
 * Return 0 for every event: its register is looked up at each read (hw.event_base_rdpmc).  The
 * driver assigns a counter only after add(), and moves events to other counters later
 * (x86_pmu_enable()).
 */
static inline int pmcgrp_event_reg(const struct perf_event *event)
{
	return 0;
}

/*
 * Read a counter by its rdpmc index; fixed counters have 1 << 30 and up.  The upper bits of the
 * result are 0.  rdpmc is not ordered against the instructions around it, neither here nor in
 * the driver.  An NMI comes between two instructions, and what was executed ahead is repeated
 * after it.
 */
static __always_inline u64 read_register(u32 reg)
{
	u32 low, high;

	asm volatile("rdpmc"
		     : "=a"(low), "=d"(high)
		     : "c"(reg));
	return (u64)high << 32 | low;
}

/*
 * The overflow interrupt is an NMI: with interrupts off it may come between any two of these
 * reads, and ends before the next.  The driver's handler does the following to an event
 * (x86_perf_event_update(), x86_perf_event_set_period()):
 *
 *  - It adds register - prev_count to count, and sets prev_count to the register.  A difference
 *    that is not 0 changes count.  Several of them do not add up to 0, since each is less than
 *    2^48.
 *  - It may then reload register and prev_count.  The new value depends on that difference only.
 *    With a difference of 0 every handler reloads the same value.
 *
 * So if prev_count and count are the same before and after the read of the register, all three
 * belong together.  Both have to be compared: after exactly one period prev_count has its old
 * value again.
 *
 * An NMI may itself interrupt x86_perf_event_update() between prev_count and count.  This module
 * calls it in recursion sections only (recursion.h).  When perf core stops or moves a counter,
 * it holds the PMU: pmcgrp_counters_may_move().
 */
static __always_inline void pmcgrp_counter_reg_read(const struct perf_event *event, int reg,
						    struct pmcgrp_reg_read *parts)
{
	const struct hw_perf_event *hwc = &event->hw;

	do {
		parts->start = local64_read(&hwc->prev_count);
		parts->count = local64_read(&event->count);
		parts->now = read_register(hwc->event_base_rdpmc);
	} while (unlikely(parts->start != local64_read(&hwc->prev_count) ||
			  parts->count != local64_read(&event->count)));
}

#else

static inline int pmcgrp_event_reg(const struct perf_event *event)
{
	return -1;
}

static inline void pmcgrp_counter_reg_read(const struct perf_event *event, int reg,
					   struct pmcgrp_reg_read *parts)
{
	*parts = (struct pmcgrp_reg_read){}; /* never called: no event has a readable register */
}

#endif

#define PMCGRP_REG_MASK GENMASK_ULL(PMCGRP_REG_BITS - 1, 0)

/* Set in a difference of a sixteenth of the counter's range, or more. */
#define PMCGRP_REG_FAR GENMASK_ULL(PMCGRP_REG_BITS - 1, PMCGRP_REG_BITS - 4)

/* Compute the event's value. */
static __always_inline u64 pmcgrp_reg_value(const struct pmcgrp_reg_read *parts)
{
	return parts->count + ((parts->now - parts->start) & PMCGRP_REG_MASK);
}

/*
 * Check whether a register is so far from its start that the driver should update the event.
 *
 * Counts are lost if a register advances by more than its range.  The overflow interrupt
 * prevents that, but it may get lost: a hypervisor may stop a guest for longer than from one
 * overflow to the next.  perf core loses less then, as each of its reads updates the event.
 *
 * Not between an overflow and its interrupt, which reloads the register itself.  Until then the
 * register is in the lower half of its range, where no driver starts it
 * (armpmu_event_set_period(), x86_perf_event_set_period()).
 */
static inline bool pmcgrp_reg_is_far(const struct pmcgrp_reg_read *parts)
{
	return (parts->now - parts->start) & PMCGRP_REG_FAR &&
	       parts->now & BIT_ULL(PMCGRP_REG_BITS - 1);
}

/* Return how many events are left before the register overflows; 0 if it has just done so. */
static __always_inline u64 pmcgrp_reg_left(const struct pmcgrp_reg_read *parts)
{
	u64 now = parts->now & PMCGRP_REG_MASK;

	return now < (parts->start & PMCGRP_REG_MASK) ? 0 : PMCGRP_REG_MASK - now;
}

#endif /* PMCGRP_COUNTER_REG_H */
