// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads of one core that want different values of Intel's two OFFCORE_RSP registers.
 *
 * On Westmere the two threads share the registers. Values that fit count correctly, whichever
 * register the driver takes. Values that do not fit wait, as with perf alone, until one is free.
 * From SandyBridge on each thread has its own registers, and no group waits. No event is ever
 * counted with another event's value: the emulated PMU counts one in a hundred instructions for
 * each kind of request that a value asks for.
 *
 * needs: machines=x86_64-*-smt
 */
#include "pmcgrp_test.h"
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include "kselftest_harness.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define SIBLINGS	"/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"
#define OFFCORE_0	0x01b7
#define OFFCORE_1	0x01bb
#define MEMBERS_MAX	3
#define INSTRUCTIONS	100	/* of which one is a response to a kind of request */
#define SETTLED		(100 * NSEC_PER_MSEC)	/* longer than it takes to be tried again */
#define WINDOW		(100 * NSEC_PER_MSEC)
#define MUX_INTERVAL	(4 * NSEC_PER_MSEC)
/* Of which another value's count differs by more than what may be lost in all intervals. */
#define ENOUGH		20000

/* Up to Westmere; which models these are, Intel's SDM says. */
static bool registers_are_shared(void)
{
#ifdef __x86_64__
	static const unsigned int shared[] = { 0x1a, 0x1e, 0x1f, 0x25, 0x2c, 0x2e, 0x2f };
	unsigned int a, b, c, d, i;

	__cpuid(1, a, b, c, d);
	for (i = 0; i < COUNT(shared); i++)
		if (((a >> 4 & 15) | (a >> 12 & 0xf0)) == shared[i])
			return true;
#endif
	return false;
}

/* An event that asks for so many kinds of requests, of 8 or 16, and for one of responses. */
static struct perf_event_attr offcore(uint64_t config, unsigned int kinds)
{
	struct perf_event_attr attr = event(PERF_TYPE_RAW, config);

	attr.config1 = (registers_are_shared() ? 1 << 15 : 1 << 16) | ((1U << kinds) - 1);
	return attr;
}

/* A perf or pmcgrp group of one CPU: instructions, then events of so many kinds each. */
struct side {
	int fd;
	int perf[MEMBERS_MAX];
	bool ours;
	unsigned int nr;
	unsigned int kinds[MEMBERS_MAX];
	struct group_values before, after;
};

FIXTURE(x86_siblings)
{
	int dev;
	int was_on;	/* the watchdog; -1: there is none */
	bool shared;	/* the registers are the core's */
	pid_t busy[2];
};

/* Whose the groups of CPU 0 and of CPU 1 are. */
FIXTURE_VARIANT(x86_siblings)
{
	bool ours[2];
	bool watchdog;
};

FIXTURE_VARIANT_ADD(x86_siblings, perf_beside_perf)
{
	.ours = { false, false },
};

FIXTURE_VARIANT_ADD(x86_siblings, ours_beside_ours)
{
	.ours = { true, true },
};

FIXTURE_VARIANT_ADD(x86_siblings, ours_beside_perf)
{
	.ours = { false, true },
};

FIXTURE_VARIANT_ADD(x86_siblings, perf_beside_ours)
{
	.ours = { true, false },
};

FIXTURE_VARIANT_ADD(x86_siblings, ours_beside_ours_and_the_watchdog)
{
	.ours = { true, true },
	.watchdog = true,
};

static void perf_close(int *fd, unsigned int nr)
{
	while (nr)
		close(fd[--nr]);
}

/* Returns 0, or the error of the member that is too many. */
static int perf_group(int cpu, unsigned int nr, const struct perf_event_attr *attrs, int *fd)
{
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		attr = attrs[i];
		attr.read_format = FORMAT;
		fd[i] = perf_open(&attr, -1, cpu, i ? fd[0] : -1);
		if (fd[i] < 0) {
			perf_close(fd, i);
			return fd[i];
		}
	}
	return 0;
}

/* A group with up to two values; the last kinds are 0 if there is but one. */
static bool side_open(struct side *side, int dev, int cpu, bool ours, uint64_t config,
		      unsigned int kinds, unsigned int more_kinds)
{
	struct perf_event_attr attr[MEMBERS_MAX] = {
		hw(PERF_COUNT_HW_INSTRUCTIONS),
		offcore(config, kinds),
		offcore(config, more_kinds),
	};

	*side = (struct side){ .ours = ours, .nr = more_kinds ? 3 : 2,
			       .kinds = { 0, kinds, more_kinds } };
	if (ours) {
		side->fd = group_of_cpu(dev, cpu, side->nr, attr);
		return side->fd >= 0;
	}
	if (perf_group(cpu, side->nr, attr, side->perf))
		return false;
	side->fd = side->perf[0];
	return true;
}

static void side_close(struct side *side)
{
	if (side->ours)
		close(side->fd);
	else
		perf_close(side->perf, side->nr);
}

