// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of the emulated x86 PMU of selftests/qemu are as strict as a processor's: what is
 * absent, reserved or only to be read faults, and a write that faults changes nothing.
 *
 * The test runs in ring 0 with perf's driver off: neither perf nor pmcgrp takes part. What the
 * models have is repeated here from Intel's SDM and AMD's APM and PPRs.
 *
 * needs: msr=yes machines=x86_64-*
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#ifdef __x86_64__
#include "pmcgrp_msr.h"

#define ABSENT_MAX	64
#define COUNTERS	8		/* that any model has */

#define STATUS_LBR_FRZ	(1ULL << 58)
#define STATUS_CTR_FRZ	(1ULL << 59)
#define STATUS_ASCI	(1ULL << 60)
#define STATUS_UNCORE	(1ULL << 61)
#define STATUS_DS	(1ULL << 62)
#define STATUS_CHANGED	(1ULL << 63)
#define CTRL_METRICS	(1ULL << 48)

FIXTURE(x86_registers)
{
	struct msrs m;
};

FIXTURE_SETUP(x86_registers)
{
	const char *why = msrs_open(&self->m);

	if (why)
		SKIP(return, "%s", why);
	ASSERT_GE(COUNTERS, self->m.gp);
}

FIXTURE_TEARDOWN(x86_registers)
{
	msrs_close(&self->m);
}

/* The bits that a register takes, each alone; @shows: it is to show them, and 0 afterwards. */
static uint64_t bits_taken(struct msrs *m, uint32_t reg, bool shows)
{
	uint64_t taken = 0, bit;

	for (bit = 1; bit; bit <<= 1)
		if (!msr_put(m, reg, bit) && (!shows || msr_value(m, reg) == bit))
			taken |= bit;
	return msr_put(m, reg, 0) ? UINT64_MAX : taken;
}

/* Whether a write with one reserved bit faults, and nothing of the others is taken. */
static bool is_whole(struct msrs *m, uint32_t reg, uint64_t taken)
{
	uint64_t bit;

	for (bit = 1; bit; bit <<= 1)
		if (!(taken & bit) &&
		    (msr_put(m, reg, taken | bit) != -EIO || msr_value(m, reg)))
			return false;
	return true;
}

/* @optional: bits of which nothing is said. */
static void expect_bits(struct __test_metadata *_metadata, struct msrs *m, uint32_t reg,
			uint64_t bits, uint64_t optional)
{
	uint64_t taken = bits_taken(m, reg, true);

	EXPECT_EQ(bits & ~optional, taken & ~optional) {
		TH_LOG("register %#x", reg);
	}
	EXPECT_TRUE(is_whole(m, reg, taken)) {
		TH_LOG("register %#x", reg);
	}
}

static bool has_rtm(void)
{
	unsigned int a = 0, b = 0, c = 0, d = 0;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 11 & 1;
}

static bool has_frontend(void)
{
	return cpu_kin() == KIN_SKYLAKE || cpu_kin() == KIN_ICELAKE;
}

TEST_F(x86_registers, reserved_bits_fault_on_intel)
{
	uint64_t any = 0, fixed, reset;
	struct msrs *m = &self->m;
	unsigned int i, offcore;

	if (m->amd)
		SKIP(return, "needs Intel");
	ASSERT_EQ(0, msr_put(m, MSR_CTRL, 0));
	/* AnyThread is deprecated from version 5 on: in the fixed counters' register it is gone. */
	fixed = (1ULL << 4 * m->fixed) - 1;
	if (m->version >= 5) {
		any = 1 << 21;
		fixed &= ~0x4444ULL;
	}
	for (i = 0; i < m->gp; i++)
		expect_bits(_metadata, m, MSR_EVTSEL(i),
			    UINT32_MAX | (has_rtm() ? (i == 2 ? 3ULL : 1ULL) << 32 : 0), any);
	expect_bits(_metadata, m, MSR_FIXED_CTRL, fixed, 0);
	expect_bits(_metadata, m, MSR_CTRL, msr_all(m) | (m->metrics ? CTRL_METRICS : 0), 0);
	for (i = 0; i < m->fixed; i++)
		expect_bits(_metadata, m, MSR_FIXED(i), PMC_MASK, 0);
	for (i = 0; i < m->gp && m->full_width; i++)
		expect_bits(_metadata, m, MSR_PMC_FULL(i), PMC_MASK, 0);
	offcore = cpu_kin() == KIN_NEHALEM || cpu_kin() == KIN_WESTMERE ? 16 : 38;
	expect_bits(_metadata, m, MSR_OFFCORE_RSP(0), (1ULL << offcore) - 1, 0);
	expect_bits(_metadata, m, MSR_LD_LAT, 0xffff, 0);
	if (has_frontend())
		expect_bits(_metadata, m, MSR_FRONTEND, 0x7fffff, 0);
	expect_bits(_metadata, m, MSR_DEBUGCTL, 0x7fc3 | (has_rtm() ? 1 << 15 : 0), 0);

	reset = msr_all(m) | (m->metrics ? CTRL_METRICS : 0) | STATUS_UNCORE | STATUS_DS;
	if (m->version >= 4) {
		reset |= STATUS_LBR_FRZ | STATUS_CTR_FRZ | STATUS_ASCI;
		EXPECT_EQ(reset, bits_taken(m, MSR_STATUS_SET, false));
		EXPECT_EQ(reset, msr_value(m, MSR_STATUS));
	}
	EXPECT_EQ(reset | STATUS_CHANGED, bits_taken(m, MSR_STATUS_RESET, false));
	EXPECT_EQ(0, msr_value(m, MSR_STATUS));
}

