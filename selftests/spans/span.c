// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans: what happens between the call of a kernel function and its return, of the functions of
 * test_modules/kernel_api/calls.c and of others.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_ring.h"
#include "pmcgrp_span_kernel.h"
#include <pthread.h>

#include "bench/accesses.h"

#define RECURSE		"pmcgrp_testapi_recurse"
#define SLEEP		"pmcgrp_testapi_sleep"
#define NEVER		"pmcgrp_testapi_never"
#define BLACKLIST	"/sys/kernel/debug/kprobes/blacklist"

static uint64_t in_buckets(const struct pmcgrp_section_stat *stat)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < PMCGRP_SECTION_BUCKETS; i++)
		sum += stat->bucket[i];
	return sum;
}

/* Each call of known work counts the same, and one more iteration counts as much more. */
TEST_F_TIMEOUT(span, counts_are_exact, 300)
{
	unsigned int times = deterministic() ? 100000 : 1000, i, t;
	struct section *section = &self->section;
	uint64_t least[2];
	int group;

	if (!self->instructions)
		SKIP(return, "instructions need a hardware PMU that counts them");
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		for (i = 0; i < 2; i++) {
			group = group_like(self->dev, targets[t], self->attr);
			ASSERT_GE(group, 0);
			ASSERT_EQ(0, span_of(group, WORK));
			ASSERT_EQ(0, api("call irqsoff %u %u", times, 100 << i));
			ASSERT_TRUE(find_span(self->dev, group, WORK, section));
			close(group);
			EXPECT_EQ(times, section->info.count) {
				TH_LOG("a group of %s", targets[t]);
			}
			EXPECT_EQ(0, missed(section));
			EXPECT_EQ(0, section->info.in_flight);
			EXPECT_EQ(PMCGRP_SECTION_FUNCTION, section->info.kind);
			EXPECT_EQ(2, section->info.nr_members);
			EXPECT_EQ(times, in_buckets(&section->stat[0]));
			EXPECT_EQ(times, in_buckets(&section->stat[1]));
			if (deterministic()) {
				EXPECT_EQ(section->stat[1].min, section->stat[1].max);
				EXPECT_EQ(times * section->stat[1].min, section->stat[1].sum);
			}
			least[i] = section->stat[1].min;
		}
		/* the loop is of whole instructions for an iteration, or for two */
		EXPECT_EQ(0, (least[1] - least[0]) % 50);
		TH_LOG("of %s: %llu instructions an iteration, %llu of the span itself", targets[t],
		       (unsigned long long)(least[1] - least[0]) / 100,
		       (unsigned long long)(2 * least[0] - least[1]));
	}
}

/* Calls of other tasks are neither counted nor missed by groups of tasks. */
TEST_F(span, calls_of_others_do_not_concern_a_task)
{
	static const bool concerns[] = { false, false, true, true };
	unsigned int t;
	int group, status;
	pid_t pid;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, targets[t], self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_of(group, WORK));
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			_exit(api("call irqsoff 100 10") ? 1 : 0);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
		EXPECT_EQ(concerns[t] ? 100 : 0, self->section.info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(0, missed(&self->section));
		close(group);
	}
}

/* With CPUs the one where the call begins counts. */
TEST_F(span, calls_elsewhere_do_not_concern_a_cpu)
{
	int group;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	group = group_like(self->dev, "cpu", self->attr);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_of(group, WORK));
	ASSERT_TRUE(stay_on(1));
	ASSERT_EQ(0, api("call irqsoff 100 10"));
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	EXPECT_EQ(0, self->section.info.count + missed(&self->section));
	ASSERT_TRUE(stay_on(0));
	ASSERT_EQ(0, api("call irqsoff 100 10"));
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	EXPECT_EQ(100, self->section.info.count);
	close(group);
}