/* What the sides have in a window of time. */
static bool watch(struct side **side, unsigned int nr)
{
	unsigned int i;
	bool ok = true;

	sleep_ns(SETTLED);
	for (i = 0; i < nr; i++)
		ok = ok && group_values(side[i]->fd, side[i]->nr, &side[i]->before);
	sleep_ns(WINDOW);
	for (i = 0; i < nr; i++)
		ok = ok && group_values(side[i]->fd, side[i]->nr, &side[i]->after);
	return ok;
}

static double share(const struct side *side)
{
	uint64_t enabled = side->after.enabled - side->before.enabled;

	return enabled ? 100.0 * (side->after.running - side->before.running) / enabled : 0;
}

static uint64_t counted(const struct side *side, unsigned int i)
{
	return side->after.m[i].value - side->before.m[i].value;
}

/* Whether it counted by its own values, but for fractions in each interval and privilege level. */
static bool is_right(const struct side *side)
{
	uint64_t parts = 2 + (side->after.running - side->before.running) / MUX_INTERVAL;
	unsigned int i;

	for (i = 1; i < side->nr; i++) {
		int64_t due = counted(side, 0) * side->kinds[i] / INSTRUCTIONS;

		if (llabs((long long)counted(side, i) - due) > (long long)(4 * parts))
			return false;
	}
	return true;
}

static void expect_on(struct __test_metadata *_metadata, const struct side *side, double least)
{
	EXPECT_GE(share(side), least) {
		TH_LOG("%s: %.1f%%", side->ours ? "pmcgrp" : "perf", share(side));
	}
	EXPECT_LT(ENOUGH, counted(side, 0));
	EXPECT_TRUE(is_right(side)) {
		TH_LOG("%s: %llu, %llu, %llu", side->ours ? "pmcgrp" : "perf",
		       (unsigned long long)counted(side, 0), (unsigned long long)counted(side, 1),
		       (unsigned long long)counted(side, 2));
	}
}

/* Not on at all, and not for ever: nothing says that it is too large. */
static void expect_off(struct __test_metadata *_metadata, const struct side *side)
{
	struct pmcgrp_info_cpu cpu[MEMBERS_MAX];
	struct pmcgrp_info info;
	unsigned int i;

	EXPECT_LT(side->before.enabled, side->after.enabled);
	EXPECT_EQ(side->before.running, side->after.running);
	for (i = 0; i < side->nr; i++)
		EXPECT_EQ(0, counted(side, i));
	if (!side->ours)
		return;
	ASSERT_EQ(0, group_info(side->fd, 0, &info, cpu, MEMBERS_MAX));
	EXPECT_EQ(PMCGRP_WHY_BUSY_PERF, info.why);
	EXPECT_EQ(PMCGRP_WHY_BUSY_PERF, cpu[0].why);
	EXPECT_EQ(PMCGRP_STATE_WAITING, cpu[0].state);
}

/* Whether perf's PMU takes events with these values at a time. */
static bool fit_together(unsigned int values)
{
	struct perf_event_attr attr;
	int fd[4] = { -1 };
	unsigned int i;

	for (i = 0; i < values; i++) {
		attr = offcore(OFFCORE_0, i + 1);
		fd[i] = perf_open(&attr, 0, -1, i ? fd[0] : -1);
		if (fd[i] < 0)
			break;
	}
	values -= i;
	while (i)
		close(fd[--i]);
	return !values;
}

static bool are_siblings(void)
{
	char line[16] = "";
	FILE *f = fopen(SIBLINGS, "r");

	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	return !strcmp(line, "0-1\n");
}

/*
 * Keeps a CPU busy, but naps: with -icount processors run one at a time, each until it is idle or a
 * timer is due. Of two that are never idle one may have no time but for its timer's interrupts.
 */
static pid_t busy(int cpu)
{
	pid_t pid = fork();

	if (!pid) {
		run_on(cpu);
		for (;;) {
			loop(100000);
			sleep_ns(NSEC_PER_MSEC / 10);
		}
	}
	return pid;
}

FIXTURE_SETUP(x86_siblings)
{
	unsigned int i;

	self->was_on = -1;
	self->busy[0] = -1;
	self->busy[1] = -1;
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	if (!deterministic() ||
	    access("/sys/bus/event_source/devices/cpu/format/offcore_rsp", F_OK))
		SKIP(return, "no Intel PMU that is deterministic");
	if (!are_siblings())
		SKIP(return, "CPUs 0 and 1 are not the two threads of a core");
	if (!fit_together(2) || fit_together(3))
		SKIP(return, "there are not two registers of offcore responses");
	self->shared = registers_are_shared();
	self->was_on = file_number(WATCHDOG, "");
	if (!file_write(WATCHDOG, variant->watchdog ? "1" : "0") ||
	    file_number(WATCHDOG, "") != variant->watchdog)
		SKIP(return, "no NMI watchdog that can be switched");
	for (i = 0; i < 2; i++) {
		self->busy[i] = busy(i);
		ASSERT_GT(self->busy[i], 0);
	}
}

