/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Versions of Arm's PMUv3: field PMUVer of ID_AA64DFR0_EL1.
 *
 * Included by a test in user space, too (selftests/pmu/pmuver.c).
 */
#ifndef PMCGRP_PMUVER_H
#define PMCGRP_PMUVER_H

#define PMCGRP_PMUVER_V3P9 9  /* FEAT_PMUv3p9 */
#define PMCGRP_PMUVER_OTHER 15 /* IMPLEMENTATION DEFINED: a PMU, but not PMUv3 */

/* Get the version from ID_AA64DFR0_EL1. */
static inline unsigned int pmcgrp_pmuver(unsigned long long dfr0)
{
	return dfr0 >> 8 & 0xf;
}

/* Check whether a version is PMUv3: 0 stands for no PMU. */
static inline bool pmcgrp_pmuver_is_pmuv3(unsigned int version)
{
	return version && version != PMCGRP_PMUVER_OTHER;
}

/*
 * Check whether access of user mode can be given to each counter apart (PMUACR_EL1).  Without it a
 * counter reads as zero.
 */
static inline bool pmcgrp_pmuver_gates_counters(unsigned int version)
{
	return pmcgrp_pmuver_is_pmuv3(version) && version >= PMCGRP_PMUVER_V3P9;
}

#endif /* PMCGRP_PMUVER_H */
