// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts by key: what a group of CPUs counts is told apart by cgroup, process, thread or command.
 * A process has what a group of it alone counts, to the last event. All keys together have what the
 * group has.
 *
 * needs: timeout=900
 */
#include "pmcgrp_keys.h"
#include "pmcgrp_keys_reader.h"
#include "pmcgrp_testpmu.h"
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define TASKS	6
#define LOOPS	20000

enum {
	FAULTS,
	SWITCHES,
	HARDWARE
};

FIXTURE(keys)
{
	int dev;
	unsigned int nr;
	struct perf_event_attr attr[HARDWARE + 1];
	int go[2];
};

FIXTURE_SETUP(keys)
{
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[FAULTS] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->attr[SWITCHES] = sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	self->nr = HARDWARE;
	if (have_instructions()) {
		self->attr[self->nr] = instructions_copy(0);
		self->attr[self->nr++].exclude_kernel = 1;
	}
	ASSERT_EQ(0, pipe(self->go));
}

FIXTURE_TEARDOWN(keys)
{
	close(self->go[0]);
	close(self->go[1]);
	close(self->dev);
}

static int group_of_all(int dev, unsigned int nr, const struct perf_event_attr *attr)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = nr, .attr = attr,
			   .flags = PMCGRP_CREATE_DISABLED };

	return ask_group(dev, &ask);
}

static void touch_pages(unsigned int nr)
{
	volatile char *page = fresh_pages(nr);

	while (page && nr--)
		page[(size_t)nr * sysconf(_SC_PAGESIZE)] = 1;
}

/* A child that waits, works, and ends. Each works for longer than the one before. */
static pid_t worker(const int *go, unsigned int k)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	close(go[1]);
	if (read(go[0], &c, 1) != 1)
		_exit(1);
	loop(LOOPS * (k + 1));
	touch_pages(10 * (k + 1));
	_exit(0);
}

static bool all_end(const pid_t *pid, unsigned int nr)
{
	unsigned int i;
	int status;

	for (i = 0; i < nr; i++)
		if (waitpid(pid[i], &status, 0) != pid[i] || status)
			return false;
	return true;
}