FIXTURE_TEARDOWN(x86_siblings)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (self->busy[i] > 0)
			end_child(self->busy[i]);
	if (self->was_on >= 0)
		file_write(WATCHDOG, self->was_on ? "1" : "0");
	close(self->dev);
}

/* The same register for one value; one of them has to take the other one for two. */
TEST_F_TIMEOUT(x86_siblings, two_values, 60)
{
	static const struct {
		uint64_t config[2];
		unsigned int kinds[2];
	} cases[] = {
		{ { OFFCORE_0, OFFCORE_0 }, { 2, 2 } },
		{ { OFFCORE_0, OFFCORE_0 }, { 1, 3 } },
		{ { OFFCORE_1, OFFCORE_1 }, { 3, 1 } },
		{ { OFFCORE_0, OFFCORE_1 }, { 4, 4 } },
	};
	struct side a, b, *both[] = { &a, &b };
	unsigned int i;

	for (i = 0; i < COUNT(cases); i++) {
		ASSERT_TRUE(side_open(&a, self->dev, 0, variant->ours[0], cases[i].config[0],
				      cases[i].kinds[0], 0));
		ASSERT_TRUE(side_open(&b, self->dev, 1, variant->ours[1], cases[i].config[1],
				      cases[i].kinds[1], 0));
		ASSERT_TRUE(watch(both, 2));
		expect_on(_metadata, &a, 100);
		expect_on(_metadata, &b, 100);
		side_close(&a);
		side_close(&b);
	}
}

/* Both registers are taken: the sibling's third value waits until they are not. */
TEST_F_TIMEOUT(x86_siblings, a_third_value, 60)
{
	struct side a, b, *both[] = { &a, &b };

	ASSERT_TRUE(side_open(&a, self->dev, 0, variant->ours[0], OFFCORE_0, 1, 2));
	ASSERT_TRUE(side_open(&b, self->dev, 1, variant->ours[1], OFFCORE_0, 3, 0));
	ASSERT_TRUE(watch(both, 2));
	expect_on(_metadata, &a, 100);
	if (!self->shared) {
		expect_on(_metadata, &b, 100);
		side_close(&a);
		side_close(&b);
		return;
	}
	expect_off(_metadata, &b);

	ASSERT_EQ(0, ioctl(a.fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_TRUE(watch(both, 2));
	expect_on(_metadata, &b, 100);

	ASSERT_EQ(0, ioctl(a.fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_TRUE(watch(both, 2));
	expect_off(_metadata, &a);
	expect_on(_metadata, &b, 100);

	ASSERT_EQ(0, ioctl(b.fd, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	ASSERT_TRUE(watch(both, 2));
	expect_on(_metadata, &a, 100);
	side_close(&a);
	side_close(&b);
}

/* The sibling keeps one register: two values are multiplexed on the other one. */
TEST_F_TIMEOUT(x86_siblings, three_groups, 60)
{
	struct side a, b, c, *all[] = { &a, &b, &c };

	ASSERT_TRUE(side_open(&a, self->dev, 0, variant->ours[0], OFFCORE_0, 1, 0));
	ASSERT_TRUE(side_open(&b, self->dev, 1, variant->ours[1], OFFCORE_0, 2, 0));
	ASSERT_TRUE(side_open(&c, self->dev, 1, variant->ours[1], OFFCORE_0, 3, 0));
	ASSERT_TRUE(watch(all, 3));
	expect_on(_metadata, &a, 100);
	expect_on(_metadata, &b, self->shared ? 40 : 100);
	expect_on(_metadata, &c, self->shared ? 40 : 100);
	if (self->shared)
		EXPECT_GE(120, share(&b) + share(&c));	/* they are not read at one instant */
	side_close(&a);
	side_close(&b);
	side_close(&c);
}

/* Three values in one group are more than a core has: perf and pmcgrp refuse them. */
TEST_F_TIMEOUT(x86_siblings, three_values_of_one, 60)
{
	struct perf_event_attr attr[] = {
		offcore(OFFCORE_0, 1),
		offcore(OFFCORE_1, 2),
		offcore(OFFCORE_0, 3),
	};
	struct ask ask = { .target_type = PMCGRP_TARGET_CPU, .target_id = 1,
			   .nr = COUNT(attr), .attr = attr };
	int fd[COUNT(attr)];
	struct side a;

	ASSERT_TRUE(side_open(&a, self->dev, 0, variant->ours[0], OFFCORE_0, 1, 0));
	EXPECT_EQ(-EINVAL, perf_group(1, COUNT(attr), attr, fd));
	EXPECT_EQ(-EINVAL, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_TOO_LARGE, ask.create.why);
	EXPECT_EQ(2, ask.create.fail_member);
	side_close(&a);
}

TEST_HARNESS_MAIN
