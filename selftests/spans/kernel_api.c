// SPDX-License-Identifier: GPL-2.0-only
/*
 * The API for kernel modules: groups read in every context, and sections around known work, by
 * the modules of test_modules/kernel_api, which are built against pmcgrp's header and symbol
 * versions.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_module.h"
#include "pmcgrp_sections.h"
#include "pmcgrp_testpmu.h"
#include "kselftest_harness.h"

#include "bench/accesses.h"

#define CONTEXTS	5
#define ITERATIONS	100

static const char *const contexts[CONTEXTS] = { "task", "irqsoff", "hardirq", "softirq",
					       "overflow" };

static uint64_t in_buckets(const struct pmcgrp_section_stat *stat)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < PMCGRP_SECTION_BUCKETS; i++)
		sum += stat->bucket[i];
	return sum;
}

FIXTURE(kernel_api)
{
	int dev;
	const char *events;	/* instructions first, or what comes nearest here */
	bool hardware;
	bool instructions;
};

FIXTURE_SETUP(kernel_api)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	ASSERT_EQ(0, testapi_load());
	ASSERT_TRUE(stay_on(0));
	self->hardware = have_cycles();
	self->instructions = have_instructions();
	self->events = self->instructions ? "0:1,0:0" : self->hardware ? "0:0,1:0" : "1:0,1:3";
}

FIXTURE_TEARDOWN(kernel_api)
{
	EXPECT_EQ(0, testapi_unload());
	close(self->dev);
}

/* A group of this CPU, of all, or of this task, read where it counts, in every context. */
TEST_F(kernel_api, read_in_every_context)
{
	static const char *const targets[] = { "0", "all", "task" };
	uint64_t before[4], after[4], sum[4];
	unsigned int t, c;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		ASSERT_EQ(0, api("group %s %s", targets[t], self->events));
		for (c = 0; c < CONTEXTS; c++) {
			/*
			 * What interrupts this task is counted with it.  It sleeps while others
			 * run: a softirq, or an overflow, may come then.
			 */
			if ((t == 2 && c >= 3) || (c == 4 && !self->hardware))
				continue;
			ASSERT_EQ(0, api("local %s", contexts[c])) {
				TH_LOG("%s in %s", targets[t], contexts[c]);
			}
			ASSERT_EQ(4, answer(before, 4));
			spin_ns(NSEC_PER_MSEC);
			ASSERT_EQ(0, api("local %s", contexts[c]));
			ASSERT_EQ(4, answer(after, 4));
			EXPECT_GT(after[0], before[0]);
			EXPECT_GT(after[2], before[2]);
			EXPECT_EQ(after[2] - before[2], after[3] - before[3]);
		}
		ASSERT_EQ(0, api("sum"));
		ASSERT_EQ(4, answer(sum, 4));
		EXPECT_GE(sum[0], after[0]);
		ASSERT_EQ(0, api("disable"));
		EXPECT_EQ(-ENODATA, api("local task"));
		ASSERT_EQ(0, api("enable"));
		ASSERT_EQ(0, api("end"));
	}
}

/* Sections around a loop: each counts the same, and one more iteration counts as much more. */
TEST_F(kernel_api, sections_are_exact)
{
	uint64_t most[2], constant;
	struct section section;
	unsigned int times = deterministic() ? 100000 : 1000, i;

	if (!self->instructions)
		SKIP(return, "instructions need a hardware PMU that counts them");
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, api("group all %s", self->events));
		ASSERT_EQ(0, api("section"));
		ASSERT_EQ(0, api("loop irqsoff %u %u", times, ITERATIONS << i));
		ASSERT_TRUE(find_section(self->dev, "outer", &section));
		ASSERT_EQ(0, api("end"));
		EXPECT_EQ(times, section.info.count);
		EXPECT_EQ(0, missed(&section));
		EXPECT_EQ(2, section.info.nr_members);
		EXPECT_EQ(PERF_COUNT_HW_INSTRUCTIONS, section.stat[1].config);
		EXPECT_EQ(times, in_buckets(&section.stat[1]));
		if (deterministic()) {
			EXPECT_EQ(section.stat[1].min, section.stat[1].max);
			EXPECT_EQ(times * section.stat[1].min, section.stat[1].sum);
		}
		most[i] = section.stat[1].min;
	}
	/* the loop is of whole instructions for an iteration, or for two */
	EXPECT_EQ(0, (most[1] - most[0]) % (ITERATIONS / 2));
	constant = most[0] - (most[1] - most[0]);
	TH_LOG("%llu instructions an iteration, %llu of the section itself",
	       (unsigned long long)(most[1] - most[0]) / ITERATIONS, (unsigned long long)constant);
	EXPECT_LT(constant, slow_kernel() ? 4000 : 400);
}

