// SPDX-License-Identifier: GPL-2.0-only
/* Which events can be peeked at (peek.h). */
#include <linux/string.h>
#include "peek.h"

static bool enabled;	/* constant after init */

/**
 * pmcgrp_peek_init - once, before there is any slot
 * @enable: whether peeking is wanted
 */
void pmcgrp_peek_init(bool enable)
{
	enabled = enable;
}

#if defined(CONFIG_ARM64) && defined(CONFIG_ARM_PMU)

#include <asm/cpufeature.h>
#include <linux/perf/arm_pmu.h>

/**
 * pmcgrp_can_peek - whether pmcgrp_peek_value() gives what pmu->read() would
 * @event: the event
 *
 * arm_pmuv3.c names its PMUs armv8_* (armv8_pmu_init_nomap(), armv8_pmu_driver's table);
 * another driver of such a name would break it. A counter's width is in hw.flags from
 * event_init() on.
 *
 * Not where the PMU has no interrupt, for nothing starts a counter anew then but a read; nor
 * where it is an NMI (pseudo-NMIs): between the register and the sum it may set both anew, and
 * leave the start as it was.
 */
bool pmcgrp_can_peek(const struct perf_event *event)
{
	const char *name = event->pmu->name;	/* those of core's have none, in 6.1 */

	return enabled && name && !strncmp(name, "armv8_", 6) &&
	       !(event->hw.flags & ARMPMU_EVT_64BIT) &&
	       !(event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT) &&
	       !system_uses_irq_prio_masking();
}

#else

bool pmcgrp_can_peek(const struct perf_event *event)
{
	return false;
}

#endif
