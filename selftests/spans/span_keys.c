// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans by key: what each process, thread, command or cgroup has counted between two points, and
 * each CPU.  All keys together have what the section has.
 *
 * needs: kernel_api=yes
 */
#include "pmcgrp_keys.h"
#include "pmcgrp_section_keys.h"
#include "pmcgrp_span_kernel.h"
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define PROCESSES	50

static bool ended_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && !status;
}

/* A process that does so many calls, and has ended. */
static pid_t process(unsigned int calls)
{
	pid_t pid = fork();

	if (!pid)
		_exit(api("call irqsoff %u 10", calls) ? 1 : 0);
	return pid > 0 && ended_well(pid) ? pid : -1;
}

/* Each has done one call more than the one before. */
static bool processes(pid_t *pid, unsigned int nr)
{
	unsigned int k;

	for (k = 0; k < nr; k++) {
		pid[k] = process(k + 1);
		if (pid[k] < 0)
			return false;
	}
	return true;
}

TEST_F_TIMEOUT(span, processes, 120)
{
	struct section *section = &self->section;
	struct pmcgrp_section_key key, sum;
	int group = group_of_all(self->dev, self->attr);
	struct pmcgrp_span_add add;
	pid_t pid[PROCESSES];
	char name[16] = "";
	unsigned int k;

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, prctl(PR_GET_NAME, name));
	ASSERT_EQ(0, span_by(group, BY(PROCESS), 0, &add));
	EXPECT_LE(PROCESSES, add.slots);
	ASSERT_TRUE(processes(pid, PROCESSES));
	ASSERT_TRUE(find_span(self->dev, group, WORK, section));
	ASSERT_EQ(0, keys_read(self->dev, add.id, 7));
	EXPECT_EQ(BY(PROCESS), keys.by);
	EXPECT_EQ(PROCESSES * (PROCESSES + 1) / 2, section->info.count);
	EXPECT_EQ(0, missed(section));
	EXPECT_TRUE(keys_add_up(section));
	EXPECT_EQ(0, keys_sum(PMCGRP_SECTION_KEY_OVERFLOW, NULL).count);
	for (k = 0; k < PROCESSES; k++) {
		key = key_of(pid[k]);
		EXPECT_EQ(k + 1, key.count) {
			TH_LOG("process %u", k);
		}
		if (!self->instructions || !deterministic())
			continue;
		EXPECT_EQ(section->stat[1].min, key.stat[1].min);
		EXPECT_EQ(section->stat[1].min, key.stat[1].max);
		EXPECT_EQ((k + 1) * section->stat[1].min, key.stat[1].sum);
	}
	for (k = 0; k < keys.nr; k++)
		if (keys.entry[k].kind == PMCGRP_SECTION_KEY_TASKS) {
			EXPECT_LT(0, keys.entry[k].key[1]);
			EXPECT_STREQ(name, keys.entry[k].comm) {
				TH_LOG("named %s", keys.entry[k].comm);
			}
		}
	/* all at once it is the same */
	sum = keys_sum(PMCGRP_SECTION_KEY_TASKS, NULL);
	k = keys.nr;
	ASSERT_EQ(0, keys_read(self->dev, add.id, 1000));
	EXPECT_EQ(k, keys.nr);
	key = keys_sum(PMCGRP_SECTION_KEY_TASKS, NULL);
	EXPECT_EQ(0, memcmp(&sum, &key, sizeof(sum)));
	close(group);
	EXPECT_EQ(-ENOENT, keys_read(self->dev, add.id, 7));
}

/* What has no slot is in none, and in the sum. */
TEST_F_TIMEOUT(span, more_keys_than_slots, 120)
{
	struct section *section = &self->section;
	int group = group_of_all(self->dev, self->attr);
	struct pmcgrp_section_key key, rest;
	struct pmcgrp_span_add add;
	uint64_t without = 0;
	pid_t pid[PROCESSES];
	unsigned int k, nr = 0;

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_by(group, BY(PROCESS), 13, &add));
	EXPECT_EQ(16, add.slots);
	ASSERT_TRUE(processes(pid, PROCESSES));
	ASSERT_TRUE(find_span(self->dev, group, WORK, section));
	ASSERT_EQ(0, keys_read(self->dev, add.id, 5));
	EXPECT_TRUE(keys_add_up(section));
	for (k = 0; k < PROCESSES; k++) {
		key = key_of(pid[k]);
		nr += key.count > 0;
		without += key.count ? 0 : k + 1;
		EXPECT_EQ(key.count ? k + 1 : 0, key.count);
	}
	rest = keys_sum(PMCGRP_SECTION_KEY_OVERFLOW, NULL);
	EXPECT_EQ(without, rest.count);
	EXPECT_EQ(16, nr);
	if (self->instructions && deterministic())
		EXPECT_EQ(without * section->stat[1].min, rest.stat[1].sum);
	TH_LOG("%u keys have a slot, %llu calls have none", nr, (unsigned long long)without);
	close(group);
}

