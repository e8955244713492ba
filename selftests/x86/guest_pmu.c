// SPDX-License-Identifier: GPL-2.0-only
/*
 * From Linux 6.19 on perf core lends x86's PMU to KVM guests with a mediated vPMU.  Members with
 * exclude_guest are off meanwhile, and lose nothing else.  The module test_modules/kernel_api/testguest
 * calls what KVM calls.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_module.h"
#include "kselftest_harness.h"
#include "tool_run.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define GUEST_FILE	"/sys/kernel/debug/pmcgrp_testguest"
#define CHANGES	10000
#define ITERATIONS	1000
/* What perf core does of a change while the members are on, in instructions. */
#define CHANGE_MOST	8000

FIXTURE(guest_pmu)
{
	int dev;
	int guest;
	unsigned int nr;
	struct perf_event_attr attr[2];
	long watchdog;
};

FIXTURE_SETUP(guest_pmu)
{
	int err;

	self->guest = -1;
	if (!have_cycles() || !have_instructions() || !deterministic())
		SKIP(return, "needs a hardware PMU and a deterministic guest");
	err = module_load_file("/lib/pmcgrp_testguest.ko", "");
	if (err == -ENOENT)
		SKIP(return, "this kernel lends no PMU to guests");
	ASSERT_EQ(0, err);
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->guest = open(GUEST_FILE, O_WRONLY | O_CLOEXEC);
	ASSERT_GE(self->guest, 0);
	/* Its event does not leave guests out. */
	self->watchdog = file_number(WATCHDOG, "");
	ASSERT_TRUE(write_number(WATCHDOG, 0));
	ASSERT_TRUE(run_on(0));
	self->nr = 2;
	self->attr[0] = instructions_copy(0);
	self->attr[1] = cycles_copy(0);
	self->attr[0].exclude_guest = self->attr[1].exclude_guest = 1;
}

FIXTURE_TEARDOWN(guest_pmu)
{
	if (self->guest < 0)
		return;
	close(self->guest);
	close(self->dev);
	EXPECT_TRUE(write_number(WATCHDOG, self->watchdog));
	EXPECT_EQ(0, module_unload_name("pmcgrp_testguest"));
}

static int guest_do(int fd, const char *line)
{
	return write(fd, line, strlen(line)) < 0 ? -errno : 0;
}

static int guest_runs(int fd, unsigned int times, unsigned int iterations)
{
	char line[64];

	snprintf(line, sizeof(line), "run %u %u", times, iterations);
	return guest_do(fd, line);
}

static int group_on(int dev, uint32_t type, unsigned int nr, const struct perf_event_attr *attr,
		    uint64_t flags)
{
	struct ask ask = { .target_type = type, .nr = nr, .attr = attr, .flags = flags };

	return ask_group(dev, &ask);
}

/* Groups with and without exclude_guest, before and beside such a guest. */
TEST_F(guest_pmu, who_may_be_beside_a_guest)
{
	struct perf_event_attr all[2] = { self->attr[0], self->attr[1] };
	struct ask ask = { .nr = 2, .attr = all };
	int fd;

	all[0].exclude_guest = all[1].exclude_guest = 0;
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EBUSY, guest_do(self->guest, "create"));
	close(fd);
	sleep(2);	/* events are kept for a second */
	fd = group_of(self->dev, self->nr, self->attr, 0);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, guest_do(self->guest, "create"));
	EXPECT_EQ(-EOPNOTSUPP, ask_group(self->dev, &ask));
	EXPECT_EQ(PMCGRP_WHY_EXCLUDE_GUEST, ask.create.why);
	EXPECT_EQ(0, ask.create.fail_member);
	EXPECT_EQ(0, guest_do(self->guest, "release"));
	close(fd);
}

