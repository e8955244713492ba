/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SAMPLE_H
#define PMCGRP_SAMPLE_H

#include <linux/kconfig.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include "sample/period.h"

struct pmcgrp_evset;
struct pmcgrp_group;
struct pmcgrp_raw;
struct pmcgrp_ring_buffer;
struct pmcgrp_ring_buffers;
struct pmcgrp_sample;
struct pt_regs;

#define PMCGRP_SAMPLE_TYPES                                                             \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
	 (IS_ENABLED(CONFIG_CGROUPS) ? PERF_SAMPLE_CGROUP : 0))

/* PERF_SAMPLE_* that can be in the sample_id of records other than samples. */
#define PMCGRP_SAMPLE_ID_TYPES                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)

/**
 * struct pmcgrp_sample_source - cause of samples: a trigger, or a request (PMCGRP_IOC_SAMPLE)
 * @group: group that is sampled
 * @id: id of the trigger; id of member 0 for a request
 * @index: index of the trigger; 0 for a request
 * @addr: value for PERF_SAMPLE_ADDR; requests only
 * @period_check: period check of the trigger; this CPU, interrupts off
 * @of_any_task: the event is also that of tasks that the group does not count.  Constant.
 * @event: of several tasks' events, the one that was checked last; as @period_check
 * @ring: the ring at that time; as @period_check
 * @stay: its @stays; as @period_check
 */
struct pmcgrp_sample_source {
	struct pmcgrp_group *group;
	u64 id;
	u16 index;
	u64 addr;
	struct pmcgrp_period_check period_check;
	bool of_any_task;
	const struct perf_event *event;
	const struct pmcgrp_ring_buffer *ring;
	u32 stay;
};

int pmcgrp_sample_init(void);
void pmcgrp_sample_exit(void);
bool pmcgrp_sample_is_trigger(const struct perf_event *event);
void pmcgrp_sample_overflow(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs);
void pmcgrp_sample_overflow_of_tasks(struct perf_event *event, struct perf_sample_data *data,
				     struct pt_regs *regs);
bool pmcgrp_sample_on_request(struct pmcgrp_sample_source *source);
size_t pmcgrp_sample_size(const struct pmcgrp_group *group,
			  const struct pmcgrp_ring_buffers *rings);
bool pmcgrp_sample_any(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
		       struct pmcgrp_sample_source *source, struct perf_event *event,
		       const struct perf_sample_data *data, struct pt_regs *regs);
bool pmcgrp_sample_write(struct pmcgrp_ring_buffer *ring, const struct pmcgrp_sample *sample);
bool pmcgrp_sample_span(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
			struct pmcgrp_sample_source *source, const struct pmcgrp_raw *raw, u64 now);
void pmcgrp_sample_write_losses(struct pmcgrp_group *group, struct pmcgrp_ring_buffer *ring);

#endif /* PMCGRP_SAMPLE_H */
