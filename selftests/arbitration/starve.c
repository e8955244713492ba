// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pmcgrp group and a flexible perf group, of which only one fits at a time, count for half of
 * the time each. That also holds where the task has a pinned event, a trigger or a perf event,
 * and where the task mostly sleeps.
 *
 * Many groups and tasks: half a minute of the host's processor.
 * needs: more=arm64-6.12
 */
#include "pmcgrp_ring.h"
#include "pmcgrp_rivals.h"
#include "kselftest_harness.h"

enum pin {
	NOTHING,
	TRIGGER,
	PERF,
};

FIXTURE(starve)
{
	struct rivals rivals;
};

/*
 * @pin: pinned event of the task: none, a trigger, or a perf event
 * @period: its period; 0: it never fires
 * @perf_of_cpu: the perf group is of the CPU
 * @perf_first: the perf group is opened before the pmcgrp group
 */
FIXTURE_VARIANT(starve)
{
	enum pin pin;
	bool instructions;
	unsigned int period;
	bool perf_of_cpu;
	bool perf_first;
};

FIXTURE_VARIANT_ADD(starve, nothing_pinned)
{
	.pin = NOTHING,
};

FIXTURE_VARIANT_ADD(starve, nothing_pinned_perf_first)
{
	.pin = NOTHING,
	.perf_first = true,
};

FIXTURE_VARIANT_ADD(starve, trigger)
{
	.pin = TRIGGER,
	.period = 20000,
};

FIXTURE_VARIANT_ADD(starve, trigger_perf_first)
{
	.pin = TRIGGER,
	.period = 20000,
	.perf_first = true,
};

FIXTURE_VARIANT_ADD(starve, trigger_that_never_fires)
{
	.pin = TRIGGER,
};

FIXTURE_VARIANT_ADD(starve, trigger_that_never_fires_perf_first)
{
	.pin = TRIGGER,
	.perf_first = true,
};

FIXTURE_VARIANT_ADD(starve, trigger_of_instructions)
{
	.pin = TRIGGER,
	.instructions = true,
	.period = 20000,
};

FIXTURE_VARIANT_ADD(starve, trigger_of_instructions_perf_first)
{
	.pin = TRIGGER,
	.instructions = true,
	.period = 20000,
	.perf_first = true,
};

FIXTURE_VARIANT_ADD(starve, trigger_perf_of_the_cpu)
{
	.pin = TRIGGER,
	.period = 20000,
	.perf_of_cpu = true,
};

FIXTURE_VARIANT_ADD(starve, trigger_perf_of_the_cpu_perf_first)
{
	.pin = TRIGGER,
	.period = 20000,
	.perf_of_cpu = true,
	.perf_first = true,
};

FIXTURE_VARIANT_ADD(starve, never_fires_perf_of_the_cpu)
{
	.pin = TRIGGER,
	.perf_of_cpu = true,
};

FIXTURE_VARIANT_ADD(starve, never_fires_perf_of_the_cpu_perf_first)
{
	.pin = TRIGGER,
	.perf_of_cpu = true,
	.perf_first = true,
};

FIXTURE_VARIANT_ADD(starve, perf_pinned)
{
	.pin = PERF,
	.period = 20000,
};

FIXTURE_VARIANT_ADD(starve, perf_pinned_perf_first)
{
	.pin = PERF,
	.period = 20000,
	.perf_first = true,
};

FIXTURE_VARIANT_ADD(starve, perf_pinned_never_fires)
{
	.pin = PERF,
};

FIXTURE_VARIANT_ADD(starve, perf_pinned_never_fires_perf_first)
{
	.pin = PERF,
	.perf_first = true,
};

FIXTURE_SETUP(starve)
{
	self->rivals.dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->rivals.dev, 0);
	if (!deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	if (!rivals_ready(&self->rivals))
		SKIP(return, "too few counters");
}

FIXTURE_TEARDOWN(starve)
{
	close(self->rivals.dev);
}

TEST_F_TIMEOUT(starve, half_each, 300)
{
	struct perf_event_attr pin = variant->instructions ? instructions_copy(900) :
							     hw(PERF_COUNT_HW_CPU_CYCLES);
	unsigned int nr = self->rivals.nr, i;
	struct group_values v, w, p;
	struct pmcgrp_trigger_add add;
	struct perf_share perf;
	struct ring ring = {};
	struct ring_sum sum = {};
	int fd, own = -1;
	uint64_t value;
	double least;

	pin = every(variant->period ?: 1ULL << 40, pin);
	if (variant->perf_first)
		ASSERT_TRUE(perf_start(&perf, nr, variant->perf_of_cpu));
	fd = our_group(&self->rivals, 0);
	ASSERT_GE(fd, 0);
	if (variant->pin == TRIGGER) {
		ASSERT_TRUE(ring_ready(fd, 64, &ring));
		ASSERT_EQ(0, add_trigger(fd, &pin, &add));
	} else if (variant->pin == PERF) {
		pin.pinned = 1;
		own = perf_open(&pin, 0, -1, -1);
		ASSERT_GE(own, 0);
	}
	if (!variant->perf_first)
		ASSERT_TRUE(perf_start(&perf, nr, variant->perf_of_cpu));
	spin_ns(100 * NSEC_PER_MSEC);	/* the alternation has begun */
	ASSERT_TRUE(group_values(fd, nr, &v));
	ASSERT_TRUE(group_values(perf.fd[0], nr, &perf.v));
	/* The reservation event waits in perf's rotation for up to 16 ticks: average. */
	spin_ns((variant->perf_of_cpu ? 1000 : 300) * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, nr, &w));
	ASSERT_TRUE(group_values(perf.fd[0], nr, &p));
	TH_LOG("pmcgrp %.1f%%, perf %.1f%%", percent(&v, &w), percent(&perf.v, &p));
	/* One wait of 16 ticks is 6 % of a second. */
	least = variant->perf_of_cpu ? 40 : 45;
	EXPECT_GE(percent(&v, &w), least);
	EXPECT_GE(percent(&perf.v, &p), least);
	/* The pinned event has never lost its counter. */
	if (own >= 0) {
		EXPECT_EQ(sizeof(value), read(own, &value, sizeof(value)));
		close(own);
	}
	if (variant->pin == TRIGGER) {
		ring_drain(&ring, &sum, NULL, NULL);
		EXPECT_EQ(!!variant->period, !!sum.samples);
		ring_unmap(&ring);
	}
	close(fd);
	for (i = 0; i < nr; i++)
		close(perf.fd[i]);
}