static int go_on(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static int stop(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

TEST_F(keys, refused)
{
	struct ask ask = { .nr = 1, .attr = self->attr };
	uint64_t cgroup[2] = { 1, 0 };
	struct table t = {};
	int fd;

	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EOPNOTSUPP, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	EXPECT_EQ(PMCGRP_WHY_KEYS_TARGET, t.arg.why);
	EXPECT_EQ(-EINVAL, table_flush(&t, 0));
	close(fd);

	ask.flags = PMCGRP_CREATE_LEADER;
	ask.target_type = PMCGRP_TARGET_ALL_CPUS;
	fd = ask_group(self->dev, &ask);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EOPNOTSUPP, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	EXPECT_EQ(PMCGRP_WHY_LEADER, t.arg.why);
	close(fd);

	fd = group_of_all(self->dev, 1, self->attr);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_COMMAND + 1, 16, &t));
	EXPECT_EQ(PMCGRP_WHY_FLAGS, t.arg.why);
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_PROCESS, 0, &t));
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_PROCESS, PMCGRP_KEYS_SLOTS_MAX + 1, &t));
	t.arg.flags = 1;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	t.arg.flags = 0;
	t.arg.depth = 1;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	t.arg.depth = PMCGRP_KEYS_ROOT;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_COMMAND, 16, &t));
	t.arg.depth = 0;
	t.arg.cgroups = (uintptr_t)cgroup;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_CGROUP, 16, &t));
	t.arg.nr_cgroups = 2; /* no cgroup has the id 0 */
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_CGROUP, 16, &t));
	t.arg.nr_cgroups = 1;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_THREAD, 16, &t));
	t.arg.cgroups = 1;
	EXPECT_EQ(-EFAULT, table_make(fd, PMCGRP_KEY_CGROUP, 16, &t));
	t.arg.nr_cgroups = PMCGRP_KEYS_CGROUPS_MAX + 1;
	EXPECT_EQ(-EINVAL, table_make(fd, PMCGRP_KEY_CGROUP, 16, &t));
	t.arg.cgroups = 0;
	t.arg.nr_cgroups = 0;
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, PMCGRP_KEYS_OFFSET));
	EXPECT_EQ(-EINVAL, table_flush(&t, 0));

	EXPECT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 9, &t));
	EXPECT_EQ(16, t.arg.slots);
	EXPECT_EQ(PMCGRP_WHY_NONE, t.arg.why);
	EXPECT_EQ(-EINVAL, table_flush(&t, 2));
	EXPECT_EQ(0, table_flush(&t, PMCGRP_KEYS_READ));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, t.arg.map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				   PMCGRP_KEYS_OFFSET));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, t.arg.map_size, PROT_READ, MAP_PRIVATE, fd,
				   PMCGRP_KEYS_OFFSET));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, t.arg.map_size + 4096, PROT_READ, MAP_SHARED, fd,
				   PMCGRP_KEYS_OFFSET));
	EXPECT_EQ(-1, mprotect(t.map, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(-EBUSY, table_ask(fd, &t));
	EXPECT_EQ(PMCGRP_WHY_KEYS_EXIST, t.arg.why);
	table_unmap(&t);
	close(fd);
}

/* The table outlives the descriptor while it is mapped. */
TEST_F(keys, mapping_holds_it)
{
	int fd = group_of_all(self->dev, self->nr, self->attr);
	struct table t = {};

	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 64, &t));
	ASSERT_EQ(0, go_on(fd));
	close(fd);
	sched_yield();
	EXPECT_GE(table_block(&t, 0)->slot_offset, sizeof(struct pmcgrp_keys_block));
	/* and says all that a reader of the mapping alone has to know */
	EXPECT_EQ(PMCGRP_KEY_PROCESS, table_block(&t, 0)->type);
	EXPECT_EQ(self->nr, table_block(&t, 0)->nr_members);
	EXPECT_EQ(t.arg.slots, table_block(&t, 0)->slots);
	EXPECT_EQ(t.arg.slot_size, table_block(&t, 0)->slot_size);
	EXPECT_EQ(t.arg.value_offset, table_block(&t, 0)->value_offset);
	EXPECT_EQ(t.arg.block_size, table_block(&t, 0)->block_size);
	EXPECT_GE(t.arg.value_offset, sizeof(struct pmcgrp_keys_slot));
	EXPECT_LE(t.arg.value_offset + self->nr * sizeof(__u64), t.arg.slot_size);
	table_unmap(&t);
}

TEST_F(keys, process_has_what_its_group_has)
{
	struct group_values alone[TASKS];
	int fd, i, k, group[TASKS];
	pid_t pid[TASKS];
	struct table t = {};

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 1024, &t));
	for (i = 0; i < TASKS; i++) {
		pid[i] = worker(self->go, i);
		ASSERT_GT(pid[i], 0);
		ASSERT_TRUE(wait_until_asleep(pid[i]));
		group[i] = group_of_task(self->dev, pid[i], self->nr, self->attr, 0);
		ASSERT_GE(group[i], 0);
	}
	ASSERT_EQ(0, go_on(fd));
	ASSERT_EQ(TASKS, write(self->go[1], "xxxxxx", TASKS));
	ASSERT_TRUE(all_end(pid, TASKS));
	for (i = 0; i < TASKS; i++)
		ASSERT_TRUE(group_values(group[i], self->nr, &alone[i]));
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	for (i = 0; i < TASKS; i++) {
		struct told told = table_of(&t, self->nr, pid[i]);

		EXPECT_GT(told.stays, 0);
		EXPECT_GE(alone[i].m[FAULTS].value, 10 * (i + 1));
		for (k = 0; k < self->nr; k++)
			EXPECT_EQ(alone[i].m[k].value, told.value[k]) {
				TH_LOG("child %d, member %d", i, k);
			}
		close(group[i]);
	}
	EXPECT_TRUE(table_adds_up(&t, self->nr));
	EXPECT_EQ(0, blocks_overflows(&t));
	table_unmap(&t);
	close(fd);
}

