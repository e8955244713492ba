// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMI of a counter that no event holds, while groups count and sample. perf's driver takes all
 * counters' state to be its own, and serves it. The groups must not change: no count differs, no
 * sample is lost or added, and no read is torn, wherever the PMI comes.
 *
 * The PMI is made from ring 0, on the emulated PMU: its highest general counter is programmed
 * directly, as firmware or a broken driver might do.
 *
 * needs: msr=yes machines=x86_64-*
 */
#include "pmcgrp_apart.h"
#include "pmcgrp_rate.h"
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#ifdef __x86_64__
#include "pmcgrp_msr.h"

#define INSTRUCTIONS	0xc0
#define MEMBERS		3
#define PERIOD		50021	/* of user mode's instructions */
#define LOOPS		500000	/* of two instructions */
#define HANDLER		20000	/* more than any handler of perf's takes */
#define CYCLES		200003	/* between the samples while reads are gone through */
#define STEP		5	/* instructions from one PMI to the next one's place */
#define PLACES		800

FIXTURE(x86_spurious)
{
	struct msrs m;
	struct rates rates;
	int dev;
	unsigned int spare;	/* the counter */
};

FIXTURE_SETUP(x86_spurious)
{
	const char *why = msrs_open(&self->m);

	self->rates.rate = -1;
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	if (why)
		SKIP(return, "%s", why);
	if (!deterministic())
		SKIP(return, "no deterministic PMU");
	/* arch/x86/events/amd/core.c: amd_pmu_v2_handle_irq() has a WARN() for just that. */
	if (self->m.amd && msr_has_global(&self->m))
		SKIP(return, "with PerfMonV2 the kernel warns of such an overflow");
	self->spare = self->m.gp - 1;
	self->rates = rates_allow(100000);
	ASSERT_TRUE(run_on(0));
	/* Found out while there are counters left. */
	apart_by_hold();
	host_can_stop();
	instructions_copy(0);
}

FIXTURE_TEARDOWN(x86_spurious)
{
	rates_restore(&self->rates);
	msrs_close(&self->m);
	close(self->dev);
}

static struct perf_event_attr of_user(struct perf_event_attr attr)
{
	attr.exclude_kernel = 1;
	return attr;
}

struct run {
	struct group_values v;
	struct ring_sum sum;
	long nmis;
	uint64_t spare;		/* what the spare counter has */
};

/* All but the PMI itself is the same in each run: so are the instructions of user mode. */
static void run_once(struct __test_metadata *_metadata, struct msrs *m, int dev,
		     unsigned int spare, bool interrupts, struct run *run)
{
	struct perf_event_attr attr[MEMBERS] = {
		of_user(hw(PERF_COUNT_HW_INSTRUCTIONS)),
		of_user(hw(PERF_COUNT_HW_CPU_CYCLES)),
		hw(PERF_COUNT_HW_INSTRUCTIONS),
	};
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .flags = PMCGRP_CREATE_DISABLED,
			   .nr = MEMBERS, .attr = attr };
	struct perf_event_attr by = every(PERIOD, of_user(hw(PERF_COUNT_HW_INSTRUCTIONS)));
	uint64_t sel = INSTRUCTIONS | SEL_USR | SEL_EN;
	struct pmcgrp_trigger_add add;
	struct ring ring;
	int fd;

	*run = (struct run){};
	fd = ask_group(dev, &ask);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 16, &ring));
	ASSERT_EQ(0, add_trigger(fd, &by, &add));
	run->nmis = nmis();
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, msr_put(m, msr_sel(m, spare), sel | (interrupts ? SEL_INT : 0)));
	ASSERT_EQ(0, msr_put(m, msr_pmc(m, spare), -(uint64_t)LOOPS));
	loop(LOOPS);
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, msr_put(m, msr_sel(m, spare), 0));
	run->spare = msr_value(m, msr_pmc(m, spare));
	run->nmis = nmis() - run->nmis;
	ASSERT_TRUE(group_values(fd, MEMBERS, &run->v));
	ring_drain(&ring, &run->sum, NULL, NULL);
	ring_unmap(&ring);
	close(fd);
}

/* The same program, whose spare counter interrupts in every other run. */
TEST_F(x86_spurious, counts_and_samples_are_as_without)
{
	struct run run[4];
	unsigned int i;

	run_once(_metadata, &self->m, self->dev, self->spare, false, &run[0]);
	for (i = 0; i < COUNT(run); i++) {
		run_once(_metadata, &self->m, self->dev, self->spare, i & 1, &run[i]);
		TH_LOG("%s: %llu and %llu cycles of user mode, %llu in all, %lu samples, %ld NMIs",
		       i & 1 ? "with" : "without", (unsigned long long)run[i].v.m[0].value,
		       (unsigned long long)run[i].v.m[1].value,
		       (unsigned long long)run[i].v.m[2].value, run[i].sum.samples, run[i].nmis);
		/* It has wrapped, and has gone on. */
		EXPECT_EQ(run[0].spare, run[i].spare);
		EXPECT_LE(LOOPS, run[i].spare);
		EXPECT_GT(2 * LOOPS, run[i].spare);
		EXPECT_EQ(run[i].v.m[0].value / PERIOD, run[i].sum.samples);
		EXPECT_EQ(run[i].sum.samples + (i & 1), run[i].nmis);
		EXPECT_EQ(0, run[i].sum.lost + run[i].sum.missed);
		EXPECT_EQ(0, run[i].sum.throttles + run[i].sum.others);
		EXPECT_FALSE(run[i].sum.broken);
		EXPECT_EQ(run[0].v.m[0].value, run[i].v.m[0].value);
		EXPECT_EQ(run[0].v.m[1].value, run[i].v.m[1].value);
		EXPECT_LT(2 * LOOPS, run[i].v.m[0].value);
		EXPECT_GT(HANDLER, llabs((long long)(run[i].v.m[2].value - run[0].v.m[2].value)));
		EXPECT_EQ(run[i].v.enabled, run[i].v.running);
	}
}

