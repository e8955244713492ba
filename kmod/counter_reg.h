/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Peeking: what a counter on the PMU shows, read from its register by one instruction
 * instead of by pmu->read(), which takes some two hundred. Nothing changes thereby: the
 * counter's sum so far stays where the PMU's driver keeps it, and is added here.
 *
 * For the PMUs of which it is known how their driver does that: Arm's PMUv3
 * (drivers/perf/arm_pmu.c: armpmu_event_update(); arm_pmuv3.c: armv8pmu_read_counter()), and
 * those of Intel's and AMD's cores (arch/x86/events/core.c: x86_perf_event_update()):
 *
 *	count + (register - prev_count), of as many bits as the counter has
 *
 * which is PMCGRP_REG_BITS: a counter of Arm's that has more is used as if it had not, and
 * on x86 none is peeked at where the processor says another number (counter_reg.c).
 *
 * A driver that counted another way would break it, which selftests/counter_reg.c sees; module
 * parameter `register_read` switches it off. Two counters that are chained to one of 64 bits are
 * left to pmu->read(), and so is whatever another PMU has, or one of Arm's whose interrupt
 * is an NMI.
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
 * struct pmcgrp_reg_read - what the value of an event is made of
 * @start: what its counter started from, and
 * @now: shows now; of PMCGRP_REG_BITS, what is above these means nothing
 * @count: what the event had counted up to @start
 */
struct pmcgrp_reg_read {
	u64 start;
	u64 now;
	u64 count;
};

void pmcgrp_counter_reg_init(bool enable);
bool pmcgrp_event_has_reg(const struct perf_event *event);

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#define REG_LOW "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
#define REG_HIGH "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30"

/*
 * PMEVCNTR<counter>_EL0, or for 31 PMCCNTR_EL0.  A register's number stands in the instruction:
 * there is one for each, as far from the next as a branch needs that says where it may land.
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
 * pmcgrp_event_reg - the register of an event, until it is taken off the PMU
 * @event: that pmu->add() has put on; pmcgrp_event_has_reg()
 *
 * Return: its number, or -1 if the event has got a counter that cannot be peeked at: the one
 * for instructions alone (index 32, FEAT_PMUv3_ICNTR).
 */
static inline int pmcgrp_event_reg(const struct perf_event *event)
{
	return event->hw.idx > 31 ? -1 : pmcgrp_armv8_counter(event->hw.idx);
}

/**
 * pmcgrp_counter_reg_read - what the value of an event is made of
 * @event: on the PMU of this CPU and started
 * @reg: its pmcgrp_event_reg(), which is not -1
 * @parts: out
 *
 * An overflow's interrupt moves the sum; a record by a probe may have come in between, and
 * have the driver take over (counter.c).
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
 * Its driver moves an event to another counter when others come (x86_pmu_enable()), and has not
 * given it any when add() returns: so the event is asked each time.
 */
static inline int pmcgrp_event_reg(const struct perf_event *event)
{
	return 0;
}

/*
 * By number, those of a fixed kind from 1 << 30 on; the upper bits are 0. rdpmc is not ordered
 * against what stands around it, the driver's neither. But an NMI comes between two
 * instructions, and whatever ran ahead is done anew after it.
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
 * The interrupt of an overflow is an NMI: with interrupts off it may come between any two of
 * these reads, and is over before the next. Its driver's handler does one of two things to an
 * event (x86_perf_event_update(), x86_perf_event_set_period()):
 *
 *  - it adds register - prev_count to count, and has prev_count say what the register shows. If
 *    that difference is not 0, count is another one afterwards: no two of these make up for each
 *    other, for each adds less than 2^48.
 *  - then it may set both register and prev_count to what follows from the difference alone: if
 *    that was 0, each such handler sets them to the same.
 *
 * So if both are after the register's read what they were before, it fits them. One of them does
 * not suffice: prev_count is again what it was if just a whole period has passed.
 *
 * In an NMI, the one that was interrupted may be x86_perf_event_update() itself, between prev_count
 * and count.  It runs in this module's recursion sections (recursion.h), and where the PMU is held
 * when a counter is moved or stopped: pmcgrp_counters_may_move().
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
	*parts = (struct pmcgrp_reg_read){}; /* never called: there is no such counter */
}

#endif

#define PMCGRP_REG_MASK GENMASK_ULL(PMCGRP_REG_BITS - 1, 0)

/* A sixteenth of what it can count, or more. */
#define PMCGRP_REG_FAR GENMASK_ULL(PMCGRP_REG_BITS - 1, PMCGRP_REG_BITS - 4)

/* The event's value. */
static __always_inline u64 pmcgrp_reg_value(const struct pmcgrp_reg_read *parts)
{
	return parts->count + ((parts->now - parts->start) & PMCGRP_REG_MASK);
}

/*
 * Whether it has come so far from where it started that its driver should take that over.
 *
 * What has been counted since the start is lost as soon as it is more than the counter has bits
 * for.  The interrupt of an overflow is there to prevent that, but a machine may lose it: a
 * virtual one that its host stops for longer than from one overflow to the next.  perf core,
 * which has the driver start anew with each read, loses no more than what was not read then.
 *
 * Not between an overflow and its interrupt, which starts anew itself: until then a register is
 * in its lower half, where no driver has it start (armpmu_event_set_period(),
 * x86_perf_event_set_period()).
 */
static inline bool pmcgrp_reg_is_far(const struct pmcgrp_reg_read *parts)
{
	return (parts->now - parts->start) & PMCGRP_REG_FAR &&
	       parts->now & BIT_ULL(PMCGRP_REG_BITS - 1);
}

/* What the counter can count before it starts anew; 0: it has just done so. */
static __always_inline u64 pmcgrp_reg_left(const struct pmcgrp_reg_read *parts)
{
	u64 now = parts->now & PMCGRP_REG_MASK;

	return now < (parts->start & PMCGRP_REG_MASK) ? 0 : PMCGRP_REG_MASK - now;
}

#endif /* PMCGRP_COUNTER_REG_H */
