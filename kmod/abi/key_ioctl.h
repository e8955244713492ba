/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_KEY_IOCTL_H
#define PMCGRP_KEY_IOCTL_H

struct pmcgrp_group;
struct vm_area_struct;

long pmcgrp_keys_setup(struct pmcgrp_group *group, void __user *uarg);
long pmcgrp_keys_flush(struct pmcgrp_group *group, unsigned long flags);
int pmcgrp_keys_mmap(struct pmcgrp_group *group, struct vm_area_struct *vma);

#endif /* PMCGRP_KEY_IOCTL_H */
