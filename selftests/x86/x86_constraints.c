// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups on an Intel PMU with its real constraints: events that only one counter can count,
 * events that want different values of one extra register, more events than counters.
 *
 * A group that can never be scheduled is refused with its first member without a counter, as
 * perf refuses it, whether or not the NMI watchdog has a counter. Other groups are scheduled as
 * a whole, and no count is read from a wrong counter.
 */
#include "pmcgrp_ring.h"
#include "kselftest_harness.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define MEMBERS_MAX	16
#define GENERAL_MAX	8	/* counters; more are left alone */

/* Events of several Intel models; @counter_2: on SandyBridge to Broadwell's counter 2 alone. */
#define L1D_PEND_MISS	0x0148		/* counter_2 */
#define OFFCORE		0x01b7		/* with a value in config1 */

static const uint64_t free_events[] = {
	0x0151, 0x0152, 0x0154, 0x0156, 0x0158, 0x0159, 0x015b, 0x015c,
};

FIXTURE(x86_constraints)
{
	int dev;
	int was_on;	/* the watchdog; -1: there is none */
	unsigned int counters;	/* general ones */
};

FIXTURE_VARIANT(x86_constraints)
{
	bool watchdog;
};

FIXTURE_VARIANT_ADD(x86_constraints, watchdog_off)
{
	.watchdog = false,
};

FIXTURE_VARIANT_ADD(x86_constraints, watchdog_on)
{
	.watchdog = true,
};

struct set {
	struct perf_event_attr attr[MEMBERS_MAX];
	unsigned int nr;
};

static void put(struct set *set, struct perf_event_attr attr)
{
	set->attr[set->nr++] = attr;
}

static void put_raw(struct set *set, uint64_t config, uint64_t config1)
{
	struct perf_event_attr attr = event(PERF_TYPE_RAW, config);

	attr.config1 = config1;
	put(set, attr);
}

/* The same event again, and a different one to perf and pmcgrp: as raw_copy() has it. */
static void put_copies(struct set *set, uint64_t config, unsigned int nr)
{
	unsigned int k;

	for (k = 0; k < nr; k++)
		put(set, raw_copy(config, k));
}

static void put_free(struct set *set, unsigned int first, unsigned int nr)
{
	unsigned int k;

	for (k = first; k < first + nr; k++)
		put(set, raw_copy(free_events[k % COUNT(free_events)], k / COUNT(free_events)));
}

/* The member that perf refuses, or -1; *err: with that error. */
static int perf_refuses(const struct set *set, int *err)
{
	int fd[MEMBERS_MAX], member = -1;
	struct perf_event_attr attr;
	unsigned int i;

	*err = 0;
	for (i = 0; i < set->nr; i++) {
		attr = set->attr[i];
		attr.disabled = !i;
		fd[i] = perf_open(&attr, 0, -1, i ? fd[0] : -1);
		if (fd[i] < 0) {
			*err = fd[i];
			member = i;
			break;
		}
	}
	while (i)
		close(fd[--i]);
	return member;
}

/* On which this machine's model has them. */
static bool fit_together(const struct set *set)
{
	int err;

	return perf_refuses(set, &err) < 0;
}

FIXTURE_SETUP(x86_constraints)
{
	struct set set = {};

	self->was_on = -1;
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
#ifndef __x86_64__
	SKIP(return, "constraints of Intel's PMU: x86 only");
#endif
	if (!deterministic())
		SKIP(return, "no PMU, or no deterministic one");
	if (access("/sys/bus/event_source/devices/cpu/format/offcore_rsp", F_OK))
		SKIP(return, "no Intel PMU with events that have a register of their own");
	self->was_on = file_number(WATCHDOG, "");
	if (!file_write(WATCHDOG, variant->watchdog ? "1" : "0") ||
	    file_number(WATCHDOG, "") != variant->watchdog)
		SKIP(return, "no NMI watchdog that can be switched");
	while (self->counters < GENERAL_MAX) {
		put_free(&set, set.nr, 1);
		if (!fit_together(&set))
			break;
		self->counters++;
	}
	ASSERT_TRUE(run_on(0));
}