static bool totals_are_read(int fd, const struct table *t, unsigned int nr)
{
	struct told all = table_sum(t, nr, NULL, NULL);
	struct group_values v;
	unsigned int k;

	if (!group_values(fd, nr, &v) || v.enabled != all.enabled || v.running != all.running)
		return false;
	for (k = 0; k < nr; k++)
		if (v.m[k].value != all.value[k])
			return false;
	return true;
}

static bool short_process(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		touch_pages(1);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* However many keys come: what finds no slot is in slot 0. */
TEST_F_TIMEOUT(keys, nothing_is_lost_without_a_reader, 300)
{
	unsigned int i, nr = rounds_of(2000, 200);
	struct table t = {};
	uint64_t stays;
	int fd;

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 16, &t));
	ASSERT_EQ(0, go_on(fd));
	for (i = 0; i < nr; i++)
		ASSERT_TRUE(short_process());
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	EXPECT_TRUE(table_adds_up(&t, self->nr));
	EXPECT_TRUE(totals_are_read(fd, &t, self->nr));
	stays = table_of(&t, self->nr, PMCGRP_KEY_OTHER).stays;
	EXPECT_GE(stays, nr / 2);
	EXPECT_EQ(stays, blocks_overflows(&t));
	for (i = 0; i < t.arg.nr_cpus; i++)
		EXPECT_EQ(0, table_block(&t, i)->reused);
	tell_count("keys", nr, "processes without a reader");
	table_unmap(&t);
	close(fd);
}

/* Slots that were read are used again, and nothing is lost. */
TEST_F_TIMEOUT(keys, nothing_is_lost_with_a_reader, 300)
{
	unsigned int i, nr = rounds_of(10000, 100);
	struct table t = {};
	struct reader r;
	uint64_t reused = 0;
	int fd;

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 1024, &t));
	ASSERT_TRUE(reader_make(&r, &t));
	ASSERT_EQ(0, go_on(fd));
	for (i = 0; i < nr; i++) {
		ASSERT_TRUE(short_process());
		if (i % 10 == 9)
			ASSERT_TRUE(reader_read(&r, &t, self->nr, PMCGRP_KEYS_READ));
	}
	ASSERT_EQ(0, stop(fd));
	ASSERT_TRUE(reader_read(&r, &t, self->nr, PMCGRP_KEYS_READ));
	EXPECT_EQ(0, blocks_overflows(&t));
	EXPECT_GE(r.processes, nr);
	EXPECT_TRUE(reader_end(&r, &t, self->nr));
	for (i = 0; i < t.arg.nr_cpus; i++)
		reused += table_block(&t, i)->reused;
	if (nr > t.arg.slots)
		EXPECT_GT(reused, 0);
	tell_count("keys", nr, "processes with a reader");
	table_unmap(&t);
	close(fd);
}

static void *thread_works(void *arg)
{
	loop(LOOPS);
	touch_pages(20);
	*(pid_t *)arg = gettid();
	return NULL;
}

/* Of one process with its threads: those that come and go in between as well. */
TEST_F(keys, threads_of_a_process)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_PROCESS, .nr = self->nr,
			   .attr = self->attr, .flags = PMCGRP_CREATE_DISABLED };
	int fd = ask_group(self->dev, &ask), i;
	pid_t tid[TASKS] = {};
	struct table t = {};
	pthread_t thread;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_THREAD, 64, &t));
	ASSERT_EQ(0, go_on(fd));
	for (i = 0; i < TASKS; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, thread_works, &tid[i]));
		ASSERT_EQ(0, pthread_join(thread, NULL));
	}
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	for (i = 0; i < TASKS; i++)
		EXPECT_GE(table_of(&t, self->nr, tid[i]).value[FAULTS], 20);
	EXPECT_TRUE(table_adds_up(&t, self->nr));
	EXPECT_TRUE(totals_are_read(fd, &t, self->nr));
	table_unmap(&t);
	close(fd);
}

static bool comm_is(const struct pmcgrp_keys_slot *slot, const void *name)
{
	return !strncmp((const char *)slot->key, name, sizeof(slot->key));
}