#define SLICE	(4 * NSEC_PER_MSEC)	/* the module's mux_interval_ms */

FIXTURE(naps)
{
	struct rivals rivals;
};

/* @groups: number of pmcgrp groups; @loops: work between two naps of @us microseconds */
FIXTURE_VARIANT(naps)
{
	unsigned int groups;
	unsigned int loops;
};

FIXTURE_VARIANT_ADD(naps, 1_groups_5000_loops)
{
	.groups = 1,
	.loops = 5000,
};

FIXTURE_VARIANT_ADD(naps, 2_groups_5000_loops)
{
	.groups = 2,
	.loops = 5000,
};

FIXTURE_VARIANT_ADD(naps, 3_groups_5000_loops)
{
	.groups = 3,
	.loops = 5000,
};

FIXTURE_VARIANT_ADD(naps, 1_groups_20000_loops)
{
	.groups = 1,
	.loops = 20000,
};

FIXTURE_VARIANT_ADD(naps, 2_groups_20000_loops)
{
	.groups = 2,
	.loops = 20000,
};

FIXTURE_VARIANT_ADD(naps, 3_groups_20000_loops)
{
	.groups = 3,
	.loops = 20000,
};

FIXTURE_VARIANT_ADD(naps, 1_groups_100000_loops)
{
	.groups = 1,
	.loops = 100000,
};

FIXTURE_VARIANT_ADD(naps, 2_groups_100000_loops)
{
	.groups = 2,
	.loops = 100000,
};

FIXTURE_VARIANT_ADD(naps, 3_groups_100000_loops)
{
	.groups = 3,
	.loops = 100000,
};

FIXTURE_VARIANT_ADD(naps, 1_groups_1000000_loops)
{
	.groups = 1,
	.loops = 1000000,
};

FIXTURE_VARIANT_ADD(naps, 2_groups_1000000_loops)
{
	.groups = 2,
	.loops = 1000000,
};

FIXTURE_VARIANT_ADD(naps, 3_groups_1000000_loops)
{
	.groups = 3,
	.loops = 1000000,
};

FIXTURE_SETUP(naps)
{
	self->rivals.dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->rivals.dev, 0);
	if (!deterministic())
		SKIP(return, "shares of time need a hardware PMU and a deterministic guest");
	if (!rivals_ready(&self->rivals))
		SKIP(return, "too few counters");
}

FIXTURE_TEARDOWN(naps)
{
	close(self->rivals.dev);
}

/* All pmcgrp groups together and the perf group each count for about half of the time. */
TEST_F_TIMEOUT(naps, nobody_starves, 300)
{
	static const unsigned int us[] = { 50, 500 };
	unsigned int nr = self->rivals.nr, g, i, k;
	struct group_values v, p;
	struct perf_share perf;
	bool starved = false;
	double ours, theirs, least;
	uint64_t end;
	int fd[3];

	for (k = 0; k < COUNT(us); k++) {
		ASSERT_TRUE(perf_start(&perf, nr, false));
		for (g = 0; g < variant->groups; g++) {
			fd[g] = our_group(&self->rivals, g * nr);
			ASSERT_GE(fd[g], 0);
		}
		end = now_ns() + 250 * NSEC_PER_MSEC;
		while (now_ns() < end) {
			loop(variant->loops);
			sleep_ns(us[k] * 1000);
		}
		ours = 0;
		for (g = 0; g < variant->groups; g++) {
			ASSERT_TRUE(group_values(fd[g], nr, &v));
			ours += 100.0 * v.running / v.enabled;
			close(fd[g]);
		}
		ASSERT_TRUE(group_values(perf.fd[0], nr, &p));
		theirs = 100.0 * p.running / p.enabled;
		TH_LOG("naps of %u us: pmcgrp %.1f%%, perf %.1f%%", us[k], ours, theirs);
		/* A task that mostly sleeps runs for few slices: one may be cut off. */
		least = 45 - 100.0 * SLICE / p.enabled;
		least = least > 30 ? least : 30;
		if (kernel_is(6, 2))
			EXPECT_GE(ours, least);
		starved |= ours < 30;
		EXPECT_GE(theirs, kernel_is(6, 2) ? least : 30);
		for (i = 0; i < nr; i++)
			close(perf.fd[i]);
	}
	/*
	 * Before 6.2 a task has a context for each kind of PMU, and perf core schedules that of
	 * hardware before the one of the carrier event.
	 */
	if (starved && __test_passed(_metadata) && !kernel_is(6, 2))
		XFAIL(return, "before 6.2 perf events of a task are scheduled before pmcgrp's");
}

TEST_HARNESS_MAIN