FIXTURE_TEARDOWN(x86_constraints)
{
	if (self->was_on >= 0)
		file_write(WATCHDOG, self->was_on ? "1" : "0");
	close(self->dev);
}

/* pmcgrp refuses what perf refuses, with the same member, and takes what perf takes. */
static void as_perf(struct __test_metadata *_metadata, int dev, const struct set *set, bool cpu)
{
	struct ask ask = { .nr = set->nr, .attr = set->attr,
			   .target_type = cpu ? PMCGRP_TARGET_CPU : PMCGRP_TARGET_TASK };
	int err, member = perf_refuses(set, &err), fd;

	fd = ask_group(dev, &ask);
	if (member < 0) {
		EXPECT_GE(fd, 0);
		if (fd >= 0)
			close(fd);
		return;
	}
	EXPECT_EQ(-EINVAL, err);
	EXPECT_EQ(err, fd);
	EXPECT_EQ(PMCGRP_WHY_TOO_LARGE, ask.create.why);
	EXPECT_EQ(member, ask.create.fail_member);
	if (fd >= 0)
		close(fd);
}

static double percent(const struct group_values *v, const struct group_values *w)
{
	return 100.0 * (w->running - v->running) / (w->enabled - v->enabled);
}

/* Groups of one or more sets: the share of time of each, over a while. */
static void shares(struct __test_metadata *_metadata, int dev, const struct set *set,
		   unsigned int nr, double *share)
{
	struct group_values v[8], w[8];
	unsigned int i;
	int fd[8];

	for (i = 0; i < nr; i++) {
		fd[i] = group_of(dev, set[i].nr, set[i].attr, 0);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < nr; i++)
		ASSERT_TRUE(group_values(fd[i], set[i].nr, &v[i]));
	spin_ns(300 * NSEC_PER_MSEC);
	for (i = 0; i < nr; i++) {
		ASSERT_TRUE(group_values(fd[i], set[i].nr, &w[i]));
		share[i] = percent(&v[i], &w[i]);
		close(fd[i]);
	}
}

/* An event that fits only counter 2, twice. */
TEST_F_TIMEOUT(x86_constraints, one_counter_for_two, 300)
{
	struct set set = {}, apart[2] = {};
	double share[2];
	unsigned int i;

	put(&set, hw(PERF_COUNT_HW_INSTRUCTIONS));
	put_copies(&set, L1D_PEND_MISS, 2);
	if (fit_together(&set))
		SKIP(return, "on this model event 0148 is on any counter");
	as_perf(_metadata, self->dev, &set, false);
	as_perf(_metadata, self->dev, &set, true);
	for (i = 0; i < 2; i++)
		put(&apart[i], raw_copy(L1D_PEND_MISS, i));
	shares(_metadata, self->dev, apart, 2, share);
	TH_LOG("apart: %.1f%%, %.1f%%", share[0], share[1]);
	EXPECT_GT(share[0], 48);
	EXPECT_GT(share[1], 48);
}

/* The bit of a kind of response; registers of 16 bits have none beyond these. */
static uint64_t response(void)
{
	struct set set = {};

	put_raw(&set, OFFCORE, 1 << 16 | 1);
	return fit_together(&set) ? 1 << 16 : 1 << 15;
}

/* Siblings that ask for different offcore values: as many as there are registers, one or two. */
TEST_F_TIMEOUT(x86_constraints, offcore_values, 300)
{
	struct set set = {}, apart[3] = {}, same = {};
	uint64_t any = response();
	double share[3];
	unsigned int i;
	bool two;

	put(&set, hw(PERF_COUNT_HW_INSTRUCTIONS));
	for (i = 0; i < 3; i++)
		put_raw(&set, OFFCORE, any | 1 << i);
	as_perf(_metadata, self->dev, &set, false);
	as_perf(_metadata, self->dev, &set, true);
	set.nr--;
	two = fit_together(&set);
	as_perf(_metadata, self->dev, &set, false);
	for (i = 0; i < 3; i++)
		put_raw(&apart[i], OFFCORE, any | 1 << i);
	shares(_metadata, self->dev, apart, 3, share);
	TH_LOG("apart: %.1f%%, %.1f%%, %.1f%%", share[0], share[1], share[2]);
	for (i = 0; i < 3; i++)
		EXPECT_GT(share[i], two ? 60 : 30);
	for (i = 0; i < 3; i++) {
		put_raw(&same, OFFCORE | (uint64_t)i << RAW_COPY_SHIFT, any | 1);
		as_perf(_metadata, self->dev, &same, false);
	}
	shares(_metadata, self->dev, &same, 1, share);
	EXPECT_EQ(100.0, share[0]);
}

