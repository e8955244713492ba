/* SPDX-License-Identifier: GPL-2.0-only */
/* PMCGRP_IOC_QUERY. */
#ifndef PMCGRP_QUERY_H
#define PMCGRP_QUERY_H

#include <linux/compiler_types.h>

long pmcgrp_query_ioctl(void __user *uarg);

#endif /* PMCGRP_QUERY_H */
