// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of the emulated x86 PMU of selftests/qemu: an event counts only where its model
 * allows it; a counter keeps what it held until it is written, wraps at its width, and stops at a
 * PMI if it is to.
 *
 * The test runs in ring 0 with perf's driver off: neither perf nor pmcgrp takes part.
 *
 * needs: msr=yes machines=x86_64-*
 */
#include "pmcgrp_test.h"
#include "kselftest_harness.h"

#ifdef __x86_64__
#include "pmcgrp_msr.h"

/* Of two instructions. A whole number of each event here falls into so many. */
#define LOOPS		49980ULL
/* A window of twice as many takes a tenth of a tick. */
#define WINDOWS		5

#define INSTRUCTIONS	0xc0
#define BRANCHES(m)	((m)->amd ? 0xc2 : 0xc4)	/* one in five instructions */

#define STATUS_CTR_FRZ	(1ULL << 59)
#define FREEZE_ON_PMI	(1ULL << 12)

/* An event that not all counters count, and in how many instructions it happens once. */
static const struct own {
	enum x86_kin kin;
	uint64_t config;
	uint64_t counters;
	unsigned int den;
} own_events[] = {
	{ KIN_NEHALEM, 0x0151, 0x3, 5 },		/* L1D.REPL */
	{ KIN_WESTMERE, 0x0160, 0x1, 4 },		/* OFFCORE_REQUESTS_OUTSTANDING */
	{ KIN_SANDYBRIDGE, 0x0148, 0x4, 12 },	/* L1D_PEND_MISS.PENDING */
	{ KIN_SANDYBRIDGE, 0x02cd, 0x8, 17 },	/* MEM_TRANS_RETIRED.PRECISE_STORE */
	{ KIN_HASWELL, 0x0148, 0x4, 12 },
	{ KIN_HASWELL, 0x01c0, 0x2, 1 },		/* INST_RETIRED.PREC_DIST */
	{ KIN_SKYLAKE, 0x01c0, 0x2, 1 },
	{ KIN_ICELAKE, 0x0151, 0xf, 5 },
	{ KIN_AMD, 0x03, 0x15, 7 },		/* FLOPs: a pair of counters */
};

FIXTURE(x86_counters)
{
	struct msrs m;
};

FIXTURE_SETUP(x86_counters)
{
	const char *why = msrs_open(&self->m);
	unsigned int i;

	if (why)
		SKIP(return, "%s", why);
	for (i = 0; i < self->m.gp; i++)
		ASSERT_EQ(0, msr_put(&self->m, msr_sel(&self->m, i), 0));
	if (self->m.fixed)
		ASSERT_EQ(0, msr_put(&self->m, MSR_FIXED_CTRL, 0));
	if (msr_has_global(&self->m))
		ASSERT_EQ(0, msr_put(&self->m, msr_ctrl(&self->m), msr_all(&self->m)));
}

FIXTURE_TEARDOWN(x86_counters)
{
	msrs_close(&self->m);
}

/* What a general counter gains in @loops iterations of the loop and the calls around them. */
static uint64_t gained(struct msrs *m, unsigned int i, uint64_t config, uint64_t loops)
{
	uint64_t before = msr_value(m, msr_pmc(m, i));

	msr_put(m, msr_sel(m, i), config | SEL_USR | SEL_EN);
	loop(loops);
	msr_put(m, msr_sel(m, i), 0);
	return (msr_value(m, msr_pmc(m, i)) - before) & PMC_MASK;
}

/* The same undisturbed: an interrupt adds to a window, and so does a task that it wakes. */
static int64_t gained_alone(struct msrs *m, unsigned int i, uint64_t config, uint64_t loops)
{
	uint64_t least = UINT64_MAX, more;
	unsigned int k;

	for (k = 0; k < WINDOWS; k++) {
		more = gained(m, i, config, loops);
		if (more < least)
			least = more;
	}
	return least;
}

/* Whether it counts one in @den instructions, but for fractions of one. */
static bool has_rate(struct msrs *m, unsigned int i, uint64_t config, unsigned int den)
{
	int64_t more = gained_alone(m, i, config, 2 * LOOPS) - gained_alone(m, i, config, LOOPS);

	return llabs(more - (int64_t)(2 * LOOPS / den)) <= (den > 1);
}

/* A counter goes on from what it held, whatever event is there now; without one it stands still. */
TEST_F(x86_counters, a_counter_keeps_what_it_held)
{
	struct msrs *m = &self->m;
	uint64_t held, more;
	unsigned int i;

	for (i = 0; i < m->gp; i++) {
		ASSERT_EQ(0, msr_put(m, msr_pmc(m, i), 0));
		EXPECT_TRUE(has_rate(m, i, INSTRUCTIONS, 1));
		held = msr_value(m, msr_pmc(m, i));
		EXPECT_LT(WINDOWS * 6 * LOOPS, held);
		EXPECT_GT(WINDOWS * (6 * LOOPS + LOOPS / 10), held);
		/* Another event is there, and not enabled. */
		ASSERT_EQ(0, msr_put(m, msr_sel(m, i), BRANCHES(m) | SEL_USR | SEL_OS));
		loop(LOOPS);
		EXPECT_EQ(held, msr_value(m, msr_pmc(m, i)));
		more = gained(m, i, BRANCHES(m), LOOPS);
		EXPECT_EQ(held + more, msr_value(m, msr_pmc(m, i)));
		EXPECT_LE(2 * LOOPS / 5, more);
		EXPECT_GT(2 * LOOPS / 5 + LOOPS / 10, more);
	}
}