/* More than there are counters, and more than constraints allow although counters are free. */
TEST_F_TIMEOUT(x86_constraints, larger_than_the_pmu, 300)
{
	struct set set;
	unsigned int nr;

	for (nr = self->counters; nr <= self->counters + 3; nr++) {
		set = (struct set){};
		put_free(&set, 0, nr);
		as_perf(_metadata, self->dev, &set, false);
		as_perf(_metadata, self->dev, &set, true);
	}
	set = (struct set){};
	put_raw(&set, L1D_PEND_MISS, 0);
	put_free(&set, 0, 1);
	put(&set, raw_copy(L1D_PEND_MISS, 1));
	as_perf(_metadata, self->dev, &set, false);
}

/* The answer is the same while perf events or pinned pmcgrp groups are on the PMU. */
TEST_F_TIMEOUT(x86_constraints, refused_while_others_count, 300)
{
	struct perf_event_attr attr = event(PERF_TYPE_RAW, free_events[0]);
	struct set set = {}, small = {};
	int perf, fd;

	put_free(&set, 0, self->counters + 1);
	put_free(&small, 0, 1);
	perf = perf_open(&attr, -1, 0, -1);
	ASSERT_GE(perf, 0);
	as_perf(_metadata, self->dev, &set, false);
	as_perf(_metadata, self->dev, &set, true);
	close(perf);
	fd = group_of(self->dev, small.nr, small.attr, PMCGRP_CREATE_PINNED);
	ASSERT_GE(fd, 0);
	as_perf(_metadata, self->dev, &set, false);
	close(fd);
}

/*
 * The watchdog has the fixed counter of cycles that the group needs. perf takes such a group, and
 * so does pmcgrp: it waits, reports why, and counts once the watchdog is off.
 */
TEST_F_TIMEOUT(x86_constraints, until_the_watchdog_goes, 300)
{
	struct pmcgrp_info_cpu cpu[MEMBERS_MAX];
	struct group_values v, w;
	struct pmcgrp_info info;
	struct set set = {};
	int fd;

	put(&set, hw(PERF_COUNT_HW_INSTRUCTIONS));
	put(&set, hw(PERF_COUNT_HW_CPU_CYCLES));
	put(&set, hw(PERF_COUNT_HW_REF_CPU_CYCLES));
	put_free(&set, 0, self->counters);
	if (set.nr > MEMBERS_MAX || !fit_together(&set))
		SKIP(return, "no fixed counters for all three");
	fd = group_of(self->dev, set.nr, set.attr, 0);
	ASSERT_GE(fd, 0);
	spin_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, set.nr, &v));
	ASSERT_EQ(0, group_info(fd, 0, &info, cpu, MEMBERS_MAX));
	if (variant->watchdog) {
		EXPECT_EQ(0, v.running);
		EXPECT_EQ(PMCGRP_WHY_BUSY_PERF, info.why);
		EXPECT_EQ(1, cpu[0].perf_counters);
		ASSERT_TRUE(file_write(WATCHDOG, "0"));
		/* it is tried again after 16 ticks of 4 ms at most */
		spin_ns(100 * NSEC_PER_MSEC);
		ASSERT_TRUE(group_values(fd, set.nr, &v));
		EXPECT_GT(v.running, 0);
	}
	spin_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(group_values(fd, set.nr, &w));
	EXPECT_EQ(w.enabled - v.enabled, w.running - v.running);
	ASSERT_EQ(0, group_info(fd, 0, &info, cpu, MEMBERS_MAX));
	EXPECT_EQ(PMCGRP_WHY_NONE, info.why);
	EXPECT_EQ(0, cpu[0].perf_counters);
	close(fd);
}

TEST_HARNESS_MAIN