/* The same in every context, with preemption and interrupts where they are possible. */
TEST_F(kernel_api, sections_in_every_context)
{
	struct section section;
	uint64_t count = 0;
	unsigned int c;

	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	for (c = 0; c < CONTEXTS - !self->hardware; c++) {
		ASSERT_EQ(0, api("loop %s 1000 10", contexts[c]));
		ASSERT_TRUE(find_section(self->dev, "outer", &section));
		EXPECT_EQ(count + 1000, section.info.count + missed(&section));
		/* only preemption may have come in between */
		EXPECT_EQ(missed(&section), section.info.missed[PMCGRP_MISSED_MOVED]);
		count += 1000;
	}
	EXPECT_GT(section.info.count, count - 100);
}

TEST_F(kernel_api, sections_nest)
{
	struct section outer, inner;

	ASSERT_EQ(0, api("group task %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_EQ(0, api("nested 100 10"));
	ASSERT_TRUE(find_section(self->dev, "outer", &outer));
	ASSERT_TRUE(find_section(self->dev, "inner", &inner));
	EXPECT_EQ(100, outer.info.count);
	EXPECT_EQ(1000, inner.info.count);
	EXPECT_EQ(0, missed(&outer) + missed(&inner));
	if (self->hardware)
		EXPECT_GT(outer.stat[1].sum, inner.stat[1].sum);
}

/* A task that sleeps in a section: what runs meanwhile is never counted as the section's. */
TEST_F(kernel_api, switches_are_never_counted_wrong)
{
	struct section section;

	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_EQ(0, api("switched 100"));
	ASSERT_TRUE(find_section(self->dev, "outer", &section));
	/* on a slow machine the time may be over before the task is out */
	EXPECT_EQ(100, section.info.count + section.info.missed[PMCGRP_MISSED_MOVED]);
	if (deterministic())
		EXPECT_EQ(0, section.info.count);
	ASSERT_EQ(0, api("end"));

	ASSERT_EQ(0, api("group task %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_EQ(0, api("switched 100"));
	ASSERT_TRUE(find_section(self->dev, "outer", &section));
	EXPECT_EQ(100, section.info.count);
	/* its own way through the scheduler, not what ran for 100 us */
	if (self->instructions && deterministic())
		EXPECT_LT(section.stat[1].max, 50000);
}

TEST_F(kernel_api, an_end_elsewhere_is_missed)
{
	struct section section;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_EQ(0, api("moved 100"));
	ASSERT_TRUE(find_section(self->dev, "outer", &section));
	EXPECT_EQ(0, section.info.count);
	EXPECT_EQ(100, section.info.missed[PMCGRP_MISSED_MOVED]);
}

TEST_F(kernel_api, a_disabled_group_misses)
{
	struct section section;

	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_EQ(0, api("disable"));
	ASSERT_EQ(0, api("loop task 100 10"));
	ASSERT_TRUE(find_section(self->dev, "outer", &section));
	EXPECT_EQ(0, section.info.count);
	EXPECT_EQ(100, section.info.missed[PMCGRP_MISSED_OFF]);
	EXPECT_EQ(0, section.stat[1].min);
}

/* The cost of a section, beside perf_event_read_local() of the same members at both ends. */
TEST_F(kernel_api, cost)
{
	/* two, and four that either processor has */
	static const char *const members[] = { "0:1,0:0", "0:1,0:0,0:4,0:5", "0:1,0:0,4:8,4:11" };
	uint64_t section, local, perf = 0;
	uint32_t reads, reads_perf = 0;
	unsigned int i, nr = 2;

	if (!self->instructions || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	accesses_open(NULL);
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		if (i == 2 && nr == 4)
			break;
		if (api("group all %s", members[i]))
			continue;
		nr = i ? 4 : 2;
		ASSERT_EQ(0, api("section"));
		reads = accesses_known ? accesses_now().reads : 0;
		ASSERT_EQ(0, api("cost section 1000"));
		reads = accesses_known ? accesses_now().reads - reads : 0;
		ASSERT_EQ(1, answer(&section, 1));
		ASSERT_EQ(0, api("cost local 1000"));
		ASSERT_EQ(1, answer(&local, 1));
		/* of two members: for more there may be no counters beside the group's */
		if (!i) {
			reads_perf = accesses_known ? accesses_now().reads : 0;
			if (!api("cost perf 1000"))
				ASSERT_EQ(1, answer(&perf, 1));
			reads_perf = accesses_known ? accesses_now().reads - reads_perf : 0;
		}
		ASSERT_EQ(0, api("end"));
		TH_LOG("%s: a section %llu instructions, a reading %llu, perf's at both ends %llu",
		       members[i], (unsigned long long)section / 1000,
		       (unsigned long long)local / 1000,
		       (unsigned long long)nr / 2 * perf / 1000);
		if (accesses_known)
			TH_LOG("%s: reads of the PMU's registers: %.2f, perf's %.2f", members[i],
			       reads / 1e3, nr / 2 * reads_perf / 1e3);
		/* at most half of it for four members, and no register that perf does not read */
		if (nr == 4 && perf)
			EXPECT_LE(2 * section, 2 * perf);
		if (accesses_known && perf)
			EXPECT_LE(reads, nr / 2 * reads_perf);
	}
	EXPECT_EQ(4, nr);
}

/* pmcgrp stays while a module uses it, and a group without a reading costs no CPU anything. */
TEST_F(kernel_api, users_keep_the_module)
{
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
}

TEST_F(kernel_api, bad_arguments)
{
	struct pmcgrp_section_info info = { .size = sizeof(info), .flags = 1 };
	struct pmcgrp_section_stat stat;

	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_EQ(EINVAL, errno);
	info = (struct pmcgrp_section_info){ .size = 8 };
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_EQ(EINVAL, errno);
	/* entries of no size that there has been, or of any */
	info = (struct pmcgrp_section_info){ .size = sizeof(info) };
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_EQ(EINVAL, errno);
	info.stat_size = PMCGRP_SECTION_STAT_SIZE_VER0 - 1;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_EQ(EINVAL, errno);
	info.stat_size = 65537;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_EQ(E2BIG, errno);
	info.stat_size = sizeof(stat);
	info.__reserved = 1;
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_EQ(EINVAL, errno);
	info = (struct pmcgrp_section_info){ .size = sizeof(info), .stat_size = sizeof(stat) };
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, NULL));
	EXPECT_EQ(EFAULT, errno);

	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	/* room for the time only, then none at all */
	info = (struct pmcgrp_section_info){
		.size = sizeof(info), .stats = (uintptr_t)&stat, .nr_stats = 1,
		.stat_size = sizeof(stat),
	};
	EXPECT_EQ(0, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_STREQ("outer", info.name);
	info = (struct pmcgrp_section_info){
		.size = sizeof(info), .nr_stats = 1, .stat_size = sizeof(stat),
	};
	EXPECT_EQ(-1, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_EQ(EFAULT, errno);
	/* events that no PMU knows, and fields that members have not */
	ASSERT_EQ(0, api("end"));
	EXPECT_EQ(-ENOENT, api("group all 12345:0"));
	EXPECT_EQ(-EOPNOTSUPP, api("group all 5:0"));
}

/* A caller that knows longer entries than the kernel: the stride is its own, the rest zero. */
TEST_F(kernel_api, longer_entries)
{
	static struct {
		struct pmcgrp_section_stat known;
		__u64 newer;
	} stat[2];
	struct pmcgrp_section_info info = {
		.size = sizeof(info), .stats = (uintptr_t)stat, .nr_stats = 2,
		.stat_size = sizeof(stat[0]),
	};

	memset(stat, 0xff, sizeof(stat));
	ASSERT_EQ(0, api("group all %s", self->events));
	ASSERT_EQ(0, api("section"));
	ASSERT_EQ(0, ioctl(self->dev, PMCGRP_IOC_SECTION_NEXT, &info));
	EXPECT_EQ(0, stat[0].newer);
	EXPECT_EQ(0, stat[1].newer);
	EXPECT_NE(~0ULL, stat[1].known.sum);
	EXPECT_NE(~0ULL, stat[1].known.bucket[PMCGRP_SECTION_BUCKETS - 1]);
}

/* The example: critical sections of a lock, and a softirq. */
TEST_F(kernel_api, the_sample_module)
{
	struct section lock, softirq;

	if (!self->instructions)
		SKIP(return, "its events need a hardware PMU that counts instructions");
	ASSERT_EQ(0, module_load_file("/lib/pmcgrp_sample.ko", ""));
	sleep_ns(200 * NSEC_PER_MSEC);
	ASSERT_TRUE(find_section(self->dev, "sample_lock", &lock));
	ASSERT_TRUE(find_section(self->dev, "sample_softirq", &softirq));
	EXPECT_EQ(0, module_unload_name("pmcgrp_sample"));
	TH_LOG("lock: %llu sections, %llu missed, %llu to %llu instructions",
	       (unsigned long long)lock.info.count, (unsigned long long)missed(&lock),
	       (unsigned long long)lock.stat[2].min, (unsigned long long)lock.stat[2].max);
	TH_LOG("softirq: %llu sections, %llu missed, %llu to %llu instructions",
	       (unsigned long long)softirq.info.count, (unsigned long long)missed(&softirq),
	       (unsigned long long)softirq.stat[2].min, (unsigned long long)softirq.stat[2].max);
	EXPECT_GT(lock.info.count, 10);
	EXPECT_GT(softirq.info.count, 10);
	/* what sanitizers add is of the lock more than of the softirq */
	if (!slow_kernel())
		EXPECT_GT(softirq.stat[2].min, lock.stat[2].min);
	EXPECT_FALSE(find_section(self->dev, "sample_lock", &lock));
}

TEST_HARNESS_MAIN