/* Of calls() in a thread. */
struct thread {
	pthread_t thread;
	unsigned int calls;
	pid_t tid;
	int err;
};

static void *calls(void *arg)
{
	struct thread *thread = arg;

	thread->tid = syscall(SYS_gettid);
	thread->err = api("call irqsoff %u 10", thread->calls);
	return NULL;
}

TEST_F(span, threads)
{
	int group = group_of_all(self->dev, self->attr);
	struct pmcgrp_span_add add, process;
	struct thread thread[4];
	unsigned int k;

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_by(group, BY(THREAD), 64, &add));
	ASSERT_EQ(0, span_by(group, BY(PROCESS), 64, &process));
	for (k = 0; k < ARRAY_SIZE(thread); k++) {
		thread[k].calls = 10 * (k + 1);
		ASSERT_EQ(0, pthread_create(&thread[k].thread, NULL, calls, &thread[k]));
	}
	for (k = 0; k < ARRAY_SIZE(thread); k++) {
		ASSERT_EQ(0, pthread_join(thread[k].thread, NULL));
		ASSERT_EQ(0, thread[k].err);
	}
	ASSERT_EQ(0, keys_read(self->dev, add.id, 100));
	for (k = 0; k < ARRAY_SIZE(thread); k++)
		EXPECT_EQ(10 * (k + 1), key_of(thread[k].tid).count);
	ASSERT_EQ(0, keys_read(self->dev, process.id, 100));
	EXPECT_EQ(BY(PROCESS), keys.by);
	EXPECT_EQ(100, key_of(getpid()).count);
	close(group);
}

/* The key is that at the end, whatever the task was called before. */
TEST_F(span, commands)
{
	static const char *const names[] = { "one", "another", "one", "a-name-of-15-ch" };
	static const unsigned int expected[] = { 4, 2, 4, 4 };
	int group = group_of_all(self->dev, self->attr);
	struct pmcgrp_span_add add;
	struct pmcgrp_section_key key;
	unsigned int k;
	uint64_t word[2];

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_by(group, BY(COMMAND), 64, &add));
	for (k = 0; k < ARRAY_SIZE(names); k++) {
		ASSERT_EQ(0, prctl(PR_SET_NAME, names[k]));
		ASSERT_EQ(0, api("call irqsoff %u 10", k + 1));
	}
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	ASSERT_EQ(0, keys_read(self->dev, add.id, 100));
	EXPECT_TRUE(keys_add_up(&self->section));
	for (k = 0; k < ARRAY_SIZE(names); k++) {
		memset(word, 0, sizeof(word));
		memcpy(word, names[k], strlen(names[k]));
		key = key_of(word[0]);
		EXPECT_EQ(expected[k], key.count) {
			TH_LOG("%s", names[k]);
		}
	}
	close(group);
}

/* A process in a cgroup. */
static bool in_cgroup(const char *name, unsigned int calls)
{
	pid_t pid = fork();

	if (!pid)
		_exit(!cgroup_move(name, 0) || api("call irqsoff %u 10", calls));
	return pid > 0 && ended_well(pid);
}

