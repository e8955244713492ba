/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Peeking: what a counter on the PMU shows, read from its register by one instruction
 * instead of by pmu->read(), which takes some two hundred. Nothing changes thereby: the
 * counter's sum so far stays where the PMU's driver keeps it, and is added here.
 *
 * For the PMUs of which it is known how their driver does that, and that is Arm's PMUv3
 * (drivers/perf/arm_pmu.c: armpmu_event_update(); arm_pmuv3.c: armv8pmu_read_counter()):
 *
 *	count + (register - prev_count), of as many bits as the counter has
 *
 * A driver that counted another way would break it, which selftests/peek.c sees; module
 * parameter `peek` switches it off. Two counters that are chained to one of 64 bits are
 * left to pmu->read(), and so is whatever another PMU has.
 */
#ifndef PMCGRP_PEEK_H
#define PMCGRP_PEEK_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "compat.h"

void pmcgrp_peek_init(bool enable);
bool pmcgrp_can_peek(const struct perf_event *event);

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <asm/sysreg.h>

#define PEEK_COUNTER(n) \
	case n: \
		return read_sysreg(pmevcntr##n##_el0)

static __always_inline u64 peek_register(int counter)
{
	switch (counter) {
		PEEK_COUNTER(0);
		PEEK_COUNTER(1);
		PEEK_COUNTER(2);
		PEEK_COUNTER(3);
		PEEK_COUNTER(4);
		PEEK_COUNTER(5);
		PEEK_COUNTER(6);
		PEEK_COUNTER(7);
		PEEK_COUNTER(8);
		PEEK_COUNTER(9);
		PEEK_COUNTER(10);
		PEEK_COUNTER(11);
		PEEK_COUNTER(12);
		PEEK_COUNTER(13);
		PEEK_COUNTER(14);
		PEEK_COUNTER(15);
		PEEK_COUNTER(16);
		PEEK_COUNTER(17);
		PEEK_COUNTER(18);
		PEEK_COUNTER(19);
		PEEK_COUNTER(20);
		PEEK_COUNTER(21);
		PEEK_COUNTER(22);
		PEEK_COUNTER(23);
		PEEK_COUNTER(24);
		PEEK_COUNTER(25);
		PEEK_COUNTER(26);
		PEEK_COUNTER(27);
		PEEK_COUNTER(28);
		PEEK_COUNTER(29);
		PEEK_COUNTER(30);
	default:
		return read_sysreg(pmccntr_el0);
	}
}

#undef PEEK_COUNTER

/**
 * pmcgrp_peek - the value of an event
 * @event: on the PMU of this CPU and started; pmcgrp_can_peek()
 * @value: out
 *
 * An overflow's interrupt moves the sum; where it is an NMI it can come in between.
 *
 * Context: this CPU, interrupts off; NMI included.
 * Return: false if the event has got a counter that cannot be peeked at: the one for
 * instructions alone (index 32, FEAT_PMUv3_ICNTR).
 */
static __always_inline bool pmcgrp_peek(struct perf_event *event, u64 *value)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 before, now, count;

	if (unlikely(hwc->idx > 31))
		return false;
	do {
		before = local64_read(&hwc->prev_count);
		now = peek_register(pmcgrp_armv8_counter(hwc->idx));
		count = local64_read(&event->count);
	} while (unlikely(before != local64_read(&hwc->prev_count)));
	*value = count + ((now - before) & GENMASK_ULL(31, 0));
	return true;
}

#else

static inline bool pmcgrp_peek(struct perf_event *event, u64 *value)
{
	return false;
}

#endif

#endif /* PMCGRP_PEEK_H */