/* What is read around a PMI: of a group whose members count the same, and of user mode alone. */
struct reads {
	struct group_values before, after, user;
};

/* One PMI at each place of the way out of a system call and through the read after it. */
TEST_F_TIMEOUT(x86_spurious, at_each_place_of_a_read, 300)
{
	struct perf_event_attr attr[MEMBERS], of = of_user(hw(PERF_COUNT_HW_INSTRUCTIONS));
	uint64_t sel = INSTRUCTIONS | SEL_OS | SEL_USR | SEL_EN | SEL_INT, each;
	unsigned long torn = 0, back = 0, uneven = 0;
	struct perf_event_attr by = every(CYCLES, hw(PERF_COUNT_HW_CPU_CYCLES));
	struct msrs *m = &self->m;
	struct pmcgrp_trigger_add add;
	struct group_values last;
	struct ring_sum sum = {};
	struct reads *reads;
	struct ring ring;
	unsigned int i;
	int fd, user;
	long pmis;

	reads = calloc(PLACES, sizeof(*reads));
	ASSERT_NE(NULL, reads);
	memset(reads, 1, PLACES * sizeof(*reads));	/* no page faults later */
	for (i = 0; i < MEMBERS; i++)
		attr[i] = instructions_copy(i);
	/* Of the CPU: on Nehalem perf's driver clears all counters at a task's schedule-in. */
	fd = group_of_cpu(self->dev, 0, MEMBERS, attr);
	ASSERT_GE(fd, 0);
	ASSERT_TRUE(ring_ready(fd, 64, &ring));
	ASSERT_EQ(0, add_trigger(fd, &by, &add));
	user = group_of_cpu(self->dev, 0, 1, &of);
	ASSERT_GE(user, 0);
	/* perf's driver for AMD takes an NMI for its own for a while after one that was. */
	loop(CYCLES);
	ASSERT_EQ(0, msr_put(m, msr_pmc(m, self->spare), 0));
	ASSERT_EQ(0, msr_put(m, msr_sel(m, self->spare), sel));
	pmis = nmis();
	for (i = 0; i < PLACES; i++) {
		bool ok = group_values(fd, MEMBERS, &reads[i].before) &
			  !msr_put(m, msr_pmc(m, self->spare), -(uint64_t)(STEP * (i + 1))) &
			  group_values(fd, MEMBERS, &reads[i].after) &
			  group_values(user, 1, &reads[i].user);

		ASSERT_TRUE(ok);
	}
	ASSERT_EQ(0, msr_put(m, msr_sel(m, self->spare), 0));
	pmis = nmis() - pmis;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_TRUE(group_values(fd, MEMBERS, &last));
	/* The same instructions of user mode in each iteration but the first. */
	each = reads[2].user.m[0].value - reads[1].user.m[0].value;
	for (i = 0; i < PLACES; i++) {
		torn += !members_together(&reads[i].after, MEMBERS, 0);
		back += !group_follows(&reads[i].before, &reads[i].after, MEMBERS);
		uneven += i > 1 && reads[i].user.m[0].value != reads[i - 1].user.m[0].value + each;
	}
	ring_drain(&ring, &sum, NULL, NULL);
	TH_LOG("%u places; the last iteration: %llu instructions, %llu of user mode", PLACES * STEP,
	       (unsigned long long)(reads[i - 1].after.m[0].value - reads[i - 1].before.m[0].value),
	       (unsigned long long)each);
	TH_LOG("%ld NMIs, %lu samples, %lu missed", pmis, sum.samples, sum.missed);
	/* Two that come at once are one. */
	EXPECT_LE(PLACES, pmis);
	EXPECT_GE(PLACES + sum.samples + sum.missed, pmis);
	/* Those of the trigger alone, at one cycle a nanosecond. */
	EXPECT_LT(0, sum.samples);
	EXPECT_GE(last.enabled / CYCLES + 1, sum.samples + sum.missed);
	EXPECT_FALSE(sum.broken);
	EXPECT_EQ(0, torn);
	EXPECT_EQ(0, back);
	EXPECT_EQ(0, uneven);
	EXPECT_EQ(last.enabled, last.running);
	free(reads);
	close(user);
	close(fd);
	ring_unmap(&ring);
}

#else

TEST(x86_spurious)
{
	SKIP(return, "needs x86");
}

#endif

TEST_HARNESS_MAIN