TEST_F(span, cgroups)
{
	int group = group_of_all(self->dev, self->attr);
	struct pmcgrp_span_add leaf, depth, listed, add;
	uint64_t a, b, c;

	if (!cgroups_mount())
		SKIP(return, "no cgroups");
	ASSERT_GE(group, 0);
	a = cgroup_make("spans");
	b = cgroup_make("spans/b");
	c = cgroup_make("spans/b/c");
	ASSERT_NE(0, a * b * c);
	ASSERT_EQ(0, span_by(group, BY(CGROUP), 64, &leaf));
	listed = leaf;
	depth = leaf;
	depth.depth = 2;
	ASSERT_EQ(0, ioctl(group, PMCGRP_IOC_SPAN, &depth));
	listed.cgroups = (uintptr_t)&b;
	listed.nr_cgroups = 1;
	ASSERT_EQ(0, ioctl(group, PMCGRP_IOC_SPAN, &listed));
	add = listed;
	add.depth = 1;
	EXPECT_EQ(-1, ioctl(group, PMCGRP_IOC_SPAN, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_BY, add.why);
	EXPECT_TRUE(in_cgroup("spans", 5));
	EXPECT_TRUE(in_cgroup("spans/b", 7));
	EXPECT_TRUE(in_cgroup("spans/b/c", 11));
	ASSERT_EQ(0, keys_read(self->dev, leaf.id, 100));
	EXPECT_EQ(5, key_of(a).count);
	EXPECT_EQ(7, key_of(b).count);
	EXPECT_EQ(11, key_of(c).count);
	ASSERT_EQ(0, keys_read(self->dev, depth.id, 100));
	EXPECT_EQ(5, key_of(a).count);
	EXPECT_EQ(18, key_of(b).count);
	ASSERT_EQ(0, keys_read(self->dev, listed.id, 100));
	EXPECT_EQ(18, key_of(b).count);
	EXPECT_EQ(5, key_of(PMCGRP_KEY_OTHER).count);
	close(group);
	EXPECT_TRUE(cgroup_remove("spans/b/c"));
	EXPECT_TRUE(cgroup_remove("spans/b"));
	EXPECT_TRUE(cgroup_remove("spans"));
}

/* Each CPU has a total, also without keys; idle or in an interrupt it is the task's that runs. */
TEST_F(span, cpus)
{
	int group = group_of_all(self->dev, self->attr), cpu;
	struct pmcgrp_span_add add, process;
	unsigned int i;

	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_by(group, 0, 0, &add));
	EXPECT_EQ(0, add.slots);
	ASSERT_EQ(0, span_by(group, BY(PROCESS), 8, &process));
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		ASSERT_TRUE(stay_on(cpu));
		ASSERT_EQ(0, api("call irqsoff %u 10", 10 * (cpu + 1)));
	}
	ASSERT_EQ(0, keys_read(self->dev, add.id, 3));
	EXPECT_EQ(0, keys.by);
	/* each possible one */
	EXPECT_LE(sysconf(_SC_NPROCESSORS_CONF), keys.nr);
	for (i = 0; i < keys.nr; i++) {
		EXPECT_EQ(PMCGRP_SECTION_KEY_TOTAL, keys.entry[i].kind);
		cpu = keys.entry[i].cpu;
		EXPECT_EQ(cpu < sysconf(_SC_NPROCESSORS_ONLN) ? 10 * (cpu + 1) : 0,
			  keys.entry[i].count);
	}
	/* one key, on all of them */
	ASSERT_EQ(0, keys_read(self->dev, process.id, 3));
	ASSERT_TRUE(stay_on(0));
	EXPECT_EQ(keys_sum(PMCGRP_SECTION_KEY_TOTAL, NULL).count, key_of(getpid()).count);
	ASSERT_EQ(0, api("call hardirq 100 10"));
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	ASSERT_EQ(0, keys_read(self->dev, process.id, 3));
	EXPECT_EQ(self->section.info.count, keys_sum(PMCGRP_SECTION_KEY_TOTAL, NULL).count);
	close(group);
}

static pid_t caller(int cpu, const volatile int *stop)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!stay_on(cpu))
		_exit(1);
	while (!*stop)
		if (api("call task 20 10"))
			_exit(1);
	_exit(0);
}

/* Each entry is consistent in itself: its sum fits its count, its least and its greatest value. */
TEST_F_TIMEOUT(span, reading_while_others_count, 120)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), group, cpu, look;
	uint64_t seen[ENTRIES] = {}, wrong = 0, entries = 0;
	volatile int *stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				  -1, 0);
	const struct pmcgrp_section_key *entry;
	struct pmcgrp_span_add add;
	unsigned int i, k;
	pid_t pid[2 * 64];

	ASSERT_NE(MAP_FAILED, stop);
	ASSERT_GE(64, cpus);
	group = group_of_all(self->dev, self->attr);
	ASSERT_GE(group, 0);
	ASSERT_EQ(0, span_by(group, BY(PROCESS), 64, &add));
	for (cpu = 0; cpu < 2 * cpus; cpu++)
		pid[cpu] = caller(cpu % cpus, stop);
	for (look = 0; look < 100; look++) {
		ASSERT_EQ(0, keys_read(self->dev, add.id, 1 + look % 5));
		for (i = 0; i < keys.nr; i++) {
			entry = &keys.entry[i];
			for (k = 0; k < 3; k++)
				wrong += entry->stat[k].sum < entry->count * entry->stat[k].min ||
					 entry->stat[k].sum > entry->count * entry->stat[k].max;
			entries++;
		}
		/* a key keeps its place */
		for (i = 0; i < 2 * cpus; i++) {
			wrong += key_of(pid[i]).count < seen[i];
			seen[i] = key_of(pid[i]).count;
		}
		sleep_ns(5 * NSEC_PER_MSEC);
	}
	*stop = 1;
	for (cpu = 0; cpu < 2 * cpus; cpu++)
		EXPECT_TRUE(ended_well(pid[cpu]));
	EXPECT_EQ(0, wrong);
	ASSERT_TRUE(find_span(self->dev, group, WORK, &self->section));
	ASSERT_EQ(0, keys_read(self->dev, add.id, 100));
	EXPECT_TRUE(keys_add_up(&self->section));
	EXPECT_LT(0, self->section.info.count);
	TH_LOG("%llu entries read meanwhile, %llu calls counted", (unsigned long long)entries,
	       (unsigned long long)self->section.info.count);
	close(group);
}

