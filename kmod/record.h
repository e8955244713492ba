/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RECORD_H
#define PMCGRP_RECORD_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct pmcgrp_group;
struct pmcgrp_pace;
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
 * struct pmcgrp_cause - why a snapshot is taken
 * @id: of the trigger, or of member 0
 * @index: of the trigger, or 0
 * @throttled: perf core lets it not fire again before the next tick
 * @due: when it was due, where @pace has a period
 * @addr: for PERF_SAMPLE_ADDR
 * @period: for PERF_SAMPLE_PERIOD
 * @regs: where the CPU was, or NULL
 * @pace: the trigger's, or NULL
 */
struct pmcgrp_cause {
	u64			id;
	u16			index;
	bool			throttled;
	u64			due;
	u64			addr;
	u64			period;
	const struct pt_regs	*regs;
	struct pmcgrp_pace	*pace;
};

size_t pmcgrp_record_size(const struct pmcgrp_group *group, const struct pmcgrp_rings *rings);
int pmcgrp_record_init(void);
void pmcgrp_record_exit(void);
bool pmcgrp_record(struct pmcgrp_group *group, const struct pmcgrp_cause *cause);
void pmcgrp_record_gaps(struct pmcgrp_group *group);

#endif /* PMCGRP_RECORD_H */
