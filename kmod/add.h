/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_ADD_H
#define PMCGRP_ADD_H

struct pmcgrp_group;
struct pmcgrp_handle;

long pmcgrp_add(struct pmcgrp_group *group, void __user *uarg);
long pmcgrp_handle_steer(struct pmcgrp_handle *handle, unsigned int cmd, unsigned long arg);

#endif /* PMCGRP_ADD_H */