TEST_F(span, bad_arguments)
{
	struct pmcgrp_section_key entry[2];
	struct pmcgrp_section_keys good, arg;
	int group = group_of_all(self->dev, self->attr), status;
	struct pmcgrp_span_add add;
	pid_t pid;

	ASSERT_GE(group, 0);
	EXPECT_EQ(-EINVAL, span_by(group, BY(COMMAND) + 1, 0, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_BY, add.why);
	EXPECT_EQ(-EINVAL, span_by(group, BY(PROCESS), PMCGRP_SPAN_SLOTS_MAX + 1, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_BY, add.why);
	EXPECT_EQ(-EINVAL, span_by(group, 0, 1, &add));
	EXPECT_EQ(PMCGRP_WHY_SPAN_BY, add.why);
	span_by(group, BY(PROCESS), PMCGRP_SPAN_SLOTS_MAX, &add);
	EXPECT_NE(0, add.id);
	close(group);
	group = group_of_all(self->dev, self->attr);
	ASSERT_EQ(0, span_by(group, BY(PROCESS), 1, &add));
	good = (struct pmcgrp_section_keys){
		.size = sizeof(good), .id = add.id, .entries = (uintptr_t)entry,
		.nr_entries = 2, .entry_size = sizeof(entry[0]),
	};
	arg = good;
	EXPECT_EQ(0, keys_ask(self->dev, &arg));
	arg = good;
	EXPECT_EQ(-ENOTTY, keys_ask(group, &arg));
	EXPECT_EQ(-EFAULT, keys_ask(self->dev, NULL));
	arg.size = PMCGRP_SECTION_KEYS_SIZE_VER0 - 1;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg = good;
	arg.flags = 1;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg = good;
	arg.nr_entries = 0;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg = good;
	arg.entry_size--;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg.entry_size = 65537;
	EXPECT_EQ(-E2BIG, keys_ask(self->dev, &arg));
	arg = good;
	arg.__reserved = 1;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg = good;
	arg.bucket_size = sizeof(struct pmcgrp_section_key_buckets);	/* and no buckets */
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg = good;
	arg.cursor = 1ULL << 60;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg.cursor = PMCGRP_SECTION_KEYS_END;
	EXPECT_EQ(-EINVAL, keys_ask(self->dev, &arg));
	arg.cursor = PMCGRP_SPAN_SLOTS_MAX;
	EXPECT_EQ(0, keys_ask(self->dev, &arg));
	arg = good;
	arg.id = add.id + 1;
	EXPECT_EQ(-ENOENT, keys_ask(self->dev, &arg));
	arg = good;
	arg.entries = 1;
	EXPECT_EQ(-EFAULT, keys_ask(self->dev, &arg));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		arg = good;
		_exit(setresuid(1000, 1000, 1000) || keys_ask(self->dev, &arg) != -EACCES);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(group);
}

/* Instructions of 1000 calls with a span. */
static uint64_t cost(int dev, const struct perf_event_attr *attr, uint32_t by)
{
	int group = group_of_all(dev, attr);
	struct pmcgrp_span_add add;
	struct section section;
	uint64_t cost = 0;

	if (span_by(group, by, 0, &add) || api("calls bare 1000") || answer(&cost, 1) != 1 ||
	    !find_span(dev, group, WORK, &section) || section.info.count != 1000)
		cost = 0;
	close(group);
	return cost;
}

/* A key costs less than the span itself. */
TEST_F_TIMEOUT(span, costs, 120)
{
	static const char *const names[] = { "cgroup", "process", "thread", "command" };
	uint64_t bare, none, with;
	unsigned int i;

	if (!self->instructions || !deterministic())
		SKIP(return, "costs need a hardware PMU and a deterministic guest");
	ASSERT_EQ(0, api("group all 0:1,0:0"));
	ASSERT_EQ(0, api("calls bare 1000"));
	ASSERT_EQ(1, answer(&bare, 1));
	none = cost(self->dev, self->attr, 0);
	ASSERT_LT(bare, none);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		with = cost(self->dev, self->attr, 1 + i);
		TH_LOG("a span %llu instructions, by %s %llu more",
		       (unsigned long long)(none - bare) / 1000, names[i],
		       (unsigned long long)(with - none) / 1000);
		EXPECT_LT(none, with);
		EXPECT_LT(with - none, none - bare);
	}
}

TEST_HARNESS_MAIN
