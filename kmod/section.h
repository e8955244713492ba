/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_SECTION_H
#define PMCGRP_SECTION_H

#include <linux/list.h>
#include <linux/types.h>
#include <uapi/linux/pmcgrp.h>

struct pmcgrp_kernel_group;
struct pmcgrp_section;

void pmcgrp_sections_free(struct pmcgrp_kernel_group *group);
bool pmcgrp_sections_exist(struct pmcgrp_kernel_group *group);
long pmcgrp_section_next(void __user *uarg);

#endif /* PMCGRP_SECTION_H */
