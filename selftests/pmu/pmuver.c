// SPDX-License-Identifier: GPL-2.0-only
/* Which versions of Arm's PMUv3 give user space access to each counter apart. */
#include "pmcgrp_test.h"
#include "../../kmod/platform/pmuver.h"
#include "kselftest_harness.h"

/* ID_AA64DFR0_EL1 of a Cortex-A57, and with another PMUVer. */
#define DFR0	0x0000000010305106ULL

TEST(field)
{
	EXPECT_EQ(1, pmcgrp_pmuver(DFR0));
	EXPECT_EQ(9, pmcgrp_pmuver(DFR0 | 9ULL << 8));
	EXPECT_EQ(0, pmcgrp_pmuver(~0xf00ULL));
}

/* 1: PMUv3, 4 to 9: PMUv3p1, p4, p5, p7, p8, p9; 15: a PMU of another kind. */
TEST(versions)
{
	unsigned int version;

	for (version = 0; version < 16; version++) {
		TH_LOG("version %u", version);
		EXPECT_EQ(version && version < 15, pmcgrp_pmuver_is_pmuv3(version));
		EXPECT_EQ(version >= 9 && version < 15, pmcgrp_pmuver_gates_counters(version));
	}
}

TEST_HARNESS_MAIN
