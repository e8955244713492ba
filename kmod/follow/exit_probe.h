/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_EXIT_PROBE_H
#define PMCGRP_EXIT_PROBE_H

#include <linux/errno.h>

#ifdef CONFIG_KPROBES
int pmcgrp_exit_probe_get(void);
void pmcgrp_exit_probe_put(void);
void pmcgrp_exit_probe_exit(void);
#else
static inline int pmcgrp_exit_probe_get(void)
{
	return -EOPNOTSUPP;
}

static inline void pmcgrp_exit_probe_put(void)
{
}

static inline void pmcgrp_exit_probe_exit(void)
{
}
#endif

#endif /* PMCGRP_EXIT_PROBE_H */
