/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SAMPLE_SIDE_H
#define PMCGRP_SAMPLE_SIDE_H

#include <linux/types.h>

struct perf_event;
struct perf_sample_data;
struct pmcgrp_evset;
struct pmcgrp_group;
struct pmcgrp_raw;
struct pmcgrp_ring_buffer;
struct pmcgrp_ring_buffers;
struct pmcgrp_sample;
struct pmcgrp_sample_source;
struct pt_regs;

size_t pmcgrp_sample_size(const struct pmcgrp_group *group,
			  const struct pmcgrp_ring_buffers *rings);
bool pmcgrp_sample_any(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
		       struct pmcgrp_sample_source *source, struct perf_event *event,
		       const struct perf_sample_data *data, struct pt_regs *regs);
bool pmcgrp_sample_write(struct pmcgrp_ring_buffer *ring, const struct pmcgrp_sample *sample);
bool pmcgrp_sample_span(struct pmcgrp_evset *set, struct pmcgrp_ring_buffer *ring,
			struct pmcgrp_sample_source *source, const struct pmcgrp_raw *raw, u64 now);
void pmcgrp_sample_write_losses(struct pmcgrp_group *group, struct pmcgrp_ring_buffer *ring);

#endif /* PMCGRP_SAMPLE_SIDE_H */