/* A call within a call is counted as well, and what it counts is in both. */
TEST_F(span, recursion)
{
	struct section *section = &self->section;
	int group = group_like(self->dev, "task", self->attr);

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_of(group, RECURSE));
	ASSERT_EQ(0, api("recurse 10 20"));
	ASSERT_TRUE(find_span(self->dev, group, RECURSE, section));
	EXPECT_EQ(200, section->info.count);
	EXPECT_EQ(0, missed(section));
	EXPECT_EQ(0, section->info.in_flight);
	if (self->instructions)
		EXPECT_LE(19 * section->stat[1].min, section->stat[1].max);
	close(group);
}

/* There is room for so many; the calls beyond that are missed, and counted as such. */
TEST_F(span, the_limit)
{
	struct section *section = &self->section;
	struct pmcgrp_span_add add;
	int group = group_like(self->dev, "task", self->attr);

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_ask(group, RECURSE, NULL, 5, &add));
	EXPECT_LE(6, add.max_active);
	ASSERT_GE(500, add.max_active);
	ASSERT_EQ(0, api("recurse 3 %u", add.max_active + 7));
	ASSERT_TRUE(find_span(self->dev, group, RECURSE, section));
	EXPECT_EQ(3 * add.max_active, section->info.count);
	EXPECT_EQ(3 * 7, section->info.missed[PMCGRP_MISSED_LIMIT]);
	EXPECT_EQ(3 * 7, missed(section));
	EXPECT_EQ(0, section->info.in_flight);
	close(group);
}

/* It is in flight for good, also when its task has gone; others go on. */
TEST_F(span, a_call_that_never_returns)
{
	int group = group_like(self->dev, "all", self->attr), i;

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_of(group, NEVER));
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(0, api("never"));
		ASSERT_TRUE(find_span(self->dev, group, NEVER, &self->section));
		EXPECT_EQ(0, self->section.info.count + missed(&self->section));
		EXPECT_EQ(i, self->section.info.in_flight);
	}
	close(group);
}

/* Calls that sleep: without what runs meanwhile. */
TEST_F(span, calls_that_sleep)
{
	struct section *section = &self->section;
	unsigned int t;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, targets[t], self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_of(group, SLEEP));
		ASSERT_EQ(0, api("sleep 5 20"));
		ASSERT_TRUE(find_span(self->dev, group, SLEEP, section));
		EXPECT_EQ(5, section->info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(0, missed(section));
		/* On a busy host the kernel's clocks are not at one. */
		if (deterministic())
			EXPECT_LE(20 * NSEC_PER_MSEC, section->stat[0].min);
		/* its own way through the scheduler, not what ran for 20 ms */
		if (self->instructions && deterministic())
			EXPECT_LT(section->stat[1].max, 100000);
		close(group);
	}
}

static void *sleep_in_call(void *ms)
{
	/* where this thread runs its group's owner does not */
	return (void *)(intptr_t)api("sleep 1 %u", (unsigned int)(uintptr_t)ms);
}

/* The group's own thread sleeps in a call of SLEEP; waits until it does. */
static bool sleeper(pthread_t *thread, unsigned int ms)
{
	if (pthread_create(thread, NULL, sleep_in_call, (void *)(uintptr_t)ms))
		return false;
	sleep_ns(50 * NSEC_PER_MSEC);
	return true;
}

static bool slept(pthread_t thread)
{
	void *ret;

	return !pthread_join(thread, &ret) && !ret;
}

/* A group that goes while a call sleeps: that returns to where it came from. */
TEST_F(span, the_end_of_a_group_during_a_call)
{
	pthread_t thread;
	unsigned int t;
	int group;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, targets[t], self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_of(group, SLEEP));
		ASSERT_TRUE(sleeper(&thread, 300));
		ASSERT_TRUE(find_span(self->dev, group, SLEEP, &self->section));
		EXPECT_EQ(t ? 1 : 0, self->section.info.in_flight);
		close(group);
		EXPECT_FALSE(find_section(self->dev, SLEEP, &self->section));
		EXPECT_TRUE(slept(thread));
	}
}