/* Elsewhere it counts nothing, and what is there is not lost; other events count on all. */
TEST_F(x86_counters, an_event_with_counters_of_its_own)
{
	struct msrs *m = &self->m;
	const struct own *own;
	unsigned int i, nr = 0;

	for (own = own_events; own < own_events + COUNT(own_events); own++) {
		if (own->kin != cpu_kin())
			continue;
		nr++;
		for (i = 0; i < m->gp; i++) {
			ASSERT_EQ(0, msr_put(m, msr_pmc(m, i), 12345));
			if (own->counters >> i & 1) {
				EXPECT_TRUE(has_rate(m, i, own->config, own->den));
			} else {
				EXPECT_EQ(0, gained(m, i, own->config, LOOPS));
				EXPECT_EQ(12345, msr_value(m, msr_pmc(m, i)));
			}
			EXPECT_TRUE(has_rate(m, i, BRANCHES(m), 5));
		}
	}
	EXPECT_LT(0, nr);
}

/* Intel's counters take 32 bits and the sign, all of it by another register if there is one. */
TEST_F(x86_counters, writes_of_32_bits)
{
	static const struct {
		uint64_t put, has;
	} intel[] = {
		{ 0x7fffffff, 0x7fffffff },
		{ 0x80000000, 0xffff80000000 },
		{ 0xffffffff, 0xffffffffffff },
		{ 0x123400000001, 1 },
		{ 0xfedcba9890abcdef, 0xffff90abcdef },
	};
	struct msrs *m = &self->m;
	unsigned int i, k;

	for (i = 0; i < m->gp; i++) {
		for (k = 0; k < COUNT(intel); k++) {
			ASSERT_EQ(0, msr_put(m, msr_pmc(m, i), intel[k].put));
			EXPECT_EQ(m->amd ? intel[k].put & PMC_MASK : intel[k].has,
				  msr_value(m, msr_pmc(m, i)));
		}
		if (!m->full_width)
			continue;
		ASSERT_EQ(0, msr_put(m, MSR_PMC_FULL(i), 0x923456789abc));
		EXPECT_EQ(0x923456789abc, msr_value(m, MSR_PMC(i)));
		EXPECT_EQ(0x923456789abc, msr_value(m, MSR_PMC_FULL(i)));
	}
}

/* What a fixed counter goes on by. */
static uint64_t fixed_gained(struct msrs *m, unsigned int i, uint64_t loops)
{
	uint64_t before = msr_value(m, MSR_FIXED(i));

	msr_put(m, MSR_FIXED_CTRL, 2ULL << 4 * i);
	loop(loops);
	msr_put(m, MSR_FIXED_CTRL, 0);
	return (msr_value(m, MSR_FIXED(i)) - before) & PMC_MASK;
}

/* From ten before their end on they count as from 0, and their bit of GLOBAL_STATUS says it. */
TEST_F(x86_counters, counters_wrap)
{
	struct msrs *m = &self->m;
	uint64_t from_0, status = 0;
	long before = nmis();
	unsigned int i;

	for (i = 0; i < m->gp + m->fixed; i++) {
		bool gp = i < m->gp;
		uint32_t reg = gp ? msr_pmc(m, i) : MSR_FIXED(i - m->gp);

		ASSERT_EQ(0, msr_put(m, reg, 0));
		from_0 = gp ? gained(m, i, INSTRUCTIONS, 100) : fixed_gained(m, i - m->gp, 100);
		EXPECT_LT(200, from_0);
		if (msr_has_global(m))
			EXPECT_EQ(status, msr_value(m, msr_status(m)));
		ASSERT_EQ(0, msr_put(m, reg, PMC_MASK - 9));
		EXPECT_EQ(from_0, gp ? gained(m, i, INSTRUCTIONS, 100) :
				       fixed_gained(m, i - m->gp, 100));
		EXPECT_EQ(from_0 - 10, msr_value(m, reg));
		status |= 1ULL << (gp ? i : 32 + i - m->gp);
		if (msr_has_global(m))
			EXPECT_EQ(status, msr_value(m, msr_status(m)));
	}
	EXPECT_EQ(before, nmis());
	if (!msr_has_global(m))
		return;
	EXPECT_EQ(msr_all(m), status);
	/* One bit, then the others. */
	EXPECT_EQ(0, msr_put(m, msr_status_reset(m), 1));
	EXPECT_EQ(status - 1, msr_value(m, msr_status(m)));
	EXPECT_EQ(0, msr_put(m, msr_status_reset(m), status));
	EXPECT_EQ(0, msr_value(m, msr_status(m)));
}

