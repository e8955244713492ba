/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_NEWCOMER_H
#define PMCGRP_NEWCOMER_H

#include <linux/types.h>

struct perf_event;

#ifdef CONFIG_KPROBES
void pmcgrp_newcomer_arm(bool arm);
void pmcgrp_newcomer_init(bool (*trigger)(const struct perf_event *event));
void pmcgrp_newcomer_exit(void);
#else
static inline void pmcgrp_newcomer_arm(bool arm)
{
}

static inline void pmcgrp_newcomer_init(bool (*trigger)(const struct perf_event *event))
{
}

static inline void pmcgrp_newcomer_exit(void)
{
}
#endif

#endif /* PMCGRP_NEWCOMER_H */
