/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCGRP_GUEST_H
#define PMCGRP_GUEST_H

#include <linux/types.h>

#ifdef CONFIG_KPROBES
void pmcgrp_guest_init(void);
void pmcgrp_guest_exit(void);
void pmcgrp_guest_arm(bool arm);
bool pmcgrp_guest_is_known(void);
#else
static inline void pmcgrp_guest_init(void)
{
}

static inline void pmcgrp_guest_exit(void)
{
}

static inline void pmcgrp_guest_arm(bool arm)
{
}

static inline bool pmcgrp_guest_is_known(void)
{
	return false;
}
#endif

#endif /* PMCGRP_GUEST_H */
