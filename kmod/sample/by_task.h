/* SPDX-License-Identifier: GPL-2.0-only */
/* Records at context switches: what is counted between two records of a ring is one task's. */
#ifndef PMCGRP_BY_TASK_H
#define PMCGRP_BY_TASK_H

struct pmcgrp_ring_buffer;
struct pmcgrp_ring_buffers;

int pmcgrp_by_task_begin(struct pmcgrp_ring_buffers *rings);
void pmcgrp_by_task_end(void);
void pmcgrp_by_task_flush(struct pmcgrp_ring_buffer *ring);

#endif /* PMCGRP_BY_TASK_H */