/* execve() gives a task another key at once. */
TEST_F(keys, command)
{
	struct table t = {};
	struct told told;
	int fd, go;
	pid_t pid;

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_COMMAND, 256, &t));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "before"));
	pid = exec_child(&go);
	ASSERT_EQ(0, prctl(PR_SET_NAME, "parent"));
	ASSERT_TRUE(wait_until_asleep(pid));
	ASSERT_EQ(0, go_on(fd));
	ASSERT_TRUE(exec_go(pid, go));
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	told = table_sum(&t, self->nr, comm_is, "before");
	EXPECT_GT(told.stays, 0);
	EXPECT_GT(told.value[FAULTS], 0);
	told = table_sum(&t, self->nr, comm_is, "true");
	EXPECT_GT(told.stays, 0);
	EXPECT_GT(told.value[FAULTS], 0);
	EXPECT_TRUE(totals_are_read(fd, &t, self->nr));
	table_unmap(&t);
	close(fd);
}

#define CHOSEN		12	/* a key is looked for in eight places */
#define CHOSEN_SLOTS	4096
#define VICTIM		"victim"

/* Where a hash without a secret number has the command (<linux/hash.h>: hash_64()). */
static unsigned int open_hash(const char *name)
{
	const uint64_t ratio = 0x61c8864680b583ebULL;
	uint64_t word[2] = {};

	memcpy(word, name, strlen(name));
	return ((word[0] + word[1] * ratio) * ratio) / (UINT64_MAX / CHOSEN_SLOTS + 1);
}

static bool runs_as(const char *name)
{
	pid_t pid = fork();
	int i, status;

	if (!pid) {
		prctl(PR_SET_NAME, name);
		for (i = 0; i < 3; i++) {
			sleep_ns(NSEC_PER_MSEC);
			loop(LOOPS);
		}
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* Tasks whose names were chosen so that they take the places of another one's. */
TEST_F(keys, chosen_names)
{
	struct table t = {};
	struct told told;
	unsigned int i, nr;
	char name[16];
	int fd;

	ASSERT_TRUE(stay_on(0));
	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_COMMAND, CHOSEN_SLOTS, &t));
	ASSERT_EQ(CHOSEN_SLOTS, t.arg.slots);
	ASSERT_EQ(0, go_on(fd));
	for (i = 0, nr = 0; nr < CHOSEN; i++) {
		snprintf(name, sizeof(name), "n%08u", i);
		if (open_hash(name) != open_hash(VICTIM))
			continue;
		ASSERT_TRUE(runs_as(name));
		nr++;
	}
	ASSERT_TRUE(runs_as(VICTIM));
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	told = table_sum(&t, self->nr, comm_is, VICTIM);
	EXPECT_GT(told.stays, 0);
	EXPECT_EQ(0, blocks_overflows(&t));
	table_unmap(&t);
	close(fd);
}

static bool named_true(const struct pmcgrp_keys_slot *slot, const void *pid)
{
	return first_word_is(slot, pid) && !strcmp(slot->comm, "true");
}

/* A process that executes a program has its name, also if it is not switched from in between. */
TEST_F(keys, name)
{
	struct table t = {};
	uint64_t key;
	int fd, go;
	pid_t pid;

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 256, &t));
	pid = exec_child(&go);
	key = pid;
	ASSERT_EQ(0, go_on(fd));
	ASSERT_TRUE(exec_go(pid, go));
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	EXPECT_GE(table_sum(&t, self->nr, named_true, &key).slots, 1);
	table_unmap(&t);
	close(fd);
}

/* A pinned group counts the task that runs as it is enabled, though perf core lets it in. */
TEST_F(keys, pinned)
{
	struct ask ask = { .target_type = PMCGRP_TARGET_ALL_CPUS, .nr = self->nr,
			   .attr = self->attr,
			   .flags = PMCGRP_CREATE_DISABLED | PMCGRP_CREATE_PINNED };
	int fd = ask_group(self->dev, &ask), round;
	struct table t = {};

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 256, &t));
	ASSERT_TRUE(run_on(0));
	for (round = 1; round <= 3; round++) {
		ASSERT_EQ(0, go_on(fd));
		touch_pages(50);
		ASSERT_EQ(0, stop(fd));
		ASSERT_EQ(0, table_flush(&t, 0));
		EXPECT_GE(table_of(&t, self->nr, getpid()).value[FAULTS], 50 * round);
		EXPECT_TRUE(totals_are_read(fd, &t, self->nr));
		ASSERT_TRUE(short_process());
	}
	table_unmap(&t);
	close(fd);
}

