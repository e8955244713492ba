/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RECORD_H
#define PMCGRP_RECORD_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct pmcgrp_group;
struct pmcgrp_rings;

#define PMCGRP_SAMPLE_TYPES \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ)

/* What the sample_id of other records can have. */
#define PMCGRP_SAMPLE_ID_TYPES \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)

/**
 * struct pmcgrp_pace - whether a trigger comes when it should; its CPU, interrupts off
 * @period: nanoseconds between two hits of a clock; 0 for anything else
 * @seen: the target's time enabled at the last hit, or 0
 * @late: how far that was behind the time when it was due
 * @stays: the target's, at the last hit
 * @throttled: perf core had stopped it after the last hit
 * @told: there is a PERF_RECORD_THROTTLE, and none of the opposite since
 */
struct pmcgrp_pace {
	u64	period;
	u64	seen;
	u64	late;
	u32	stays;
	bool	throttled;
	bool	told;
};

/**
 * struct pmcgrp_cause - why a snapshot is taken
 * @id: of the trigger, or of member 0
 * @index: of the trigger, or 0
 * @addr: for PERF_SAMPLE_ADDR
 * @period: for PERF_SAMPLE_PERIOD
 * @regs: where the CPU was, or NULL
 * @pace: the trigger's, or NULL
 * @throttled: perf core lets it not fire again before the next tick
 */
struct pmcgrp_cause {
	u64			id;
	u16			index;
	u64			addr;
	u64			period;
	const struct pt_regs	*regs;
	struct pmcgrp_pace	*pace;
	bool			throttled;
};

size_t pmcgrp_record_size(const struct pmcgrp_group *group, const struct pmcgrp_rings *rings);
int pmcgrp_record_init(void);
void pmcgrp_record_exit(void);
bool pmcgrp_record(struct pmcgrp_group *group, const struct pmcgrp_cause *cause);
void pmcgrp_record_gaps(struct pmcgrp_group *group);

#endif /* PMCGRP_RECORD_H */