/* Other than the running task: whose group is disabled and enabled in the middle of a call. */
TEST_F(span, a_stop_in_a_call)
{
	static const char *const how[] = { "nothing", "disable", "shared" };
	int group, other, go[2], status;
	unsigned int i;
	pid_t pid;
	char c;

	for (i = 0; i < ARRAY_SIZE(how); i++) {
		ASSERT_EQ(0, pipe(go));
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid)
			_exit(read(go[0], &c, 1) != 1 || api("sleep 1 300"));
		group = group_of_task(self->dev, pid, 2, self->attr, 0);
		other = group_of_task(self->dev, pid, 2, self->attr, 0);
		ASSERT_GE(group, 0);
		ASSERT_GE(other, 0);
		if (i == 1)
			close(other); /* then nothing counts meanwhile */
		ASSERT_EQ(0, span_of(group, SLEEP));
		ASSERT_EQ(1, write(go[1], "x", 1));
		sleep_ns(100 * NSEC_PER_MSEC);
		ASSERT_TRUE(find_span(self->dev, group, SLEEP, &self->section));
		EXPECT_EQ(1, self->section.info.in_flight);
		if (i) {
			ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
			ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_ENABLE, 0));
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		ASSERT_TRUE(find_span(self->dev, group, SLEEP, &self->section));
		EXPECT_EQ(!i, self->section.info.count) {
			TH_LOG("%s", how[i]);
		}
		EXPECT_EQ(!!i, self->section.info.missed[PMCGRP_MISSED_OFF]);
		close(group);
		if (i != 1)
			close(other);
		close(go[0]);
		close(go[1]);
	}
}

/* While the group is disabled no call concerns it; also if another group has the list count. */
TEST_F(span, a_disabled_group)
{
	unsigned int t;
	int group, other;

	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, targets[t], self->attr);
		other = group_like(self->dev, targets[t], self->attr);
		ASSERT_GE(group, 0);
		ASSERT_GE(other, 0);
		ASSERT_EQ(0, span_of(group, WORK));
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_DISABLE, 0));
		ASSERT_EQ(0, api("call irqsoff 10 10"));
		ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
		EXPECT_EQ(0, self->section.info.count + missed(&self->section)) {
			TH_LOG("a group of %s", targets[t]);
		}
		ASSERT_EQ(0, ioctl(group, PERF_EVENT_IOC_ENABLE, 0));
		ASSERT_EQ(0, api("call irqsoff 10 10"));
		ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
		EXPECT_EQ(10, self->section.info.count);
		close(group);
		close(other);
	}
}

/* Interrupts, and on x86 NMIs: each call is counted or missed. */
TEST_F(span, every_context)
{
	static const char *const contexts[] = { "task", "irqsoff", "hardirq", "softirq",
						"overflow" };
	struct section *section = &self->section;
	unsigned int i;
	int group;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		if (i == 4 && !self->instructions)
			continue;
		group = group_like(self->dev, "all", self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_of(group, WORK));
		ASSERT_EQ(0, api("call %s 100 10", contexts[i]));
		ASSERT_TRUE(find_span(self->dev, group, WORK, section));
		close(group);
		EXPECT_EQ(100, section->info.count + missed(section)) {
			TH_LOG("%s: %llu counted, %llu missed", contexts[i],
			       (unsigned long long)section->info.count,
			       (unsigned long long)missed(section));
		}
		/* a task can be preempted, an NMI come amid a change of the counters */
		if (i > 0 && i < 4)
			EXPECT_EQ(100, section->info.count);
	}
}