/* A CPU that sleeps has a key as well: so the times of all keys are the CPU's. */
TEST_F(keys, idle)
{
	struct table t = {};
	struct told idle;
	int fd;

	fd = group_of_all(self->dev, self->nr, self->attr);
	ASSERT_EQ(0, table_make(fd, PMCGRP_KEY_PROCESS, 256, &t));
	ASSERT_EQ(0, go_on(fd));
	sleep_ns(200 * NSEC_PER_MSEC);
	ASSERT_EQ(0, stop(fd));
	ASSERT_EQ(0, table_flush(&t, 0));
	idle = table_of(&t, self->nr, 0);
	EXPECT_GT(idle.enabled, 0);
	if (self->nr > HARDWARE)
		EXPECT_EQ(0, idle.value[HARDWARE]); /* it has no user mode */
	EXPECT_TRUE(totals_are_read(fd, &t, self->nr));
	table_unmap(&t);
	close(fd);
}

static bool end_of(pid_t pid)
{
	return all_end(&pid, 1);
}

/* A child that works in a cgroup: what it counts there is the cgroup's. */
static pid_t works_in(const int *go, const char *cgroup, unsigned int k)
{
	pid_t pid = worker(go, k);

	return pid > 0 && wait_until_asleep(pid) && cgroup_move(cgroup, pid) ? pid : -1;
}

FIXTURE(keys_cgroup)
{
	int dev, fd;
	struct perf_event_attr attr[1];
	int go[2];
	uint64_t a, ab, abc, d;
	struct table t;
};

FIXTURE_SETUP(keys_cgroup)
{
	if (!cgroups_mount())
		SKIP(return, "there are no cgroups of version 2");
	self->dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_GE(self->dev, 0);
	self->attr[0] = sw(PERF_COUNT_SW_PAGE_FAULTS);
	self->fd = group_of_all(self->dev, 1, self->attr);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, pipe(self->go));
	self->a = cgroup_make("a");
	self->ab = cgroup_make("a/b");
	self->abc = cgroup_make("a/b/c");
	self->d = cgroup_make("d");
	ASSERT_TRUE(self->a && self->ab && self->abc && self->d);
}

FIXTURE_TEARDOWN(keys_cgroup)
{
	table_unmap(&self->t);
	close(self->fd);
	close(self->go[0]);
	close(self->go[1]);
	close(self->dev);
	cgroup_remove("a/b/c");
	cgroup_remove("a/b");
	cgroup_remove("a");
	cgroup_remove("d");
}

/* Children with 10, 20, 30, 40 more faults in the four cgroups. */
static bool work_in_all(const int *go, int fd, const struct table *t)
{
	pid_t pid[4] = { works_in(go, "a", 0), works_in(go, "a/b", 1), works_in(go, "a/b/c", 2),
			 works_in(go, "d", 3) };
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (pid[i] < 0)
			return false;
	return !go_on(fd) && write(go[1], "xxxx", 4) == 4 && all_end(pid, 4) && !stop(fd) &&
	       !table_flush(t, 0);
}

static unsigned int tens_of(const struct table *t, uint64_t id)
{
	return table_of(t, 1, id).value[0] / 10;
}

static bool has_tens(const struct table *t, uint64_t id, unsigned int least)
{
	unsigned int tens = tens_of(t, id);

	return tens >= least && tens <= least + 2 * (least > 0);
}

TEST_F(keys_cgroup, leaf)
{
	ASSERT_EQ(0, table_make(self->fd, PMCGRP_KEY_CGROUP, 64, &self->t));
	ASSERT_TRUE(work_in_all(self->go, self->fd, &self->t));
	EXPECT_TRUE(has_tens(&self->t, self->a, 1));
	EXPECT_TRUE(has_tens(&self->t, self->ab, 2));
	EXPECT_TRUE(has_tens(&self->t, self->abc, 3));
	EXPECT_TRUE(has_tens(&self->t, self->d, 4));
	EXPECT_TRUE(totals_are_read(self->fd, &self->t, 1));
}

