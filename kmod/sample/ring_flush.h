/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_RING_FLUSH_H
#define PMCGRP_RING_FLUSH_H

struct pmcgrp_group;

void pmcgrp_ring_flush_group(struct pmcgrp_group *group);

#endif /* PMCGRP_RING_FLUSH_H */
