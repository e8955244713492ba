/* SPDX-License-Identifier: GPL-2.0-only */
/* Ioctls on a group's rings. */
#ifndef PMCGRP_RING_IOCTL_H
#define PMCGRP_RING_IOCTL_H

struct pmcgrp_group;

long pmcgrp_ring_setup(struct pmcgrp_group *group, void __user *uarg);
long pmcgrp_ring_sample(struct pmcgrp_group *group, unsigned long addr);
long pmcgrp_ring_pause(struct pmcgrp_group *group, bool pause);

#endif /* PMCGRP_RING_IOCTL_H */