/* The CPU where a call sleeps goes offline, and comes back. */
TEST_F_TIMEOUT(span, a_cpu_that_goes_offline, 120)
{
	pthread_t thread;
	unsigned int t;
	int group;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	for (t = 0; t < ARRAY_SIZE(targets); t++) {
		group = group_like(self->dev, targets[t], self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_of(group, SLEEP));
		/* the thread begins where it can stay for a while only */
		ASSERT_TRUE(stay_on(1));
		ASSERT_TRUE(sleeper(&thread, 500));
		ASSERT_TRUE(stay_on(0));
		ASSERT_TRUE(set_online(1, false));
		EXPECT_TRUE(slept(thread));
		ASSERT_TRUE(set_online(1, true));
		ASSERT_TRUE(find_span(self->dev, group, SLEEP, &self->section));
		/* a group of one task does not have the other thread, that of CPU 0 not its CPU */
		EXPECT_EQ(t == 1 || t == 3 ? 1 : 0, self->section.info.count) {
			TH_LOG("a group of %s", targets[t]);
		}
		EXPECT_EQ(0, missed(&self->section));
		EXPECT_EQ(0, self->section.info.in_flight);
		close(group);
	}
}

/* Functions that the handlers use, or that run where sets change hands: no harm is done. */
TEST_F_TIMEOUT(span, functions_in_the_way, 300)
{
	static const char *const names[] = {
		"schedule", "pmcgrp_section_begin", "pmcgrp_section_end", "perf_event_task_tick",
		"pmcgrp_sched_in", "pmcgrp_sched_out", "pmcgrp_counters_read", "try_to_wake_up",
		"ktime_get", "sched_clock", "local_clock", "hrtimer_interrupt", "vfs_read",
		"vfs_write", "rcu_note_context_switch", "perf_event_update_userpage",
		"finish_task_switch",
	};
	unsigned int i, nr = 0;
	int group[2];
	uint64_t all = 0;

	group[0] = group_like(self->dev, "all", self->attr);
	group[1] = group_like(self->dev, "process", self->attr);
	ASSERT_GE(group[0], 0);
	ASSERT_GE(group[1], 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		nr += !span_of(group[0], names[i]);
		nr += !span_of(group[1], names[i]);
	}
	EXPECT_LE(10, nr);
	ASSERT_EQ(0, span_of(group[0], WORK));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, api("call task 10 10"));
		sleep_ns(NSEC_PER_MSEC);
	}
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (find_span(self->dev, group[0], names[i], &self->section)) {
			all += self->section.info.count;
			TH_LOG("%s: %llu counted, %llu missed", names[i],
			       (unsigned long long)self->section.info.count,
			       (unsigned long long)missed(&self->section));
		}
	EXPECT_LT(0, all);
	ASSERT_TRUE(find_span(self->dev, group[0], WORK, &self->section));
	EXPECT_EQ(200, self->section.info.count + missed(&self->section));
	close(group[0]);
	close(group[1]);
}

/* The first function that the kernel says it lets nobody probe. */
static bool blacklisted(char *name)
{
	FILE *file = fopen(BLACKLIST, "re");
	bool found = file && fscanf(file, "%*s %63s", name) == 1;

	if (file)
		fclose(file);
	return found;
}