/* The guest's work is in no count, and its time not in time_running. */
static void one_target(struct __test_metadata *_metadata, int dev, int guest, uint32_t type,
		       unsigned int nr, const struct perf_event_attr *attr, uint64_t flags)
{
	struct group_values v, w;
	uint64_t enabled, running, instructions;
	int fd = group_on(dev, type, nr, attr, flags);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, guest_do(guest, "create"));
	ASSERT_TRUE(group_values(fd, nr, &v));
	ASSERT_EQ(0, guest_runs(guest, CHANGES, ITERATIONS));
	ASSERT_TRUE(group_values(fd, nr, &w));
	enabled = w.enabled - v.enabled;
	running = w.running - v.running;
	instructions = w.m[0].value - v.m[0].value;
	TH_LOG("target %u, flags %#llx: on for %llu of %llu us, %llu instructions a change", type,
	       (unsigned long long)flags, (unsigned long long)running / 1000,
	       (unsigned long long)enabled / 1000, (unsigned long long)instructions / CHANGES);
	/* An iteration is two instructions or more. */
	EXPECT_LT(instructions, (uint64_t)CHANGES * CHANGE_MOST);
	EXPECT_GT(instructions, 0);
	EXPECT_LT(running, enabled - CHANGES * ITERATIONS * 2ULL);
	EXPECT_EQ(0, guest_do(guest, "release"));
	/* And on from now on. */
	ASSERT_TRUE(group_values(fd, nr, &v));
	loop(100000);
	ASSERT_TRUE(group_values(fd, nr, &w));
	EXPECT_EQ(w.enabled - v.enabled, w.running - v.running);
	EXPECT_GT(w.m[0].value, v.m[0].value);
	close(fd);
}

TEST_F_TIMEOUT(guest_pmu, guest_is_not_counted, 120)
{
	static const struct {
		uint32_t type;
		uint64_t flags;
	} rows[] = {
		{ PMCGRP_TARGET_TASK, 0 },
		{ PMCGRP_TARGET_PROCESS, 0 },
		{ PMCGRP_TARGET_CPU, 0 },
		{ PMCGRP_TARGET_CPU, PMCGRP_CREATE_PINNED },
		{ PMCGRP_TARGET_ALL_CPUS, 0 },
		{ PMCGRP_TARGET_TASK, PMCGRP_CREATE_BACKGROUND },
	};
	unsigned int i;

	for (i = 0; i < COUNT(rows); i++)
		one_target(_metadata, self->dev, self->guest, rows[i].type, self->nr, self->attr,
			   rows[i].flags);
}

/* User mode's instructions are all outside of the guest: a group has the same as perf. */
TEST_F_TIMEOUT(guest_pmu, nothing_is_lost, 120)
{
	struct perf_event_attr attr = self->attr[0];
	uint64_t before[2], after[2];
	struct group_values v, w;
	int fd, perf;
	unsigned int i;

	attr.exclude_kernel = 1;
	fd = group_of(self->dev, 1, &attr, 0);
	ASSERT_GE(fd, 0);
	perf = perf_open(&attr, 0, -1, -1);
	ASSERT_GE(perf, 0);
	ASSERT_EQ(0, guest_do(self->guest, "create"));
	ASSERT_TRUE(group_values(fd, 1, &v));
	ASSERT_EQ(sizeof(before[0]), read(perf, before, sizeof(before[0])));
	for (i = 0; i < CHANGES; i++) {
		ASSERT_EQ(0, guest_do(self->guest, "run 1 10"));
		loop(10);
	}
	ASSERT_TRUE(group_values(fd, 1, &w));
	ASSERT_EQ(sizeof(after[0]), read(perf, after, sizeof(after[0])));
	TH_LOG("pmcgrp %llu, perf %llu instructions",
	       (unsigned long long)(w.m[0].value - v.m[0].value),
	       (unsigned long long)(after[0] - before[0]));
	/* Between the reads of both: the calls themselves. */
	EXPECT_LE(difference(w.m[0].value - v.m[0].value, after[0] - before[0]), 200);
	EXPECT_EQ(0, guest_do(self->guest, "release"));
	close(perf);
	close(fd);
}

/* Software members run on. */
TEST_F(guest_pmu, software_runs_on)
{
	struct perf_event_attr attr[2] = { sw(PERF_COUNT_SW_TASK_CLOCK), sw(PERF_COUNT_SW_PAGE_FAULTS) };
	struct group_values v;
	int fd = group_of(self->dev, 2, attr, 0);

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, guest_do(self->guest, "create"));
	ASSERT_EQ(0, guest_runs(self->guest, 100, ITERATIONS));
	ASSERT_TRUE(group_values(fd, 2, &v));
	EXPECT_EQ(v.enabled, v.running);
	EXPECT_EQ(0, guest_do(self->guest, "release"));
	close(fd);
}

TEST_F(guest_pmu, tool_leaves_guests_out)
{
	ASSERT_EQ(0, guest_do(self->guest, "create"));
	tool("pmcgrp stat -a -x, -e instructions -- true");
	EXPECT_EQ(0, run.status);
	EXPECT_TRUE(says_words("leave KVM guests out (:H)"));
	EXPECT_TRUE(says(",instructions")) {
		TH_LOG("%s", run.text);
	}
	EXPECT_FALSE(says("<not"));
	EXPECT_EQ(0, guest_do(self->guest, "release"));
}

TEST_HARNESS_MAIN