TEST_F(keys_cgroup, depth)
{
	self->t.arg.depth = 1;
	ASSERT_EQ(0, table_make(self->fd, PMCGRP_KEY_CGROUP, 64, &self->t));
	ASSERT_TRUE(work_in_all(self->go, self->fd, &self->t));
	EXPECT_GE(tens_of(&self->t, self->a), 6);
	EXPECT_LE(tens_of(&self->t, self->a), 10);
	EXPECT_TRUE(has_tens(&self->t, self->ab, 0));
	EXPECT_TRUE(has_tens(&self->t, self->abc, 0));
	EXPECT_TRUE(has_tens(&self->t, self->d, 4));
	EXPECT_TRUE(totals_are_read(self->fd, &self->t, 1));
}

TEST_F(keys_cgroup, root)
{
	struct stat st;

	ASSERT_EQ(0, stat(CGROUPS, &st));
	self->t.arg.depth = PMCGRP_KEYS_ROOT;
	ASSERT_EQ(0, table_make(self->fd, PMCGRP_KEY_CGROUP, 64, &self->t));
	ASSERT_TRUE(work_in_all(self->go, self->fd, &self->t));
	EXPECT_GE(tens_of(&self->t, st.st_ino), 10);
	EXPECT_TRUE(has_tens(&self->t, self->a, 0));
	EXPECT_TRUE(has_tens(&self->t, self->abc, 0));
	EXPECT_TRUE(has_tens(&self->t, self->d, 0));
}

TEST_F(keys_cgroup, list)
{
	uint64_t list[] = { self->a, self->abc, self->a };

	self->t.arg.cgroups = (uintptr_t)list;
	self->t.arg.nr_cgroups = COUNT(list);
	ASSERT_EQ(0, table_make(self->fd, PMCGRP_KEY_CGROUP, 64, &self->t));
	ASSERT_TRUE(work_in_all(self->go, self->fd, &self->t));
	EXPECT_GE(tens_of(&self->t, self->a), 3);
	EXPECT_LE(tens_of(&self->t, self->a), 7);
	EXPECT_TRUE(has_tens(&self->t, self->ab, 0));
	EXPECT_TRUE(has_tens(&self->t, self->abc, 3));
	EXPECT_TRUE(has_tens(&self->t, self->d, 0));
	EXPECT_GE(tens_of(&self->t, PMCGRP_KEY_OTHER), 4);
	EXPECT_TRUE(totals_are_read(self->fd, &self->t, 1));
}

/* A task that is moved while it runs is the other cgroup's from then on. */
TEST_F(keys_cgroup, moved_and_removed)
{
	pid_t self_pid = getpid();

	ASSERT_EQ(0, table_make(self->fd, PMCGRP_KEY_CGROUP, 64, &self->t));
	ASSERT_EQ(0, go_on(self->fd));
	touch_pages(100);
	ASSERT_TRUE(cgroup_move("d", self_pid));
	touch_pages(100);
	ASSERT_TRUE(cgroup_move("", self_pid));
	touch_pages(100);
	ASSERT_TRUE(cgroup_remove("d"));
	ASSERT_EQ(0, stop(self->fd));
	ASSERT_EQ(0, table_flush(&self->t, PMCGRP_KEYS_READ));
	EXPECT_GE(table_of(&self->t, 1, self->d).value[0], 100);
	EXPECT_LT(table_of(&self->t, 1, self->d).value[0], 150);
	EXPECT_TRUE(totals_are_read(self->fd, &self->t, 1));
}