TEST_F(span, names_that_are_refused)
{
	int group = group_like(self->dev, "task", self->attr);
	struct pmcgrp_span_add add;
	char name[PMCGRP_SPAN_POINT_MAX + 2];

	ASSERT_GE(group, 0);
	EXPECT_EQ(-ENOENT, span_ask(group, "pmcgrp_no_such_function", NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_UNKNOWN, add.why);
	EXPECT_EQ(0, add.id);
	/* a variable */
	EXPECT_GT(0, span_ask(group, "jiffies", NULL, 0, &add));
	if (blacklisted(name)) {
		EXPECT_EQ(-EINVAL, span_ask(group, name, NULL, 0, &add)) {
			TH_LOG("%s", name);
		}
		EXPECT_EQ(PMCGRP_WHY_SPAN_REFUSED, add.why);
	}
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	EXPECT_EQ(-EINVAL, span_ask(group, name, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EINVAL, span_ask(group, "", NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EINVAL, span_ask(group, WORK, "", 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EFAULT, span_ask(group, NULL, NULL, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_NAME, add.why);
	EXPECT_EQ(-EFAULT, span_ask(group, WORK, (void *)1, 0, &add));
	/* none of them is there */
	EXPECT_FALSE(find_section(self->dev, WORK, &self->section));
	/* a name of its own, cut, and a function of a module by the module's name */
	memset(name, 'y', 100);
	name[100] = '\0';
	ASSERT_EQ(0, span_ask(group, "pmcgrp_testapi:" WORK, name, 0, &add));
	EXPECT_NE(0, add.id);
	name[PMCGRP_SECTION_NAME_MAX - 1] = '\0';
	EXPECT_TRUE(find_span(self->dev, group, name, &self->section));
	EXPECT_EQ(add.id, self->section.info.id);
	close(group);
}

static int ask_raw(int group, struct pmcgrp_span_add *add)
{
	return ioctl(group, PMCGRP_IOC_SPAN, add) ? -errno : 0;
}

TEST_F(span, bad_arguments)
{
	const struct pmcgrp_span_add good = {
		.size = sizeof(good), .kind = PMCGRP_SECTION_FUNCTION, .begin = (uintptr_t)WORK,
	};
	struct pmcgrp_span_add add = good;
	struct perf_event_attr many[9];
	struct ask ask = { .nr = 9, .attr = many };
	int group = group_like(self->dev, "task", self->attr), i;

	ASSERT_GE(group, 0);
	EXPECT_EQ(-ENOTTY, ask_raw(self->dev, &add));
	EXPECT_EQ(-EFAULT, ask_raw(group, NULL));
	add.size = 8;
	EXPECT_EQ(-EINVAL, ask_raw(group, &add));
	add.size = 100000;
	EXPECT_EQ(-E2BIG, ask_raw(group, &add));
	add = good;
	add.flags = PMCGRP_SPAN_HISTOGRAMS << 1;
	EXPECT_EQ(-EINVAL, ask_raw(group, &add));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, add.why);
	add = good;
	add.__reserved = 1;
	EXPECT_EQ(-EINVAL, ask_raw(group, &add));
	EXPECT_EQ(PMCGRP_WHY_RESERVED, add.why);
	add = good;
	add.kind = PMCGRP_SECTION_MODULE;
	EXPECT_EQ(-EINVAL, ask_raw(group, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_KIND, add.why);
	add = good;
	add.max_active = PMCGRP_SPAN_ACTIVE_MAX + 1;
	EXPECT_EQ(-EINVAL, ask_raw(group, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_KIND, add.why);
	add = good;
	add.key = PMCGRP_SPAN_KEY_CPU;
	EXPECT_EQ(-EINVAL, ask_raw(group, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_KEY, add.why);
	add = good;
	add.offset = 4;
	EXPECT_EQ(-EINVAL, ask_raw(group, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_KEY, add.why);
	/* with a leader, and with more members than a section has */
	ask = (struct ask){ .nr = 1, .attr = self->attr, .flags = PMCGRP_CREATE_LEADER };
	i = ask_group(self->dev, &ask);
	ASSERT_GE(i, 0);
	add = good;
	EXPECT_EQ(-EOPNOTSUPP, ask_raw(i, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_GROUP, add.why);
	close(i);
	for (i = 0; i < 9; i++)
		many[i] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	ask = (struct ask){ .nr = 9, .attr = many };
	i = ask_group(self->dev, &ask);
	ASSERT_GE(i, 0);
	add = good;
	EXPECT_EQ(-EOPNOTSUPP, ask_raw(i, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_GROUP, add.why);
	close(i);
	close(group);
}

/*
 * A ring is set up in the middle of a call: the list changes from a probe to a perf event that
 * follows the task, and counts nothing in between.
 */
TEST_F(span, a_ring_in_a_call)
{
	struct pmcgrp_ring_setup setup;
	int group, go[2], status;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(go));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		_exit(read(go[0], &c, 1) != 1 || api("sleep 2 300"));
	group = group_of_task(self->dev, pid, 2, self->attr, 0);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_of(group, SLEEP));
	ASSERT_EQ(1, write(go[1], "x", 1));
	sleep_ns(100 * NSEC_PER_MSEC);
	ASSERT_TRUE(find_span(self->dev, group, SLEEP, &self->section));
	ASSERT_EQ(1, self->section.info.in_flight);
	ASSERT_EQ(0, setup_ring(group, 0, PERF_SAMPLE_TIME, 0, &setup));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_TRUE(find_span(self->dev, group, SLEEP, &self->section));
	/* the second call began and ended with the perf event */
	EXPECT_EQ(1, self->section.info.count);
	EXPECT_EQ(1, self->section.info.missed[PMCGRP_MISSED_OFF]);
	EXPECT_EQ(1, missed(&self->section));
	close(group);
	close(go[0]);
	close(go[1]);
}

/* The function goes with its module, and does not come back with it. */
TEST_F(span, a_function_that_goes)
{
	struct section *section = &self->section;
	int group = group_like(self->dev, "all", self->attr);

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_of(group, WORK));
	ASSERT_EQ(0, api("call irqsoff 3 10"));
	ASSERT_EQ(0, testapi_unload());
	ASSERT_TRUE(find_span(self->dev, group, WORK, section));
	EXPECT_EQ(3, section->info.count);
	EXPECT_EQ(1, section->info.is_gone);
	ASSERT_EQ(0, testapi_load());
	ASSERT_EQ(0, api("call irqsoff 5 10"));
	ASSERT_TRUE(find_span(self->dev, group, WORK, section));
	EXPECT_EQ(3, section->info.count);
	EXPECT_EQ(0, missed(section));
	/* a new one counts */
	ASSERT_EQ(0, span_ask(group, WORK, "again", 0, &(struct pmcgrp_span_add){}));
	ASSERT_EQ(0, api("call irqsoff 7 10"));
	ASSERT_TRUE(find_span(self->dev, group, "again", section));
	EXPECT_EQ(7, section->info.count);
	EXPECT_EQ(0, section->info.is_gone);
	close(group);
}

/* The room of all spans together has an end, and comes back with them. */
TEST_F(span, the_room_of_all)
{
	int group = group_like(self->dev, "task", self->attr), err = 0, times;
	unsigned int nr[2] = {};
	struct pmcgrp_span_add add;

	for (times = 0; times < 2; times++) {
		ASSERT_GE(group, 0);
		for (; nr[times] < PMCGRP_SPANS_MAX; nr[times]++) {
			err = span_ask(group, WORK, NULL, PMCGRP_SPAN_ACTIVE_MAX, &add);
			if (err)
				break;
		}
		EXPECT_EQ(-ENOSPC, err);
		EXPECT_EQ(PMCGRP_WHY_SPANS_ROOM, add.why);
		/* what is refused takes nothing */
		EXPECT_EQ(0, span_ask(group, WORK, NULL, 1, &add));
		close(group);
		group = group_like(self->dev, "task", self->attr);
	}
	EXPECT_EQ(nr[0], nr[1]);
	EXPECT_LT(8, nr[0]);
	close(group);
}

/* As many as can be, on one function; each of them counts each call. */
TEST_F_TIMEOUT(span, as_many_as_can_be, 300)
{
	int group = group_like(self->dev, "task", self->attr);
	struct pmcgrp_span_add add;
	char name[16];
	unsigned int i;

	ASSERT_GE(group, 0);
	for (i = 0; i < PMCGRP_SPANS_MAX; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		ASSERT_EQ(0, span_ask(group, WORK, name, 1, &add));
	}
	EXPECT_EQ(-ENOSPC, span_ask(group, WORK, "more", 1, &add));
	EXPECT_EQ(PMCGRP_WHY_SPANS_MAX, add.why);
	EXPECT_EQ(0, add.id);
	EXPECT_FALSE(find_section(self->dev, "more", &self->section));
	ASSERT_EQ(0, api("call irqsoff 3 10"));
	for (i = 0; i < PMCGRP_SPANS_MAX; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		ASSERT_TRUE(find_span(self->dev, group, name, &self->section));
		EXPECT_EQ(3, self->section.info.count);
	}
	close(group);
	EXPECT_FALSE(find_section(self->dev, "s1", &self->section));
}

/* Who has the capability at the ioctl, not at the group's creation. */
TEST_F(span, without_the_capability)
{
	int group = group_like(self->dev, "task", self->attr), status;
	struct pmcgrp_span_add add;
	pid_t pid;

	ASSERT_GE(group, 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (setresuid(1000, 1000, 1000))
			_exit(2);
		_exit(span_ask(group, WORK, NULL, 0, &add) != -EACCES ||
		      add.why != PMCGRP_WHY_PERMISSION);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(group);
}

/* What so many calls as an answer is of cost. */
struct cost {
	uint64_t insns;
	uint32_t reads; /* of the PMU's registers; 0: not known */
};

static struct cost cost_of(const char *command)
{
	uint32_t before = accesses_known ? accesses_now().reads : 0;
	struct cost cost = { 0 };

	if (api("%s", command) || answer(&cost.insns, 1) != 1)
		return (struct cost){ 0 };
	cost.reads = accesses_known ? accesses_now().reads - before : 0;
	return cost;
}

/* A thousand calls with a span of a group with these members; no instructions: none there. */
static struct cost cost_of_span(int dev, const struct perf_event_attr *attr, unsigned int nr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = nr, .attr = attr };
	int group = ask_group(dev, &ask);
	struct cost cost = { 0 };
	struct section section;

	if (group < 0)
		return cost;
	if (!span_of(group, WORK))
		cost = cost_of("calls bare 1000");
	if (!find_span(dev, group, WORK, &section) || section.info.count != 1000)
		cost.insns = 0;
	close(group);
	return cost;
}

static void tell_cost(const char *members, uint64_t span, uint64_t perf)
{
	printf("# %s: a span %llu instructions, a kretprobe with perf's readings %llu\n", members,
	       (unsigned long long)span / 1000, (unsigned long long)perf / 1000);
}

/*
 * The cost of a span, beside a kretprobe that reads each member by perf at both ends.  For four
 * events of perf's there may be no counters beside the group's: the readings of two are added.
 */
TEST_F_TIMEOUT(span, cost, 120)
{
	struct perf_event_attr attr[4] = { self->attr[0], self->attr[1],
					   hw(PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
					   hw(PERF_COUNT_HW_BRANCH_MISSES) };
	struct cost none, two, four, perf, readings;

	if (!self->instructions || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	accesses_open(NULL);
	ASSERT_EQ(0, api("group all %s", self->events));
	none = cost_of("calls bare 1000");
	ASSERT_LT(0, none.insns);
	two = cost_of_span(self->dev, attr, 2);
	ASSERT_LT(0, two.insns);
	four = cost_of_span(self->dev, attr, 4);
	if (!four.insns) {
		attr[2] = event(PERF_TYPE_RAW, 8);
		attr[3] = event(PERF_TYPE_RAW, 11);
		four = cost_of_span(self->dev, attr, 4);
	}
	ASSERT_LT(0, four.insns);
	perf = cost_of("calls perf 1000");
	ASSERT_LT(0, perf.insns);
	readings = cost_of("cost perf 1000");
	ASSERT_LT(0, readings.insns);
	perf.insns -= none.insns;
	tell_cost("two members", two.insns - none.insns, perf.insns);
	tell_cost("four members", four.insns - none.insns, perf.insns + readings.insns);
	if (accesses_known) {
		TH_LOG("reads of the PMU's registers, four members: a span %.2f, perf's %.2f",
		       four.reads / 1e3, (perf.reads + readings.reads) / 1e3);
		EXPECT_LE(four.reads, perf.reads + readings.reads);
	}
	EXPECT_LT(two.insns - none.insns, perf.insns);
	EXPECT_LT(four.insns - none.insns, perf.insns + readings.insns);
}

/* The most that a probe keeps of a call. */
TEST_F(span, as_many_members_as_can_be)
{
	static const uint64_t software[] = {
		PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS,
		PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
		PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
		PERF_COUNT_SW_ALIGNMENT_FAULTS,
	};
	struct perf_event_attr attr[PMCGRP_SECTION_MEMBERS_MAX];
	struct ask ask = { .nr = ARRAY_SIZE(attr), .attr = attr };
	struct section *section = &self->section;
	unsigned int i;
	int group;

	for (i = 0; i < ARRAY_SIZE(attr); i++)
		attr[i] = i ? sw(software[i - 1]) : self->attr[0];
	group = ask_group(self->dev, &ask);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_of(group, WORK));
	ASSERT_EQ(0, api("call irqsoff 100 10"));
	ASSERT_TRUE(find_span(self->dev, group, WORK, section));
	EXPECT_EQ(100, section->info.count);
	EXPECT_EQ(0, missed(section));
	EXPECT_EQ(PMCGRP_SECTION_MEMBERS_MAX, section->info.nr_members);
	close(group);
}

/* Each counts each call, also when one has gone and another has come. */
TEST_F(span, spans_of_one_function)
{
	int group[ARRAY_SIZE(targets)];
	unsigned int round, i;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < ARRAY_SIZE(group); i++) {
			if (round && i)
				continue;
			group[i] = group_like(self->dev, targets[i], self->attr);
			ASSERT_GE(group[i], 0);
			ASSERT_EQ(0, span_of(group[i], WORK));
		}
		ASSERT_EQ(0, api("call irqsoff 100 10"));
		for (i = 0; i < ARRAY_SIZE(group); i++) {
			ASSERT_TRUE(find_span(self->dev, group[i], WORK, &self->section));
			/* the first one is new in each round */
			EXPECT_EQ(i ? 100 * (round + 1) : 100, self->section.info.count) {
				TH_LOG("a group of %s, round %u", targets[i], round);
			}
			EXPECT_EQ(0, missed(&self->section));
			EXPECT_EQ(0, self->section.info.in_flight);
		}
		close(group[0]);
	}
	for (i = 1; i < ARRAY_SIZE(group); i++)
		close(group[i]);
}

/* A call returns when its span has gone; another one, maybe in its memory, knows nothing of it. */
TEST_F_TIMEOUT(span, another_span_during_a_call, 60)
{
	pthread_t thread;
	unsigned int i;
	int group;

	for (i = 0; i < 6; i++) {
		group = group_like(self->dev, "all", self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_of(group, SLEEP));
		ASSERT_TRUE(sleeper(&thread, 400));
		ASSERT_TRUE(find_span(self->dev, group, SLEEP, &self->section));
		EXPECT_EQ(1, self->section.info.in_flight);
		close(group);
		group = group_like(self->dev, "all", self->attr);
		ASSERT_GE(group, 0);
		ASSERT_EQ(0, span_of(group, SLEEP));
		EXPECT_TRUE(slept(thread));
		ASSERT_TRUE(find_span(self->dev, group, SLEEP, &self->section));
		EXPECT_EQ(0, self->section.info.count + missed(&self->section));
		EXPECT_EQ(0, self->section.info.in_flight);
		close(group);
	}
}

TEST_HARNESS_MAIN