/* Only what GLOBAL_CTRL lets count does; the frozen bit of GLOBAL_STATUS stops all. */
TEST_F(x86_counters, all_are_stopped)
{
	struct msrs *m = &self->m;
	unsigned int i;

	if (!msr_has_global(m))
		SKIP(return, "no GLOBAL_CTRL on this model");
	for (i = 0; i < m->gp; i++) {
		ASSERT_EQ(0, msr_put(m, msr_ctrl(m), msr_all(m) & ~(1ULL << i)));
		EXPECT_EQ(0, gained(m, i, INSTRUCTIONS, LOOPS));
		ASSERT_EQ(0, msr_put(m, msr_ctrl(m), 1ULL << i));
		EXPECT_TRUE(has_rate(m, i, INSTRUCTIONS, 1));
		if (!m->amd && m->version < 4)
			continue;
		ASSERT_EQ(0, msr_put(m, msr_status_set(m), STATUS_CTR_FRZ | 1));
		EXPECT_EQ(STATUS_CTR_FRZ | 1, msr_value(m, msr_status(m)));
		EXPECT_EQ(0, gained(m, i, INSTRUCTIONS, LOOPS));
		ASSERT_EQ(0, msr_put(m, msr_status_reset(m), STATUS_CTR_FRZ | 1));
		EXPECT_EQ(0, msr_value(m, msr_status(m)));
		EXPECT_TRUE(has_rate(m, i, INSTRUCTIONS, 1));
	}
}

struct window {
	uint64_t kernel, user;	/* instructions */
	long nmis;
};

/* What two counters have in a while in which the first one wraps. */
static struct window pmi_window(struct msrs *m, bool interrupts, bool freezes)
{
	struct window w;

	msr_put(m, MSR_DEBUGCTL, freezes ? FREEZE_ON_PMI : 0);
	msr_put(m, MSR_CTRL, 0);
	msr_put(m, MSR_PMC(0), PMC_MASK - 999);
	msr_put(m, MSR_PMC(1), 0);
	msr_put(m, MSR_EVTSEL(0), INSTRUCTIONS | SEL_USR | SEL_EN | (interrupts ? SEL_INT : 0));
	msr_put(m, MSR_EVTSEL(1), INSTRUCTIONS | SEL_OS | SEL_EN);
	w.nmis = nmis();
	msr_put(m, MSR_CTRL, 3);
	loop(1000);
	msr_put(m, MSR_CTRL, 0);
	w.nmis = nmis() - w.nmis;
	w.kernel = msr_value(m, MSR_PMC(1));
	w.user = msr_value(m, MSR_PMC(0));
	return w;
}

/* The least of some, as a tick may have come into one. */
static struct window least_window(struct msrs *m, bool interrupts, bool freezes)
{
	struct window w, least = pmi_window(m, interrupts, freezes);
	unsigned int i;

	for (i = 0; i < 4; i++) {
		w = pmi_window(m, interrupts, freezes);
		if (w.kernel < least.kernel)
			least = w;
	}
	return least;
}

/*
 * perf's driver lets all counters go on as it returns. If they stop at the PMI itself, what comes
 * before it stops them is not counted; user mode has the same instructions either way.
 */
TEST_F(x86_counters, counters_freeze_at_a_pmi)
{
	/* So that its driver takes PMIs for its own (perf_event_nmi_handler()). */
	struct perf_event_attr attr = hw(PERF_COUNT_HW_INSTRUCTIONS);
	struct msrs *m = &self->m;
	struct window w[4], again;
	unsigned int i;
	int fd;

	if (m->amd)
		SKIP(return, "none on these models");
	fd = perf_open(&attr, 0, -1, -1);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	least_window(m, true, true);	/* all registers have been written once */
	for (i = 0; i < 4; i++) {
		w[i] = least_window(m, i & 1, i & 2);
		EXPECT_EQ(i & 1, w[i].nmis);
		EXPECT_EQ(w[0].user, w[i].user);
		again = least_window(m, i & 1, i & 2);
		EXPECT_EQ(w[i].kernel, again.kernel);
	}
	TH_LOG("instructions of the kernel: %llu, with a PMI %llu, with one that freezes %llu",
	       (unsigned long long)w[0].kernel, (unsigned long long)w[1].kernel,
	       (unsigned long long)w[3].kernel);
	EXPECT_LT(1000, w[0].user);
	EXPECT_EQ(w[0].kernel, w[2].kernel);
	EXPECT_LT(w[0].kernel, w[3].kernel);
	EXPECT_LT(w[3].kernel, w[1].kernel);
	close(fd);
}

#else

TEST(x86_counters)
{
	SKIP(return, "needs x86");
}

#endif

TEST_HARNESS_MAIN