/* While its processes are made, moved and end, each somewhere. */
TEST_F_TIMEOUT(keys_cgroup, churn, 300)
{
	static const char *const name[] = { "a", "a/b", "a/b/c", "d", "" };
	unsigned int i, nr = rounds_of(2000, 100);
	struct reader r;
	char path[32];
	pid_t pid;

	ASSERT_EQ(0, table_make(self->fd, PMCGRP_KEY_CGROUP, 64, &self->t));
	ASSERT_TRUE(reader_make(&r, &self->t));
	ASSERT_EQ(0, go_on(self->fd));
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "d/%u", i % 7);
		if (i % 50 == 0)
			ASSERT_NE(0, cgroup_make(path));
		pid = works_in(self->go, i % 50 == 0 ? path : name[i % COUNT(name)], 0);
		ASSERT_GT(pid, 0);
		ASSERT_EQ(1, write(self->go[1], "x", 1));
		if (i % 3)
			cgroup_move(name[(i + 1) % COUNT(name)], pid);
		ASSERT_TRUE(end_of(pid));
		if (i % 50 == 0)
			ASSERT_TRUE(cgroup_remove(path));
		if (i % 40 == 0)
			ASSERT_TRUE(reader_read(&r, &self->t, 1, PMCGRP_KEYS_READ));
	}
	ASSERT_EQ(0, stop(self->fd));
	ASSERT_TRUE(reader_read(&r, &self->t, 1, 0));
	EXPECT_TRUE(reader_end(&r, &self->t, 1));
	EXPECT_EQ(0, blocks_overflows(&self->t));
	tell_count("keys", nr, "processes that were moved");
}

/* Processes that pass a token on, each in a cgroup of its own. */
#define RING_MAX	1000

struct passers {
	unsigned int nr;
	pid_t pid[RING_MAX];
	int first, last;	/* ends of pipes */
};

/* Waits for the token and passes it on, until there is none. */
static void pass(int from, int to)
{
	char c;

	while (read(from, &c, 1) == 1 && write(to, &c, 1) == 1)
		;
	_exit(0);
}

static bool passers_start(struct passers *p, unsigned int nr, unsigned int cgroups)
{
	int from, next[2], i;
	char name[32];

	p->nr = nr;
	if (pipe(next))
		return false;
	p->first = next[1];
	from = next[0];
	for (i = 0; i < nr; i++) {
		if (pipe(next))
			return false;
		p->pid[i] = fork();
		if (!p->pid[i]) {
			close(p->first);
			close(next[0]);
			pass(from, next[1]);
		}
		close(from);
		close(next[1]);
		from = next[0];
		snprintf(name, sizeof(name), "ring%d", i % cgroups);
		if (!cgroup_make(name) || !cgroup_move(name, p->pid[i]))
			return false;
	}
	p->last = from;
	return true;
}

static bool passers_lap(const struct passers *p)
{
	char c = 'x';

	return write(p->first, &c, 1) == 1 && read(p->last, &c, 1) == 1;
}

static bool passers_end(struct passers *p, unsigned int cgroups)
{
	bool ok = true;
	char name[32];
	unsigned int i;

	close(p->first);
	ok = all_end(p->pid, p->nr);
	close(p->last);
	for (i = 0; i < cgroups; i++) {
		snprintf(name, sizeof(name), "ring%d", i);
		ok &= cgroup_remove(name);
	}
	return ok;
}

#define HOPS	20000

static const struct perf_event_attr four[] = {
	{ .type = PERF_TYPE_HARDWARE, .size = sizeof(four[0]),
	  .config = PERF_COUNT_HW_INSTRUCTIONS },
	{ .type = PERF_TYPE_HARDWARE, .size = sizeof(four[0]),
	  .config = PERF_COUNT_HW_CPU_CYCLES },
	{ .type = PERF_TYPE_SOFTWARE, .size = sizeof(four[0]),
	  .config = PERF_COUNT_SW_PAGE_FAULTS },
	{ .type = PERF_TYPE_SOFTWARE, .size = sizeof(four[0]),
	  .config = PERF_COUNT_SW_CONTEXT_SWITCHES },
};

static double ns_of_instruction(int dev)
{
	struct group_values before, after;
	int fd = group_of(dev, 1, four, 0);
	uint64_t begun = now_ns();

	if (!group_values(fd, 1, &before))
		return 0;
	loop(1000000);
	if (!group_values(fd, 1, &after))
		return 0;
	close(fd);
	return (double)(now_ns() - begun) / (after.m[0].value - before.m[0].value);
}

/*
 * Instructions of a hop from one task to the next on this CPU, by the guest's clock, which goes by
 * instructions: a counter stands still while perf core holds the PMU.
 */