TEST_F(x86_registers, reserved_bits_fault_on_amd)
{
	/* Bits 19 and 21 are reserved, 32 to 35 the event's, 40 and 41 guest and host. */
	uint64_t sel = 0xffd7ffff | 0xfULL << 32 | 3ULL << 40;
	struct msrs *m = &self->m;
	unsigned int i;

	if (!m->amd)
		SKIP(return, "needs AMD");
	for (i = 0; i < m->gp; i++)
		expect_bits(_metadata, m, MSR_AMD_EVTSEL(i), sel, 0);
	expect_bits(_metadata, m, MSR_DEBUGCTL, 0x3f, 0);
	if (m->version < 2)
		return;
	expect_bits(_metadata, m, MSR_AMD_CTRL, msr_all(m), 0);
}

static unsigned int put_row(uint32_t *reg, unsigned int nr, uint32_t first, unsigned int step,
			    unsigned int from, unsigned int to)
{
	for (; from < to; from++)
		reg[nr++] = first + step * from;
	return nr;
}

/* Registers that Intel's models have, and this processor does not. */
static unsigned int absent_of_intel(const struct msrs *m, uint32_t *reg)
{
	unsigned int gp = m->gp, nr = 0;

	nr = put_row(reg, nr, MSR_PMC(0), 1, gp, COUNTERS);
	nr = put_row(reg, nr, MSR_EVTSEL(0), 1, gp, COUNTERS);
	nr = put_row(reg, nr, MSR_PMC_FULL(0), 1, m->full_width ? gp : 0, COUNTERS);
	nr = put_row(reg, nr, MSR_FIXED(0), 1, m->fixed, 4);
	if (m->version < 4) {
		reg[nr++] = MSR_STATUS_SET;
		reg[nr++] = MSR_INUSE;
	}
	if (!m->metrics)
		reg[nr++] = MSR_METRICS;
	if (m->amd || cpu_kin() == KIN_NEHALEM)
		reg[nr++] = MSR_OFFCORE_RSP(1);
	if (m->amd || !has_frontend())
		reg[nr++] = MSR_FRONTEND;
	if (m->amd) {
		nr = put_row(reg, nr, MSR_PMC(0), 1, 0, gp);
		nr = put_row(reg, nr, MSR_EVTSEL(0), 1, 0, gp);
		nr = put_row(reg, nr, MSR_FIXED_CTRL, 1, 0, 4);
		reg[nr++] = MSR_CAPABILITIES;
		reg[nr++] = MSR_OFFCORE_RSP(0);
		reg[nr++] = MSR_LD_LAT;
	}
	return nr;
}

/* And AMD's. */
static unsigned int absent_of_amd(const struct msrs *m, uint32_t *reg)
{
	unsigned int nr = put_row(reg, 0, MSR_AMD_EVTSEL(0), 1, m->amd ? 2 * m->gp : 0, 16);

	if (!m->amd)
		nr = put_row(reg, nr, 0xc0010000, 1, 0, 8);	/* the first four, as K7 has them */
	if (!m->amd || m->version < 2)
		nr = put_row(reg, nr, MSR_AMD_STATUS, 1, 0, 4);
	return nr;
}

TEST_F(x86_registers, absent_ones_fault)
{
	uint32_t reg[2 * ABSENT_MAX];
	unsigned int i, nr;
	uint64_t val;

	nr = absent_of_intel(&self->m, reg);
	ASSERT_GT(ABSENT_MAX, nr);
	nr += absent_of_amd(&self->m, reg + nr);
	for (i = 0; i < nr; i++) {
		EXPECT_EQ(-EIO, msr_get(&self->m, reg[i], &val)) {
			TH_LOG("register %#x", reg[i]);
		}
		EXPECT_EQ(-EIO, msr_put(&self->m, reg[i], 0)) {
			TH_LOG("register %#x", reg[i]);
		}
	}
	TH_LOG("%u registers", nr);
}

/* Even what they have cannot be written to those that are only read. */
TEST_F(x86_registers, some_are_only_read)
{
	static const uint32_t of_intel[] = { MSR_CAPABILITIES, MSR_STATUS, MSR_INUSE };
	static const uint32_t of_amd[] = { MSR_AMD_STATUS };
	const uint32_t *reg = self->m.amd ? of_amd : of_intel;
	unsigned int i, nr = self->m.version < 4 ? 2 : 3;
	uint64_t val;

	if (!msr_has_global(&self->m))
		SKIP(return, "none on this model");
	if (self->m.amd)
		nr = COUNT(of_amd);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, msr_get(&self->m, reg[i], &val));
		EXPECT_EQ(-EIO, msr_put(&self->m, reg[i], val)) {
			TH_LOG("register %#x", reg[i]);
		}
	}
}

#else

TEST(x86_registers)
{
	SKIP(return, "needs x86");
}

#endif

TEST_HARNESS_MAIN
