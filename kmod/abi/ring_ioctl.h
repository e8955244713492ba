/* SPDX-License-Identifier: GPL-2.0-only */
/* Ioctls on a group's rings. */
#ifndef PMCGRP_RING_IOCTL_H
#define PMCGRP_RING_IOCTL_H

#include <linux/bits.h>
#include <linux/time.h>

struct pmcgrp_group;

/* A bit for each clock that records can have (pmcgrp_record_time()). */
#define PMCGRP_RING_CLOCKS (BIT(CLOCK_MONOTONIC) | BIT(CLOCK_MONOTONIC_RAW))

long pmcgrp_ring_setup(struct pmcgrp_group *group, void __user *uarg);
long pmcgrp_ring_sample(struct pmcgrp_group *group, unsigned long addr);
long pmcgrp_ring_pause(struct pmcgrp_group *group, bool pause);

#endif /* PMCGRP_RING_IOCTL_H */