static double cost_of_hop(int dev, const struct passers *p, bool with_table, bool *ok)
{
	unsigned int lap, laps = HOPS / p->nr;
	struct table t = {};
	uint64_t begun;
	int fd;

	fd = group_of_all(dev, COUNT(four), four);
	*ok = fd >= 0 && (!with_table || !table_make(fd, PMCGRP_KEY_CGROUP, 4096, &t)) &&
	      !go_on(fd) && passers_lap(p) && passers_lap(p);
	begun = now_ns();
	for (lap = 0; lap < laps; lap++)
		*ok &= passers_lap(p);
	begun = now_ns() - begun;
	*ok &= !stop(fd);
	if (with_table) {
		*ok &= !table_flush(&t, 0) && totals_are_read(fd, &t, COUNT(four));
		if (blocks_overflows(&t)) {
			printf("# %llu keys without a slot\n",
			       (unsigned long long)blocks_overflows(&t));
			*ok = false;
		}
		table_unmap(&t);
	}
	close(fd);
	return begun / ns_of_instruction(dev) / (laps * p->nr);
}

/* The same events as perf counts them: those of each cgroup, on this CPU. */
static bool perf_open_cgroups(unsigned int nr, int *fd)
{
	unsigned int i, k, leader;
	char name[32], path[64];
	int dir;

	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "ring%u", i);
		cgroup_path(path, sizeof(path), name, "");
		dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			return false;
		leader = i * COUNT(four);
		for (k = 0; k < COUNT(four); k++)
			fd[leader + k] = syscall(SYS_perf_event_open, &four[k], dir, 0,
						 k ? fd[leader] : -1,
						 PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
		close(dir);
		if (fd[leader + COUNT(four) - 1] < 0)
			return false;
	}
	return true;
}

/* How many instructions more a hop takes with perf's events; they count what they should. */
static double cost_of_perf(int dev, const struct passers *p, unsigned int cgroups, double without,
			   bool *ok)
{
	static int fd[RING_MAX * COUNT(four)];
	struct rlimit many = { 2 * COUNT(fd), 2 * COUNT(fd) };
	uint64_t counted = 0;
	double with;
	unsigned int i;

	for (i = 0; i < COUNT(fd); i++)
		fd[i] = -1;
	*ok = !setrlimit(RLIMIT_NOFILE, &many) && perf_open_cgroups(cgroups, fd);
	if (!*ok)
		return 0;
	with = cost_of_hop(dev, p, false, ok);
	*ok &= read(fd[0], &counted, sizeof(counted)) == sizeof(counted) && counted;
	for (i = 0; i < cgroups * COUNT(four); i++)
		close(fd[i]);
	return with - without;
}

/* A hop costs the same however many cgroups there are. */
TEST_F_TIMEOUT(keys_cgroup, cost, 300)
{
	static const unsigned int nr[] = { 1, 10, 100, 1000 };
	static struct passers p;
	unsigned int i, last = only_core() ? 2 : 3;
	double with[COUNT(nr)], without[COUNT(nr)], perf;
	bool ok;

	if (!deterministic() || !have_instructions())
		SKIP(return, "needs a guest whose instructions are the same each time");
	/* Without this no cgroup but the root's has a state of perf_event. */
	ASSERT_TRUE(file_write(CGROUPS "/cgroup.subtree_control", "+pids"));
	for (i = 0; i <= last; i++) {
		ASSERT_TRUE(passers_start(&p, nr[i] < 4 ? 4 : nr[i], nr[i]));
		without[i] = cost_of_hop(self->dev, &p, false, &ok);
		ASSERT_TRUE(ok);
		with[i] = cost_of_hop(self->dev, &p, true, &ok);
		ASSERT_TRUE(ok);
		perf = cost_of_perf(self->dev, &p, nr[i], without[i], &ok);
		ASSERT_TRUE(ok);
		ASSERT_TRUE(passers_end(&p, nr[i]));
		printf("# %4u cgroups: a switch takes %.0f instructions, ", nr[i], without[i]);
		printf("with a table %.0f more, with perf's events %.0f more\n",
		       with[i] - without[i], perf);
	}
	for (i = 2; i <= last; i++)
		EXPECT_LE(with[i], 1.05 * with[1]);
}

TEST_HARNESS_MAIN
